/// What queries did, counted: the work of an index or a window is a promise about these numbers, not about time.
public struct QueryCost: Sendable, Equatable {
  /// Entries of indexes, or children in key order, that were stepped over or looked up.
  public var entriesRead = 0
  /// Entries of indexes that were added or removed.
  public var entriesWritten = 0
  /// Children whose sort value was worked out because there was no index.
  public var childrenScanned = 0

  /// Nothing yet.
  public init() {}

  /// Adds what another piece of work has cost.
  public static func += (a: inout QueryCost, b: QueryCost) {
    a.entriesRead += b.entriesRead
    a.entriesWritten += b.entriesWritten
    a.childrenScanned += b.childrenScanned
  }
}
