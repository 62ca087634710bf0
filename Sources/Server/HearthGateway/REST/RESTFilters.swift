import HearthTree

/// The parsing of the parameters that select some of the children of a path, and their order.
///
/// `orderBy` is a JSON string with its quotes; bounds are JSON values, behind which a comma and a JSON string may name
/// a key that breaks ties. The texts of refusals are interface: developers search for them.
package enum RESTFilters {
  private static let bounds = ["startAt", "startAfter", "endAt", "endBefore", "equalTo"]
  private static let limits = ["limitToFirst", "limitToLast"]

  /// Returns the query of a request; nil for the whole value.
  ///
  /// - Throws: 400 with Firebase's text for parameters that contradict each other or cannot be parsed.
  package static func query(_ query: URLQuery) throws(RESTFailure) -> Query? {
    guard let text = try query.single("orderBy") else {
      guard query.first(of: bounds + limits) == nil else { throw .orderMissing }
      return nil
    }
    guard case .string(let name)? = JSON(parsing: text.utf8), let order = order(named: name) else {
      throw .orderInvalid
    }
    return try Self.query(query, by: order, isLenient: false)
  }

  /// Returns the page of a shallow read; nil for all keys.
  ///
  /// Tools list the keys of a path page by page: without `orderBy` the order is that of the keys. They write names and
  /// keys without quotes as well, so a text that is no JSON string is taken as it is.
  static func page(_ query: URLQuery) throws(RESTFailure) -> Query? {
    guard let text = try query.single("orderBy") else {
      guard query.first(of: bounds + limits) != nil else { return nil }
      return try Self.query(query, by: .key, isLenient: true)
    }
    guard let order = order(named: JSON(parsing: text.utf8)?.string ?? text) else { throw .orderInvalid }
    return try Self.query(query, by: order, isLenient: true)
  }

  private static func query(
    _ parameters: URLQuery, by order: Query.Order, isLenient: Bool
  ) throws(RESTFailure) -> Query {
    var query = Query(order: order)
    for name in bounds {
      guard let text = try parameters.single(name) else { continue }
      let point = try point(text, of: order, isLenient: isLenient)
      switch name {
      case "startAt", "startAfter":
        guard query.start == nil else { throw .twice("startAt", "startAfter") }
        query.start = name == "startAt" ? point : .after(point.value, key: point.key)
      case "endAt", "endBefore":
        guard query.end == nil else { throw .twice("endAt", "endBefore") }
        query.end = name == "endAt" ? point : .before(point.value, key: point.key)
      default:
        guard query.start == nil, query.end == nil else { throw .equalToWithBound }
        query.start = point
        query.end = point
      }
    }
    query.limit = try limit(parameters)
    return query
  }

  // MARK: Order

  private static func order(named name: String) -> Query.Order? {
    switch name {
    case "$key": return .key
    case "$value": return .value
    case "$priority": return .priority
    default:
      guard let location = try? Location(wire: name), !location.isPriority, !location.path.isRoot,
        name.utf8.first != UInt8(ascii: "/")
      else { return nil }
      return .child(location.path)
    }
  }

  // MARK: Bounds

  /// Parses a bound such as `5`, `"a"`, `null`, `5,"key"`.
  private static func point(
    _ text: String, of order: Query.Order, isLenient: Bool
  ) throws(RESTFailure) -> Query.Bound {
    guard let (value, key) = constraint(text) else {
      guard isLenient else { throw .boundInvalid }
      return Query.Bound(value: .string(text))
    }
    guard order == .key else { return Query.Bound(value: value, key: key.map { Query.BoundKey($0) }) }
    // The value is the key here, and a second one is ignored.
    if case .string? = value { return Query.Bound(value: value) }
    guard isLenient else { throw .keyBoundInvalid }
    return Query.Bound(value: .string(text))
  }

  /// Parses a constraint; nil when the text is not a JSON primitive, alone or followed by a comma and a JSON string.
  private static func constraint(_ text: String) -> (value: Scalar?, key: String?)? {
    let bytes = Array(text.utf8)
    return bytes.withUnsafeBytes { bytes in
      var reader = JSONReader(bytes)
      guard let json = try? reader.value(), let value = Self.value(json) else { return nil }
      let rest = bytes[reader.offset...].drop { $0 == 0x20 || $0 == 0x09 }
      guard let comma = rest.first else { return (value.scalar, nil) }
      let second = rest.dropFirst()
      guard comma == UInt8(ascii: ",") else { return nil }
      guard !second.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else { return (value.scalar, nil) }
      guard case .string(let key)? = JSON(parsing: second) else { return nil }
      return (value.scalar, key)
    }
  }

  private enum Value {
    case null
    case some(Scalar)

    var scalar: Scalar? { if case .some(let scalar) = self { scalar } else { nil } }
  }

  private static func value(_ json: JSON) -> Value? {
    switch json {
    case .null: .null
    case .bool(let value): .some(.bool(value))
    case .int(let value): .some(.int(value))
    case .double(let value): .some(.double(value))
    case .string(let text): .some(.string(text))
    case .array, .object: nil
    }
  }

  // MARK: Limits

  private static func limit(_ query: URLQuery) throws(RESTFailure) -> Query.Limit? {
    let (first, last) = (try query.single("limitToFirst"), try query.single("limitToLast"))
    guard first == nil || last == nil else { throw .bothLimits }
    if let first { return .first(try count(first, "limitToFirst")) }
    if let last { return .last(try count(last, "limitToLast")) }
    return nil
  }

  /// Parses a limit; one that is larger than any number of children is reduced to the largest.
  private static func count(_ text: String, _ name: String) throws(RESTFailure) -> Int {
    let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
    guard !digits.isEmpty, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
      throw RESTFailure(400, "\(name) must be an integer")
    }
    let count = Int(text) ?? (text.utf8.first == UInt8(ascii: "-") ? -1 : .max)
    guard count > 0 else { throw RESTFailure(400, "\(name) must be positive") }
    return min(count, Int(Int32.max))
  }
}

extension RESTFailure {
  static let orderMissing = RESTFailure(400, "orderBy must be defined when other query parameters are defined")
  static let orderInvalid = RESTFailure(400, "orderBy must be a valid JSON encoded path")
  static let boundInvalid = RESTFailure(400, "Constraint index field must be a JSON primitive")
  static let keyBoundInvalid = RESTFailure(400, "Provided key index type is invalid, must be string")
  static let bothLimits = RESTFailure(400, "Only one of limitToFirst and limitToLast may be specified")
  static let equalToWithBound = RESTFailure(
    400, "equalTo cannot be specified in addition to startAfter, startAt, endAt, or endBefore")

  fileprivate static func twice(_ a: String, _ b: String) -> RESTFailure {
    RESTFailure(400, "Only one of \(a) and \(b) may be specified")
  }
}
