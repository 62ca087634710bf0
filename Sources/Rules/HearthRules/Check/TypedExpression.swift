/// An expression with its names resolved and its types checked.
package struct TypedExpression: Sendable {
  /// The kind of expression, with its operands.
  package indirect enum Form: Sendable {
    case constant(Value)
    case now
    /// The key that a wildcard matched, by its index in the path.
    case wildcard(Int)
    case auth
    case claim(TypedExpression, name: String)
    case claimIndex(TypedExpression, TypedExpression)
    case query
    case queryField(TypedExpression, QueryField)
    case snapshot(SnapshotBase)
    case child(TypedExpression, TypedExpression)
    case parent(TypedExpression)
    case snapshotTest(TypedExpression, SnapshotFunction)
    case hasChild(TypedExpression, TypedExpression)
    case hasAllChildren(TypedExpression, [TypedExpression])
    case length(TypedExpression)
    case text(TypedExpression, TextFunction, [TypedExpression])
    case matches(TypedExpression, LinearRegex)
    case not(TypedExpression)
    case negate(TypedExpression)
    /// An `&&` of two operands or more.
    case all([TypedExpression])
    /// An `||` of two operands or more.
    case any([TypedExpression])
    case binary(BinaryOperator, TypedExpression, TypedExpression)
    case conditional(TypedExpression, TypedExpression, TypedExpression)
    /// A value that cannot be used, such as a method or a regular expression as a branch of a conditional; using it is
    /// an error.
    case unusable
  }

  /// The kind of the expression, with its operands.
  package let form: Form
  /// The static type.
  package let type: StaticType
  /// The byte of the rule's text at which an evaluation error is reported.
  package let offset: Int
  /// The range of the expression in the rule's text, in UTF-8 bytes, including surrounding parentheses.
  package internal(set) var range: Range<Int>

  init(form: Form, type: StaticType, offset: Int) {
    self.form = form
    self.type = type
    self.offset = offset
    range = offset..<offset
  }

  /// Creates the expression of a rule that is written as the JSON value `true` or `false` instead of a text.
  init(constant value: Bool, text: String) {
    self.init(form: .constant(.bool(value)), type: .boolean, offset: 0)
    range = 0..<text.utf8.count
  }
}

/// The variable with which a snapshot expression begins.
package enum SnapshotBase: Sendable, Equatable {
  case root
  case data
  case newData
}

/// A property of `query`.
package enum QueryField: String, Sendable, CaseIterable {
  case orderByKey
  case orderByValue
  case orderByPriority
  case orderByChild
  case startAt
  case endAt
  case equalTo
  case limitToFirst
  case limitToLast

  /// The type of the property.
  package var type: StaticType {
    switch self {
    case .orderByKey, .orderByValue, .orderByPriority: .boolean
    case .orderByChild: .ordering
    case .startAt, .endAt, .equalTo: .queryValue
    case .limitToFirst, .limitToLast: .queryLimit
    }
  }
}
