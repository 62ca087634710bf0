import HearthTree

/// A place and a query on it: what an app listens to.
///
/// Two are equal when they ask for the same, in whatever order the app named its parts. The order by priority counts as
/// no order, as it does on the wire.
public struct QuerySpec: Sendable, Hashable {
  /// The place.
  public let path: Path
  /// What of it.
  public let query: Query

  /// What that query finds at a place; without a query all of it.
  public init(_ path: Path, _ query: Query = Query()) {
    var query = query
    if query.order == .priority { query.order = nil }
    self.path = path
    self.query = query
  }

  /// True when there are neither bounds nor a limit nor an order.
  public var isDefault: Bool { query.order == nil && query.loadsAllData }

  /// True when there are neither bounds nor a limit: what is there is then complete, in whatever order.
  public var loadsAllData: Bool { query.loadsAllData }

  /// The bounds, limit and order of a description, as JSON; `nil` for a reference.
  package var parameters: String? {
    isDefault ? nil : String(decoding: query.wire.text(), as: UTF8.self)
  }

  /// What is asked of the server: the order of a query that loads everything is this side's business.
  var forListening: QuerySpec { loadsAllData ? QuerySpec(path) : self }
}

extension QuerySpec: CustomStringConvertible {
  public var description: String { "(\(path)\(parameters.map { " " + $0 } ?? ""))" }
}
