/// The type of an expression as known when a rules file is compiled.
package enum StaticType: Sendable, Equatable {
  case boolean
  case number
  case string
  case null
  case regularExpression
  case snapshot
  /// A method that is named but not called.
  case method
  /// The result of `val()` and `getPriority()`: a primitive value, whose type is only known when the rule runs.
  case value
  /// `auth`, and everything below it.
  case auth
  case query
  /// A bound of `query`: a primitive value.
  case queryValue
  /// A limit of `query`: a number, or null.
  case queryLimit
  /// The type of `query.orderByChild`.
  case ordering
  /// A conditional whose branches have different types.
  case mixed

  /// True for a type of the operands of `==` and `!=`.
  package var isComparable: Bool {
    switch self {
    case .boolean, .null: true
    default: isOrdered
    }
  }

  /// True for a type of the operands of `<`, `<=`, `>`, `>=` and `+`.
  package var isOrdered: Bool { self == .string || isNumeric }

  /// True for a type of the operands of `-`, `*`, `/` and `%`.
  package var isNumeric: Bool {
    switch self {
    case .number, .value, .auth, .queryValue, .queryLimit, .ordering, .mixed: true
    default: false
    }
  }

  /// True for a type of arguments that must be strings.
  package var isTextual: Bool {
    switch self {
    case .string, .value, .auth, .mixed: true
    default: false
    }
  }
}
