/// The type of an expression as known when a rules file is uploaded.
package enum StaticType: Sendable, Equatable {
  case boolean
  case number
  case string
  case null
  case regularExpression
  case snapshot
  /// A method that is named but not called.
  case method
  /// The result of `val()` and `getPriority()`: some primitive, known when the rule runs.
  case value
  /// `auth`, and everything below it.
  case auth
  case query
  /// A bound of `query`: some primitive.
  case queryValue
  /// A limit of `query`: a number, or null.
  case queryLimit
  /// The child that `query` is ordered by.
  case ordering
  /// A conditional whose branches have different types.
  case mixed

  /// True for an operand of `==` and `!=`.
  package var isComparable: Bool {
    switch self {
    case .boolean, .null: true
    default: isOrdered
    }
  }

  /// True for an operand of `<`, `<=`, `>`, `>=` and `+`.
  package var isOrdered: Bool { self == .string || isNumeric }

  /// True for an operand of `-`, `*`, `/` and `%`.
  package var isNumeric: Bool {
    switch self {
    case .number, .value, .auth, .queryValue, .queryLimit, .ordering, .mixed: true
    default: false
    }
  }

  /// True for an argument that takes a string.
  package var isTextual: Bool {
    switch self {
    case .string, .value, .auth, .mixed: true
    default: false
    }
  }
}
