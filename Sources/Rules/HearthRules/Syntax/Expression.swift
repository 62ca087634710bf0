/// The syntax tree of a rule, before names and types are checked.
struct Expression: Sendable {
  indirect enum Form: Sendable {
    case number(Double)
    case string(String)
    case bool(Bool)
    case null
    case regularExpression(body: String, flags: String)
    case variable(String)
    case array([Expression])
    case not(Expression)
    case negate(Expression)
    /// A chain of one operator with two operands or more, left to right: it is one node, so that long chains are not
    /// nested.
    case all([Expression])
    case any([Expression])
    case binary(BinaryOperator, Expression, Expression)
    case conditional(Expression, then: Expression, otherwise: Expression)
    /// A member, `receiver.name`.
    case member(Expression, name: String)
    /// A member by index, `receiver[index]`.
    case subscripted(Expression, index: Expression)
    case call(Expression, [Expression])
  }

  let form: Form
  /// The range in the rule's text, in UTF-8 bytes, including surrounding parentheses.
  let range: Range<Int>
  /// The byte at which a problem with this expression is reported: the first one inside the parentheses.
  let offset: Int
  /// The number of levels of this expression, to limit recursion.
  let height: Int
}

/// An operator with two operands.
package enum BinaryOperator: String, Sendable, CaseIterable {
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  case remainder = "%"

  /// Returns the operator of a mark, and its precedence; `===` and `!==` are `==` and `!=`.
  static func of(_ mark: Mark) -> (operator: BinaryOperator, precedence: Int)? {
    switch mark {
    case .equal, .identical: (.equal, 1)
    case .notEqual, .notIdentical: (.notEqual, 1)
    case .less: (.less, 2)
    case .lessOrEqual: (.lessOrEqual, 2)
    case .greater: (.greater, 2)
    case .greaterOrEqual: (.greaterOrEqual, 2)
    case .plus: (.add, 3)
    case .minus: (.subtract, 3)
    case .times: (.multiply, 4)
    case .divide: (.divide, 4)
    case .remainder: (.remainder, 4)
    default: nil
    }
  }
}
