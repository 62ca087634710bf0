import HearthConsole
import Synchronization

/// A limiter of the event streams of each session, of each person, and of all.
final class ConsoleStreams: Sendable {
  /// The maximum number of streams of one session: the pages that a user may have open.
  static let perSessionMax = 8
  /// The maximum number of all streams. Each polls the database four times a second.
  static let countMax = 64
  /// The maximum number of streams in all sessions of one person, so that one cannot lock the others out.
  static let perPersonMax = 32

  private struct Counts {
    var bySession: [UInt64: Int] = [:]
    var byPerson: [ConsolePerson: Int] = [:]
    var count = 0
  }

  private let counts = Mutex(Counts())

  /// Takes a slot; returns false when there is none.
  func enter(_ session: ConsoleSession) -> Bool {
    counts.withLock { counts in
      guard counts.bySession[session.id, default: 0] < Self.perSessionMax,
        counts.byPerson[session.person, default: 0] < Self.perPersonMax, counts.count < Self.countMax
      else { return false }
      counts.bySession[session.id, default: 0] += 1
      counts.byPerson[session.person, default: 0] += 1
      counts.count += 1
      return true
    }
  }

  /// Frees the slot.
  func leave(_ session: ConsoleSession) {
    counts.withLock { counts in
      counts.bySession.release(session.id)
      counts.byPerson.release(session.person)
      counts.count -= 1
    }
  }
}

extension Dictionary where Value == Int {
  /// Subtracts one from a count, and removes it at zero.
  mutating func release(_ key: Key) { self[key] = self[key].flatMap { $0 > 1 ? $0 - 1 : nil } }
}
