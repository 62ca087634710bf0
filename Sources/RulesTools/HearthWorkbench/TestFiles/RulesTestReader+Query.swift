import HearthTree

extension RulesTestReader {
  private static let orders = ["orderByKey", "orderByValue", "orderByPriority", "orderByChild"]
  private static let starts = ["startAt", "startAfter", "equalTo"]
  private static let ends = ["endAt", "endBefore", "equalTo"]
  private static let limits = ["limitToFirst", "limitToLast"]

  /// Returns a query, whose members have the names of the SDK's methods and of the properties of `query` in rules.
  func query(_ value: LocatedValue) throws(DocumentProblem) -> Query {
    let bounds = ["startAt", "startAfter", "endAt", "endBefore", "equalTo"]
    let object = try LocatedObject(value, in: document, noun: "a query", names: Self.orders + bounds + Self.limits)
    var query = Query(order: try order(object))
    if let name = try only(Self.starts, of: object), let value = object[name] {
      let point = try point(value)
      query.start = name == "startAfter" ? .after(point) : Query.Bound(value: point)
    }
    if let name = try only(Self.ends, of: object), let value = object[name] {
      let point = try point(value)
      query.end = name == "endBefore" ? .before(point) : Query.Bound(value: point)
    }
    if let name = try only(Self.limits, of: object) {
      let count = try object.int(name, "a number of children", in: 1...Int64(Int32.max)) ?? 1
      query.limit = name == "limitToFirst" ? .first(Int(count)) : .last(Int(count))
    }
    return query
  }

  private func order(_ object: LocatedObject) throws(DocumentProblem) -> Query.Order? {
    guard let name = try only(Self.orders, of: object), let value = object[name] else { return nil }
    if name == "orderByChild" {
      let location = try location(value, allowsPriority: false)
      guard !location.path.isRoot else { throw document.problem("'orderByChild' must name a child.", at: value.place) }
      return .child(location.path)
    }
    guard try object.bool(name) == true else {
      throw document.problem("'\(name)' must be true or missing.", at: value.place)
    }
    switch name {
    case "orderByKey": return .key
    case "orderByValue": return .value
    default: return .priority
    }
  }

  /// Returns the name that is present in the object; nil when none is. More than one is an error.
  private func only(_ names: [String], of object: LocatedObject) throws(DocumentProblem) -> String? {
    let found = names.filter { object[$0] != nil }
    if found.count > 1 { try refuse([found[1]], of: object, beside: found[0]) }
    return found.first
  }

  private func point(_ value: LocatedValue) throws(DocumentProblem) -> Scalar? {
    switch value.form {
    case .null: return nil
    case .bool(let value): return .bool(value)
    case .int(let value): return .int(value)
    case .double(let value): return .double(value == 0 ? 0 : value)
    case .string(let text): return .string(text)
    case .array, .object:
      throw document.problem("A query's bound must be a single value, not \(value.kind).", at: value.place)
    }
  }
}
