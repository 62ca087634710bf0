import HearthTree

/// A query under construction, which validates each step. The error messages are those of the SDKs for Apple systems.
struct QueryBuilder: Sendable, Hashable {
  /// The query so far.
  private(set) var query = Query()

  /// Creates a query without order, bounds or limit.
  init() {}

  private static func error(_ text: String) -> DatabaseArgumentError { DatabaseArgumentError(.query, text) }

  // MARK: Order

  /// Orders by a descendant of each child; the path may have several keys.
  func ordered(byChild text: String) throws(DatabaseArgumentError) -> QueryBuilder {
    let function = "queryOrderedByChild:"
    for (name, method) in [("key", "Key"), ("priority", "Priority"), ("value", "Value")]
    where text == "$" + name || text == "." + name {
      throw Self.error("(\(function)) \(text) is invalid.  Use queryOrderedBy\(method): instead.")
    }
    let path = try Validation.path(text, from: function)
    guard !path.isRoot else {
      throw Self.error("(\(function)) with an empty path is invalid.  Use queryOrderedByValue: instead.")
    }
    return try ordered(.child(path))
  }

  func ordered(_ order: Query.Order) throws(DatabaseArgumentError) -> QueryBuilder {
    guard query.order == nil else { throw Self.error("Cannot use multiple queryOrderedBy calls!") }
    var result = self
    result.query.order = order
    return try result.checked()
  }

  // MARK: Limits

  private func checked(_ limit: UInt, _ method: String) throws(DatabaseArgumentError) -> Int {
    guard query.limit == nil else { throw Self.error("Can't call \(method) if a limit was previously set") }
    guard limit > 0 else { throw Self.error("Limit can't be zero") }
    guard limit < 1 << 31 else { throw Self.error("Limit must be less than 2,147,483,648") }
    return Int(limit)
  }

  func limited(toFirst limit: UInt) throws(DatabaseArgumentError) -> QueryBuilder {
    var result = self
    result.query.limit = .first(try checked(limit, "queryLimitedToFirst:"))
    return result
  }

  func limited(toLast limit: UInt) throws(DatabaseArgumentError) -> QueryBuilder {
    var result = self
    result.query.limit = .last(try checked(limit, "queryLimitedToLast:"))
    return result
  }

  /// Limits the query as in version 2: from the start when there is a starting bound, otherwise from the end.
  func limited(legacy limit: UInt) throws(DatabaseArgumentError) -> QueryBuilder {
    var result = self
    let count = try checked(limit, "queryLimitedToNumberOfChildren:")
    result.query.limit = query.start == nil ? .last(count) : .first(count)
    return result
  }

  // MARK: Bounds

  /// Returns the name of a method, with `childKey:` when it has that argument, for messages.
  private static func name(_ method: String, _ childKey: String?) -> String {
    childKey == nil ? method : method + "childKey:"
  }

  /// Returns the bound for the arguments of a method: a value and a key.
  private func bound(
    _ value: Any?, _ childKey: String?, from method: String
  ) throws(DatabaseArgumentError) -> (value: Scalar?, key: Query.BoundKey?) {
    if childKey != nil, query.order == .key {
      let keyless = method.prefix { $0 != ":" }
      throw Self.error("You must use \(keyless): instead of \(method) when using queryOrderedByKey:")
    }
    let key = try childKey.map { text throws(DatabaseArgumentError) in
      Query.BoundKey.key(try Validation.key(text, from: method))
    }
    return (try ValueReader.bound(value, from: method), key)
  }

  /// Returns this builder. Throws for a method with the argument `childKey:` in key order, where it is invalid even
  /// when it is nil.
  func keyed(_ method: String) throws(DatabaseArgumentError) -> QueryBuilder {
    guard query.order == .key else { return self }
    throw Self.error("You must use \(method) instead of \(method)childKey: when using queryOrderedByKey:")
  }

  func starting(at value: Any?, childKey: String?) throws(DatabaseArgumentError) -> QueryBuilder {
    let method = Self.name("queryStartingAtValue:", childKey)
    let bound = try bound(value, childKey, from: method)
    return try starting(Query.Bound(value: bound.value, key: bound.key), from: method)
  }

