import HearthTree
import Synchronization

/// One generator for all loops, so that no two ids of this server tie or go backwards.
final class PushIDs: Sendable {
  private let generator = Mutex(PushIDGenerator())

  func next(milliseconds: Int64) -> String {
    var random = SystemRandomNumberGenerator()
    return generator.withLock { $0.next(nowMilliseconds: milliseconds, using: &random) }
  }
}
