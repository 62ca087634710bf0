import HearthGateway
import Synchronization

/// The time limit for the snapshots at a server's end that make its next start fast, for all databases together.
final class FinalSnapshotDeadline: Sendable {
  private static let milliseconds: Int64 = 3_000
  private let found = Mutex<Int64?>(nil)

  /// The deadline on the monotonic clock; the time begins at the first call.
  var end: Int64 {
    found.withLock { found in
      let end = found ?? SystemClock.now.monotonicMilliseconds + Self.milliseconds
      found = end
      return end
    }
  }
}
