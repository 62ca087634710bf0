import HearthTree
import Synchronization

/// A generator of push ids for all loops, so that no two ids of this server are equal or out of order.
final class PushIDSequence: Sendable {
  private let generator = Mutex(PushIDGenerator())

  func next(milliseconds: Int64) -> String {
    var random = SystemRandomNumberGenerator()
    return generator.withLock { $0.next(nowMilliseconds: milliseconds, using: &random) }
  }
}
