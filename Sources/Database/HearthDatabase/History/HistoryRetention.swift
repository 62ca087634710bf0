/// How much of its past a database keeps beside what a restart needs.
public struct HistoryRetention: Sendable, Equatable {
  /// States of the last so many milliseconds can be read. 0 keeps nothing: each snapshot has what it covers removed.
  /// `Int64.max` keeps as much as there is room for.
  public var ageMilliseconds: Int64

  /// Bytes that the past may take on the disk, roughly: older snapshots, and the log that the current one covers. What is
  /// more goes, the oldest first, although it is younger than ``ageMilliseconds``; the database says so:
  /// ``DatabaseNotice/historyShortened(oldestPosition:sizeBytesMax:)``.
  public var sizeBytesMax: Int

  /// As much as a few days of a busy small app, and what a small disk has room for.
  public static let standardSizeBytesMax = 1 << 30

  /// The retention of so much.
  public init(ageMilliseconds: Int64 = 0, sizeBytesMax: Int = standardSizeBytesMax) {
    (self.ageMilliseconds, self.sizeBytesMax) = (ageMilliseconds, sizeBytesMax)
  }

  /// Nothing is kept. What people delete is then gone with the next snapshot but one, and the disk holds no more than a
  /// restart needs; whoever wants to look back says so.
  public static let none = HistoryRetention()
}
