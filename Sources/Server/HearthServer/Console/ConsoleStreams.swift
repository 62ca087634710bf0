import Synchronization

/// How many event streams there are, of each session and of all.
final class ConsoleStreams: Sendable {
  /// Pages that somebody has open at a time.
  static let perSessionMax = 8
  /// Each looks at the database four times a second.
  static let countMax = 64

  private let counts = Mutex<[UInt64: Int]>([:])

  /// Takes a place; false when there is none.
  func enter(_ session: UInt64) -> Bool {
    counts.withLock { counts in
      guard counts[session, default: 0] < Self.perSessionMax, counts.values.reduce(0, +) < Self.countMax else {
        return false
      }
      counts[session, default: 0] += 1
      return true
    }
  }

  /// Gives the place back.
  func leave(_ session: UInt64) {
    counts.withLock { counts in
      let left = (counts[session] ?? 1) - 1
      counts[session] = left > 0 ? left : nil
    }
  }
}
