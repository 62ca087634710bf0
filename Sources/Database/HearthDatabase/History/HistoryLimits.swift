/// The limits of reading history, with one reason each.
public struct HistoryLimits: Sendable {
  /// The most cached past states: requests for history often repeat the same few positions.
  public var cachedStatesMax = 4

  /// The most bytes of all cached states. A larger one is reconstructed each time.
  public var cachedStateBytesMax = 128 << 20

  /// The most bytes of a past value of a database with page files, which is read as a whole.
  public var pagedStateBytesMax = 128 << 20

  /// The log bytes read at a time, between two checks for cancellation.
  public var readBytes = 4 << 20

  /// The most changes on one page: more than a person reads at once.
  public static let changesMax = 1_000

  /// The most bytes of the values on one page; the page ends before they are exceeded.
  public var pageBytesMax = 16 << 20

  /// Creates the limits of a server, for tests to narrow.
  public init() {}
}
