/// An expression with its names resolved and its types found to fit.
struct TypedExpression: Sendable {
  indirect enum Form: Sendable {
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
    case snapshotTest(TypedExpression, SnapshotTest)
    case hasChild(TypedExpression, TypedExpression)
    case hasAllChildren(TypedExpression, [TypedExpression])
    case length(TypedExpression)
    case text(TypedExpression, TextMethod, [TypedExpression])
    case matches(TypedExpression, LinearRegex)
    case not(TypedExpression)
    case negate(TypedExpression)
    case all([TypedExpression])
    case any([TypedExpression])
    case binary(BinaryOperator, TypedExpression, TypedExpression)
    case conditional(TypedExpression, TypedExpression, TypedExpression)
    /// A method, a regular expression or the like as one branch of a conditional: using it is an error.
    case unusable
  }

  let form: Form
  let type: StaticType
  let offset: Int
}

enum SnapshotBase: Sendable, Equatable {
  case root
  case data
  case newData
}

/// A snapshot's methods without arguments that give a value.
enum SnapshotTest: String, Sendable, CaseIterable {
  case val
  case exists
  case isString
  case isNumber
  case isBoolean
  case getPriority
  case hasChildren
}

/// A text's methods that take only texts.
enum TextMethod: String, Sendable, CaseIterable {
  case contains
  case beginsWith
  case endsWith
  case replace
  case toLowerCase
  case toUpperCase

  var argumentCount: Int {
    switch self {
    case .contains, .beginsWith, .endsWith: 1
    case .replace: 2
    case .toLowerCase, .toUpperCase: 0
    }
  }

  var type: StaticType {
    switch self {
    case .contains, .beginsWith, .endsWith: .boolean
    case .replace, .toLowerCase, .toUpperCase: .string
    }
  }
}

enum QueryField: String, Sendable, CaseIterable {
  case orderByKey
  case orderByValue
  case orderByPriority
  case orderByChild
  case startAt
  case endAt
  case equalTo
  case limitToFirst
  case limitToLast

  var type: StaticType {
    switch self {
    case .orderByKey, .orderByValue, .orderByPriority: .boolean
    default: .queryValue
    }
  }
}
