import Foundation
import HearthSync
import HearthTree

/// A location in a database with an order, bounds and a limit. A reference is a query of all data there.
public class DatabaseQuery: @unchecked Sendable {
  // Unchecked because the class has a subclass; both have only constants.

  /// The database of the query.
  public let database: Database
  let path: Path
  let builder: QueryBuilder

  init(_ database: Database, _ path: Path, _ builder: QueryBuilder = QueryBuilder()) {
    self.database = database
    self.path = path
    self.builder = builder
  }

  /// The location without order, bounds and limit.
  public var ref: DatabaseReference { DatabaseReference(database, path) }

  /// The URL of the location; for a query the path and its parameters as JSON.
  public var description: String { spec.parameters == nil ? database.url(of: path) : spec.description }

  /// The query as ``SyncCore`` identifies it.
  var spec: QuerySpec { QuerySpec(path, builder.query) }

  /// The order of the children of a snapshot.
  var order: Query.Order { builder.query.effectiveOrder }

  /// Returns a changed query; a mistake ends the program.
  private func with(
    _ change: (QueryBuilder) throws(DatabaseArgumentError) -> QueryBuilder
  ) -> DatabaseQuery {
    DatabaseQuery(database, path, DatabaseArgumentError.trapping { try change(builder) })
  }
}

extension DatabaseQuery: CustomStringConvertible, Hashable {
  /// Returns true when both are the same query of the same database.
  public static func == (a: DatabaseQuery, b: DatabaseQuery) -> Bool {
    a.database === b.database && a.spec == b.spec
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(database))
    hasher.combine(spec)
  }
}

// Builders of queries. An invalid query ends the program with the text that the SDKs for Apple systems throw, because a
// program could not handle it at run time.
extension DatabaseQuery {
  /// Orders the children by a descendant, at a path such as `score` or `metrics/views`. A query has one order.
  public func queryOrdered(byChild key: String) -> DatabaseQuery {
    with { builder throws(DatabaseArgumentError) in try builder.ordered(byChild: key) }
  }

  /// Orders the children by key: 32-bit integers first, by number. A query has one order.
  public func queryOrderedByKey() -> DatabaseQuery {
    with { builder throws(DatabaseArgumentError) in try builder.ordered(.key) }
  }

  /// Orders the children by their own value. A query has one order.
  public func queryOrderedByValue() -> DatabaseQuery {
    with { builder throws(DatabaseArgumentError) in try builder.ordered(.value) }
  }

  /// Orders the children by priority, which is also the default order. A query has one order.
  public func queryOrderedByPriority() -> DatabaseQuery {
    with { builder throws(DatabaseArgumentError) in try builder.ordered(.priority) }
  }

  /// Limits the query to this many children from the beginning of the order: 1 to 2,147,483,647. A query has one limit.
  public func queryLimited(toFirst limit: UInt) -> DatabaseQuery {
    with { builder throws(DatabaseArgumentError) in try builder.limited(toFirst: limit) }
  }

  /// Limits the query to this many children from the end of the order: 1 to 2,147,483,647. A query has one limit.
  public func queryLimited(toLast limit: UInt) -> DatabaseQuery {
    with { builder throws(DatabaseArgumentError) in try builder.limited(toLast: limit) }
  }

  /// Selects children with this value or a greater one: nil, a boolean, a number or a text. In key order it is the key.
  public func queryStarting(atValue startValue: Any?) -> DatabaseQuery {
    with { builder throws(DatabaseArgumentError) in try builder.starting(at: startValue, childKey: nil) }
  }

  /// Selects children with a greater value, and those of this value with this key or a greater one.
  public func queryStarting(atValue startValue: Any?, childKey: String?) -> DatabaseQuery {
    with { builder throws(DatabaseArgumentError) in
      try builder.keyed("queryStartingAtValue:").starting(at: startValue, childKey: childKey)
    }
  }

  /// Selects children with a greater value. In key order it is the key.
  public func queryStarting(afterValue startAfterValue: Any?) -> DatabaseQuery {
    with { builder throws(DatabaseArgumentError) in try builder.starting(after: startAfterValue, childKey: nil) }
  }

  /// Selects children with a greater value, and those of this value with a greater key.
  public func queryStarting(afterValue startAfterValue: Any?, childKey: String?) -> DatabaseQuery {
    with { builder throws(DatabaseArgumentError) in
      try builder.keyed("queryStartingAfterValue:").starting(after: startAfterValue, childKey: childKey)
    }
  }

  /// Selects children with this value or a smaller one. In key order it is the key.
  public func queryEnding(atValue endValue: Any?) -> DatabaseQuery {
    with { builder throws(DatabaseArgumentError) in try builder.ending(at: endValue, childKey: nil) }
  }

  /// Selects children with a smaller value, and those of this value with this key or a smaller one.
  public func queryEnding(atValue endValue: Any?, childKey: String?) -> DatabaseQuery {
    with { builder throws(DatabaseArgumentError) in
      try builder.keyed("queryEndingAtValue:").ending(at: endValue, childKey: childKey)
    }
  }

  /// Selects children with a smaller value. In key order it is the key.
  public func queryEnding(beforeValue endValue: Any?) -> DatabaseQuery {
    with { builder throws(DatabaseArgumentError) in try builder.ending(before: endValue, childKey: nil) }
  }

  /// Selects children with a smaller value, and those of this value with a smaller key.
  public func queryEnding(beforeValue endValue: Any?, childKey: String?) -> DatabaseQuery {
    with { builder throws(DatabaseArgumentError) in
      try builder.keyed("queryEndingBeforeValue:").ending(before: endValue, childKey: childKey)
    }
  }

  /// Selects children with this value. In key order it is the key.
  public func queryEqual(toValue value: Any?) -> DatabaseQuery {
    with { builder throws(DatabaseArgumentError) in try builder.equal(to: value, childKey: nil) }
  }

  /// Selects the child with this value and this key, if there is one.
  public func queryEqual(toValue value: Any?, childKey: String?) -> DatabaseQuery {
    with { builder throws(DatabaseArgumentError) in
      try builder.keyed("queryEqualToValue:").equal(to: value, childKey: childKey)
    }
  }
}

// Methods that the SDK of version 2 has in addition.
extension DatabaseQuery {
  /// Limits the query like the older API without `toFirst` and `toLast`: from the start when there is a starting bound,
  /// otherwise from the end.
  package func queryLimited(legacy limit: UInt) -> DatabaseQuery {
    with { builder throws(DatabaseArgumentError) in try builder.limited(legacy: limit) }
  }

  /// Returns the query, ordered by priority if it had no order.
  package func queryOrderedByPriorityUnlessOrdered() -> DatabaseQuery {
    builder.query.order == nil ? queryOrderedByPriority() : self
  }
}
