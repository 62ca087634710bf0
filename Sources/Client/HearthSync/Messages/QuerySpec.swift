import HearthTree

/// A path and a query on it, as an app listens to it.
///
/// Two are equal when they select the same data. The order by priority equals no order, as in the protocol.
public struct QuerySpec: Sendable, Hashable {
  /// The path.
  public let path: Path
  /// The query on the data at the path.
  public let query: Query

  /// Creates a query at a path; without `query`, for all of the data at the path.
  public init(_ path: Path, _ query: Query = Query()) {
    var query = query
    if query.order == .priority { query.order = nil }
    self.path = path
    self.query = query
  }

  /// True when there are no bounds, no limit and no order.
  public var isDefault: Bool { query.order == nil && query.loadsAllData }

  /// True when there are no bounds and no limit: the data is then complete, in whatever order.
  public var loadsAllData: Bool { query.loadsAllData }

  /// The bounds, limit and order as JSON, for descriptions; nil for a reference.
  package var parameters: String? {
    isDefault ? nil : String(decoding: query.wire.text(), as: UTF8.self)
  }

  /// The query sent to the server, without the order when it loads all data, because the client does the ordering.
  var forListening: QuerySpec { loadsAllData ? QuerySpec(path) : self }
}

extension QuerySpec: CustomStringConvertible {
  public var description: String { "(\(path)\(parameters.map { " " + $0 } ?? ""))" }
}
