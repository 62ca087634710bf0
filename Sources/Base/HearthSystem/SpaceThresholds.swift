/// The thresholds of free disk space, below which operators are warned or writes are refused.
public struct SpaceThresholds: Sendable, Equatable {
  /// The free space below which operators are warned, in bytes; 0 for never, nil for the standard.
  public var warnBytes: Int?
  /// The free space below which only administrators may write, in bytes; 0 for never, nil for the standard.
  public var stopBytes: Int?

  /// Creates thresholds in bytes; without arguments, the standard ones.
  public init(warnBytes: Int? = nil, stopBytes: Int? = nil) {
    (self.warnBytes, self.stopBytes) = (warnBytes, stopBytes)
  }

  /// Thresholds that are never reached.
  public static let never = SpaceThresholds(warnBytes: 0, stopBytes: 0)

  /// The standard warning threshold, for file systems that are large enough.
  public static let standardWarnBytes = 1024 << 20
  /// The standard stop threshold: it leaves space for checkpoints of SQLite's WALs, for a running snapshot, and for
  /// administrators.
  public static let standardStopBytes = 64 << 20
  /// The divisor of a file system's size that limits the standard warning threshold, because a small file system is not
  /// full only because it is small.
  public static let standardWarnDivisor = 8
  /// The divisor of a file system's size that limits ``standardStopBytes``.
  public static let standardStopDivisor = 32
  /// The divisor of a threshold that gives the additional free space with which a level ends, so that levels do not
  /// alternate.
  private static let hysteresisDivisor = 8

  /// The level of a file system's free space.
  public enum Level: Int, Sendable, Comparable {
    /// Enough free space.
    case ample
    /// An operator should free space.
    case low
    /// The remaining space is reserved for administrators.
    case scarce

    public static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
  }

  /// Returns the warning threshold in bytes for a file system of a size.
  public func warnBytes(totalBytes: Int) -> Int {
    warnBytes ?? min(Self.standardWarnBytes, totalBytes / Self.standardWarnDivisor)
  }

  /// Returns the threshold below which writes are refused, in bytes, for a file system of a size.
  public func stopBytes(totalBytes: Int) -> Int {
    stopBytes ?? min(Self.standardStopBytes, totalBytes / Self.standardStopDivisor)
  }

  /// Returns the level of a file system's free space.
  ///
  /// - Parameter last: The last level.
  public func level(of space: FileSystemSpace, after last: Level) -> Level {
    if Self.isBelow(stopBytes(totalBytes: space.totalBytes), space.availableBytes, was: last >= .scarce) {
      return .scarce
    }
    return Self.isBelow(warnBytes(totalBytes: space.totalBytes), space.availableBytes, was: last >= .low)
      ? .low : .ample
  }

  /// Returns true when there is less free space than a threshold.
  ///
  /// - Parameter was: The result of the last comparison.
  public static func isBelow(_ threshold: Int, _ availableBytes: Int, was: Bool) -> Bool {
    let end = threshold.addingReportingOverflow(was ? threshold / hysteresisDivisor : 0)
    return availableBytes < (end.overflow ? .max : end.partialValue)
  }
}
