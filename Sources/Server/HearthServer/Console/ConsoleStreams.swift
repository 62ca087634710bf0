import Synchronization

/// A limiter of the event streams of each session, and of all.
final class ConsoleStreams: Sendable {
  /// The maximum number of streams of one session: the pages that a user may have open.
  static let perSessionMax = 8
  /// The maximum number of all streams. Each polls the database four times a second.
  static let countMax = 64

  private let counts = Mutex<[UInt64: Int]>([:])

  /// Takes a slot; returns false when there is none.
  func enter(_ session: UInt64) -> Bool {
    counts.withLock { counts in
      guard counts[session, default: 0] < Self.perSessionMax, counts.values.reduce(0, +) < Self.countMax else {
        return false
      }
      counts[session, default: 0] += 1
      return true
    }
  }

  /// Frees the slot.
  func leave(_ session: UInt64) {
    counts.withLock { counts in
      let left = (counts[session] ?? 1) - 1
      counts[session] = left > 0 ? left : nil
    }
  }
}
