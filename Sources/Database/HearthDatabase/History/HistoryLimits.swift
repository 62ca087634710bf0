/// The limits of looking back, one reason each.
public struct HistoryLimits: Sendable {
  /// States of the past that are kept ready: somebody who looks back looks at a few moments again and again.
  public var warmCountMax = 4

  /// Bytes that they may hold together. A larger one is put together anew each time.
  public var warmBytesMax = 128 << 20

  /// Bytes of the log that are read at a time, between two looks at whether anybody still waits.
  public var readBytes = 4 << 20

  /// Changes on one page: what a person reads at once.
  public static let changesMax = 1_000

  /// Bytes that the values of one page may hold; the page ends before they are more.
  public var pageBytesMax = 16 << 20

  /// The limits of a server, to be narrowed by tests.
  public init() {}
}
