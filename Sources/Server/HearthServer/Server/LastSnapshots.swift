import HearthGateway
import Synchronization

/// The time in which snapshots are written at a server's end that make its next start fast, of all databases together.
final class LastSnapshots: Sendable {
  private static let milliseconds: Int64 = 3_000
  private let found = Mutex<Int64?>(nil)

  /// Its end on the monotonic clock; it begins when this is asked for first.
  var end: Int64 {
    found.withLock { found in
      let end = found ?? SystemClock.now.monotonicMilliseconds + Self.milliseconds
      found = end
      return end
    }
  }
}
