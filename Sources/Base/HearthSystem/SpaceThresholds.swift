/// The limits of free room below which operators are warned and writes are refused.
public struct SpaceThresholds: Sendable, Equatable {
  /// The room below which an operator is warned, in bytes; 0 for never, nil for the standard.
  public var warnBytes: Int?
  /// The room below which the rest is kept for administration, in bytes; 0 for never, nil for the standard.
  public var stopBytes: Int?

  /// Thresholds in bytes; without arguments, the standard ones.
  public init(warnBytes: Int? = nil, stopBytes: Int? = nil) {
    (self.warnBytes, self.stopBytes) = (warnBytes, stopBytes)
  }

  /// Thresholds that are never reached.
  public static let never = SpaceThresholds(warnBytes: 0, stopBytes: 0)

  /// The standard warning threshold, where the file system is large enough.
  public static let standardWarnBytes = 1024 << 20
  /// The standard stop threshold: room for moving SQLite's logs into their files, for a snapshot under way, and for the
  /// administrators' work then.
  public static let standardStopBytes = 64 << 20
  /// The largest part of a file system that the standard warning threshold takes: a small one is not short of room
  /// because it is small.
  public static let standardWarnDivisor = 8
  /// The same for ``standardStopBytes``.
  public static let standardStopDivisor = 32
  /// The part of a threshold that must be free beyond it before a state ends, so that states do not alternate.
  private static let hysteresisDivisor = 8

  /// The state of a file system's free room.
  public enum Level: Int, Sendable, Comparable {
    /// There is enough room.
    case ample
    /// An operator should free room.
    case low
    /// The rest is kept for administration.
    case scarce

    public static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
  }

  /// The least room without a warning, in bytes, on a file system of that size.
  public func warnBytes(totalBytes: Int) -> Int {
    warnBytes ?? min(Self.standardWarnBytes, totalBytes / Self.standardWarnDivisor)
  }

  /// The least room with which nothing is refused, in bytes, on a file system of that size.
  public func stopBytes(totalBytes: Int) -> Int {
    stopBytes ?? min(Self.standardStopBytes, totalBytes / Self.standardStopDivisor)
  }

  /// The level of a file system's room.
  ///
  /// - Parameter last: the level that was reported last.
  public func level(of space: FileSystemSpace, after last: Level) -> Level {
    if Self.isBelow(stopBytes(totalBytes: space.totalBytes), space.availableBytes, was: last >= .scarce) {
      return .scarce
    }
    return Self.isBelow(warnBytes(totalBytes: space.totalBytes), space.availableBytes, was: last >= .low)
      ? .low : .ample
  }

  /// Returns true when there is less room than a threshold.
  ///
  /// - Parameter was: the result of the last comparison.
  public static func isBelow(_ threshold: Int, _ availableBytes: Int, was: Bool) -> Bool {
    let end = threshold.addingReportingOverflow(was ? threshold / hysteresisDivisor : 0)
    return availableBytes < (end.overflow ? .max : end.partialValue)
  }
}