  func starting(after value: Any?, childKey: String?) throws(DatabaseArgumentError) -> QueryBuilder {
    let method = "queryStartingAfterValue:childKey:"
    let bound = try bound(value, childKey, from: method)
    return try starting(.after(bound.value, key: bound.key), from: method)
  }

  func ending(at value: Any?, childKey: String?) throws(DatabaseArgumentError) -> QueryBuilder {
    let method = Self.name("queryEndingAtValue:", childKey)
    let bound = try bound(value, childKey, from: method)
    return try ending(Query.Bound(value: bound.value, key: bound.key), from: method)
  }

  func ending(before value: Any?, childKey: String?) throws(DatabaseArgumentError) -> QueryBuilder {
    let method = "queryEndingBeforeValue:childKey:"
    let bound = try bound(value, childKey, from: method)
    return try ending(.before(bound.value, key: bound.key), from: method)
  }

  func equal(to value: Any?, childKey: String?) throws(DatabaseArgumentError) -> QueryBuilder {
    let method = Self.name("queryEqualToValue:", childKey)
    let bound = try bound(value, childKey, from: method)
    guard query.start == nil, query.end == nil else {
      throw Self.error(
        "Can't call \(method) after queryStartingAtValue, queryStartingAfterValue, queryEndingAtValue, "
          + "queryEndingBeforeValue or queryEqualToValue was previously called")
    }
    var result = self
    result.query.start = Query.Bound(value: bound.value, key: bound.key)
    result.query.end = result.query.start
    return try result.checked()
  }

  private func starting(_ bound: Query.Bound, from method: String) throws(DatabaseArgumentError) -> QueryBuilder {
    guard query.start == nil else {
      throw Self.error(
        "Can't call \(method) after queryStartingAtValue, queryStartingAfterValue, or queryEqualToValue was previously "
          + "called")
    }
    var result = self
    result.query.start = bound
    return try result.checked()
  }

  private func ending(_ bound: Query.Bound, from method: String) throws(DatabaseArgumentError) -> QueryBuilder {
    guard query.end == nil else {
      throw Self.error("Can't call \(method) after queryEndingAtValue or queryEqualToValue was previously called")
    }
    var result = self
    result.query.end = bound
    return try result.checked()
  }

  /// Returns the query if its bounds fit its order.
  private func checked() throws(DatabaseArgumentError) -> QueryBuilder {
    switch query.order {
    case .key:
      if let start = query.start { try check(start, Self.startMethods) }
      if let end = query.end { try check(end, Self.endMethods) }
    case .priority:
      if [query.start, query.end].contains(where: { if case .bool? = $0?.value { true } else { false } }) {
        throw Self.error(
          "When using queryOrderedByPriority, values provided to queryStartingAtValue:, queryStartingAfterValue:, "
            + "queryEndingAtValue:, queryEndingBeforeValue:, or queryEqualToValue: must be valid priorities.")
      }
    case .value, .child, nil: break
    }
    return self
  }

  private static let startMethods = (
    keyed: "queryStartingAtValue:childKey:, queryStartingAfterValue:childKey:, or queryEqualTo:andChildKey:",
    plain: "queryStartingAtValue: or queryStartingAfterValue: with non-string types when used with"
  )
  private static let endMethods = (
    keyed: "queryEndingAtValue:childKey: or queryEndingBeforeValue:childKey: queryEqualToValue:childKey:",
    plain: "queryEndingAtValue: or queryEndingBeforeValue: with other types than string in combination with"
  )

  private func check(
    _ bound: Query.Bound, _ methods: (keyed: String, plain: String)
  ) throws(DatabaseArgumentError) {
    if case .key? = bound.key {
      throw Self.error("Can't use \(methods.keyed) in combination with queryOrderedByKey")
    }
    guard case .string? = bound.value else { throw Self.error("Can't use \(methods.plain) queryOrderedByKey") }
  }
}
