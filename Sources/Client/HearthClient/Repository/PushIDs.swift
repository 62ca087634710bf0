import HearthTree
import Synchronization

/// The keys of new children: one row for the whole process, so that two threads never get the same.
enum PushIDs {
  private static let generator = Mutex(PushIDGenerator())

  /// The next key.
  ///
  /// - Parameter nowMilliseconds: the server's time, since 1970.
  static func next(nowMilliseconds: Int64) -> String {
    var random = SystemRandomNumberGenerator()
    return generator.withLock { $0.next(nowMilliseconds: nowMilliseconds, using: &random) }
  }
}
