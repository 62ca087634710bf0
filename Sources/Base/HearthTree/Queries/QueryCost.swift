/// The work of queries, as counts. The guarantees about the cost of an index or a window are stated in these counts.
public struct QueryCost: Sendable, Equatable {
  /// Entries of indexes, or children in key order, that were read or looked up.
  public var entriesRead = 0
  /// Entries of indexes that were added or removed.
  public var entriesWritten = 0
  /// Children whose sort value was computed because there was no index.
  public var childrenScanned = 0

  /// Creates a cost of zero.
  public init() {}

  /// Adds the cost of another piece of work.
  public static func += (a: inout QueryCost, b: QueryCost) {
    a.entriesRead += b.entriesRead
    a.entriesWritten += b.entriesWritten
    a.childrenScanned += b.childrenScanned
  }
}
