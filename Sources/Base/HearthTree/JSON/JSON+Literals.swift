// Literals stand for the same JSON text: `["name": "a", "count": 2, "parts": []]`. `null` must be written
// ``JSON/null``: with a `nil` literal, a comparison of an optional value with `nil` would mean the value `null`.

extension JSON: ExpressibleByDictionaryLiteral {
  /// An object; its members keep their order, and repeated names are kept.
  public init(dictionaryLiteral members: (String, JSON)...) {
    self = .object(members.map { Member($0.0, $0.1) })
  }
}

extension JSON: ExpressibleByArrayLiteral {
  /// An array.
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
}

extension JSON: ExpressibleByStringInterpolation {
  /// A text.
  public init(stringLiteral text: String) { self = .string(text) }
}

extension JSON: ExpressibleByIntegerLiteral {
  /// A whole number.
  public init(integerLiteral value: Int64) { self = .int(value) }
}

extension JSON: ExpressibleByFloatLiteral {
  /// A number that may have a fraction.
  public init(floatLiteral value: Double) { self = .double(value) }
}

extension JSON: ExpressibleByBooleanLiteral {
  /// A truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}
