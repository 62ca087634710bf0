import HearthTree

/// The generator of new children's keys, one for the whole process, so that two threads never get the same key.
enum PushIDs {
  private static let generator = LockedValue(PushIDGenerator())

  /// Returns the next key.
  ///
  /// - Parameter nowMilliseconds: The server's time in milliseconds since 1970.
  static func next(nowMilliseconds: Int64) -> String {
    var random = SystemRandomNumberGenerator()
    return generator.withLock { $0.next(nowMilliseconds: nowMilliseconds, using: &random) }
  }
}
