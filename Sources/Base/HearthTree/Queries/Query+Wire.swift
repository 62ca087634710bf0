/// An invalid query.
public struct QueryError: Error, Sendable {
  /// The fault. The raw values are stable.
  public enum Code: String, Sendable, CaseIterable {
    /// The query is not a JSON object.
    case notAnObject = "not-an-object"
    /// A member `i` that is neither an order's name nor the path of a child.
    case invalidOrder = "invalid-order"
    /// A bound that is an object or an array, or whose key or inclusiveness has the wrong type.
    case invalidBound = "invalid-bound"
    /// A bound in key order that is not a string.
    case invalidKeyBound = "invalid-key-bound"
    /// A member `l` that is not an integer of at least 1, or a `vf` other than `l` and `r`.
    case invalidLimit = "invalid-limit"
  }

  /// The fault.
  public var code: Code
  /// The message in one sentence, which is sent to the client.
  public var message: String

  /// Creates an error with a message for the developer of the client.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension QueryError: Equatable {
  /// Compares the codes.
  public static func == (a: QueryError, b: QueryError) -> Bool { a.code == b.code }
}

extension QueryError: CustomStringConvertible {
  public var description: String { message }
}

extension Query.BoundKey {
  /// Creates the tie-break key of a bound from a client's text. Four texts that are not valid keys mean the position
  /// before or after all keys; clients use different ones.
  public init(_ text: String) {
    let key = Key(text)
    switch key {
    case "[MIN_NAME]", "[MIN_KEY]": self = .lowest
    case "[MAX_NAME]", "[MAX_KEY]": self = .highest
    default: self = .key(key)
    }
  }
}

extension Query.Bound {
  /// Returns the start of a range that excludes all children up to `value`; of the children with `value`, it excludes
  /// those up to `key`, or all when `key` is nil. In key order `value` is the key.
  public static func after(_ value: Scalar?, key: Query.BoundKey? = nil) -> Self {
    Self(value: value, key: key ?? .highest, isInclusive: false)
  }

  /// Returns the end of a range that excludes all children from `value` on; of the children with `value`, it excludes
  /// those from `key` on, or all when `key` is nil. In key order `value` is the key.
  public static func before(_ value: Scalar?, key: Query.BoundKey? = nil) -> Self {
    Self(value: value, key: key ?? .lowest, isInclusive: false)
  }
}

extension Query {
  /// Reads the query object of the realtime protocol.
  ///
  /// `i` is the order, `sp`, `sn`, `sin` are the start's value, key and inclusiveness, `ep`, `en`, `ein` the end's, `l`
  /// is the limit and `vf` the side (`l` or `r`) that is kept. A bound exists when its value is present, also as
  /// `null`. Without `vf`, a limit counts from the start when there is a start, otherwise from the end. Other members
  /// are ignored.
  public init(wire json: JSON) throws(QueryError) {
    guard json.members != nil else { throw QueryError(.notAnObject, "A query must be a JSON object.") }
    self.init(order: try Self.order(json["i"]))
    start = try Self.bound(json, value: "sp", key: "sn", isInclusive: "sin", order: order)
    end = try Self.bound(json, value: "ep", key: "en", isInclusive: "ein", order: order)
    limit = try Self.limit(json, hasStart: start != nil)
  }

  private static func order(_ json: JSON?) throws(QueryError) -> Order? {
    guard let json else { return nil }
    guard let text = json.string else {
      throw QueryError(.invalidOrder, "The order of a query, i, must be a string.")
    }
    switch text {
    case ".priority": return .priority
    case ".key": return .key
    case ".value": return .value
    default:
      guard let place = try? Location(wire: text), !place.isPriority, !place.path.isRoot else {
        throw QueryError(.invalidOrder, "The order of a query, i, must be .key, .value, .priority or a child's path.")
      }
      return .child(place.path)
    }
  }

  private static func bound(
    _ json: JSON, value valueName: String, key keyName: String, isInclusive inclusiveName: String, order: Order?
  ) throws(QueryError) -> Bound? {
    guard let value = json[valueName] else { return nil }
    var bound = Bound(value: nil)
    switch value {
    case .null: break
    case .bool(let value): bound.value = .bool(value)
    case .int(let value): bound.value = .int(value)
    case .double(let value) where value.isFinite: bound.value = .double(value == 0 ? 0 : value)
    case .string(let text): bound.value = .string(text)
    default:
      throw QueryError(.invalidBound, "A query's bound, \(valueName), must be null, a boolean, a number or a string.")
    }
    if order == .key, value.string == nil {
      throw QueryError(.invalidKeyBound, "In key order a query's bound, \(valueName), must be a string.")
    }
    if let key = json[keyName] {
      guard let text = key.string else {
        throw QueryError(.invalidBound, "The key of a query's bound, \(keyName), must be a string.")
      }
      bound.key = order == .key ? nil : BoundKey(text)
    }
    if let isInclusive = json[inclusiveName] {
      guard let flag = isInclusive.bool else {
        throw QueryError(.invalidBound, "The inclusiveness of a query's bound, \(inclusiveName), must be a boolean.")
      }
      bound.isInclusive = flag
    }
    return bound
  }

  private static func limit(_ json: JSON, hasStart: Bool) throws(QueryError) -> Limit? {
    guard let limit = json["l"] else { return nil }
    guard let count = limit.int, count >= 1 else {
      throw QueryError(.invalidLimit, "The limit of a query, l, must be a whole number from 1 up.")
    }
    guard let side = json["vf"] else { return hasStart ? .first(Int(count)) : .last(Int(count)) }
    switch side.string {
    case "l"?: return .first(Int(count))
    case "r"?: return .last(Int(count))
    default: throw QueryError(.invalidLimit, "The side that a query's limit keeps, vf, must be l or r.")
    }
  }
}

extension Query.BoundKey {
  /// The tie-break key of a bound as the protocol writes it.
  public var text: String {
    switch self {
    case .lowest: "[MIN_NAME]"
    case .highest: "[MAX_NAME]"
    case .key(let key): key.text
    }
  }
}

extension Query {
  /// The query object of the realtime protocol, which ``init(wire:)`` reads back as an equal query. A limit is always
  /// written with its side; an order that was not named is not written.
  public var wire: JSON {
    var members: [JSON.Member] = []
    Self.write(start, value: "sp", key: "sn", isInclusive: "sin", to: &members)
    Self.write(end, value: "ep", key: "en", isInclusive: "ein", to: &members)
    switch limit {
    case .first(let count)?: members += [.init("l", .int(Int64(count))), .init("vf", .string("l"))]
    case .last(let count)?: members += [.init("l", .int(Int64(count))), .init("vf", .string("r"))]
    case nil: break
    }
    switch order {
    case .priority?: members.append(.init("i", .string(".priority")))
    case .key?: members.append(.init("i", .string(".key")))
    case .value?: members.append(.init("i", .string(".value")))
    case .child(let path)?: members.append(.init("i", .string(path.keys.map(\.text).joined(separator: "/"))))
    case nil: break
    }
    return .object(members)
  }

  private static func write(
    _ bound: Bound?, value: String, key: String, isInclusive: String, to members: inout [JSON.Member]
  ) {
    guard let bound else { return }
    members.append(.init(value, bound.value.map(JSON.init) ?? .null))
    if let place = bound.key { members.append(.init(key, .string(place.text))) }
    members.append(.init(isInclusive, .bool(bound.isInclusive)))
  }
}
