/// How little room on a file system is little.
public struct SpaceThresholds: Sendable, Equatable {
  /// Below so many bytes an operator is warned. 0 is never, and nil the standard.
  public var warnBytes: Int?
  /// Below so many bytes the rest is kept for administration. 0 is never, and nil the standard.
  public var stopBytes: Int?

  /// Such thresholds; without any, the standard ones.
  public init(warnBytes: Int? = nil, stopBytes: Int? = nil) {
    (self.warnBytes, self.stopBytes) = (warnBytes, stopBytes)
  }

  /// Nobody looks.
  public static let never = SpaceThresholds(warnBytes: 0, stopBytes: 0)

  /// Warned of below this, where the file system is large enough.
  public static let standardWarnBytes = 1024 << 20
  /// Room for SQLite's logs to be moved into their files, for a snapshot that is under way, and for what administrators do
  /// then.
  public static let standardStopBytes = 64 << 20
  /// No standard threshold is more than this part of a file system: a small one is not short of room because it is small.
  public static let standardWarnPart = 8
  /// The same for ``standardStopBytes``.
  public static let standardStopPart = 32
  /// A state ends when there is that part of its threshold more than it, so that it does not come and go.
  private static let endPart = 8

  /// How much room there is.
  public enum Level: Int, Sendable, Comparable {
    /// Enough.
    case ample
    /// An operator should see to it.
    case low
    /// The rest is kept for administration.
    case scarce

    public static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
  }

  /// The least room with which nobody is warned, in bytes, on a file system of that size.
  public func warnBytes(totalBytes: Int) -> Int {
    warnBytes ?? min(Self.standardWarnBytes, totalBytes / Self.standardWarnPart)
  }

  /// The least room with which nothing is refused, in bytes, on a file system of that size.
  public func stopBytes(totalBytes: Int) -> Int {
    stopBytes ?? min(Self.standardStopBytes, totalBytes / Self.standardStopPart)
  }

  /// How much room there is now.
  ///
  /// - Parameter last: what was said last.
  public func level(of space: FileSystemSpace, after last: Level) -> Level {
    if Self.isBelow(stopBytes(totalBytes: space.totalBytes), space.availableBytes, was: last >= .scarce) {
      return .scarce
    }
    return Self.isBelow(warnBytes(totalBytes: space.totalBytes), space.availableBytes, was: last >= .low)
      ? .low : .ample
  }

  /// Returns true when there is less room than a threshold.
  ///
  /// - Parameter was: it was so when it was looked at last.
  public static func isBelow(_ threshold: Int, _ availableBytes: Int, was: Bool) -> Bool {
    let end = threshold.addingReportingOverflow(was ? threshold / endPart : 0)
    return availableBytes < (end.overflow ? .max : end.partialValue)
  }
}
