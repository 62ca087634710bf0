/// The amount of history that a database retains beside the data that a restart needs.
public struct HistoryRetention: Sendable, Equatable {
  /// The age up to which past states can be read. 0 retains nothing: each snapshot removes the log it covers.
  /// `Int64.max` retains as much as ``sizeBytesMax`` allows.
  public var ageMilliseconds: Int64

  /// The approximate bytes that history may take on the disk: older snapshots, and the log that the current one covers.
  /// Beyond them the oldest history is removed, even if it is younger than ``ageMilliseconds``; the database then
  /// reports ``DatabaseNotice/historyShortened(oldestPosition:sizeBytesMax:)``.
  public var sizeBytesMax: Int

  /// The default: a few days of a busy small app, which fits a small disk.
  public static let standardSizeBytesMax = 1 << 30

  /// Creates a retention.
  public init(ageMilliseconds: Int64 = 0, sizeBytesMax: Int = standardSizeBytesMax) {
    (self.ageMilliseconds, self.sizeBytesMax) = (ageMilliseconds, sizeBytesMax)
  }

  /// The retention of no history. Deleted data is then removed from the disk with the second snapshot after the
  /// deletion, and the disk holds no more than a restart needs; retaining history is opt-in.
  public static let none = HistoryRetention()
}
