import HearthRules

/// The possible outcomes of a condition, according to its text: they include all real outcomes, and perhaps more.
struct Outcomes: OptionSet {
  let rawValue: UInt8

  static let yes = Outcomes(rawValue: 1)
  static let no = Outcomes(rawValue: 2)
  /// An error, which counts as false for the whole rule.
  static let error = Outcomes(rawValue: 4)
  static let unknown: Outcomes = [.yes, .no, .error]

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(of expression: TypedExpression) {
    switch expression.form {
    case .constant(.bool(let value)): self = value ? .yes : .no
    case .not(let operand): self = Outcomes(of: operand).negated
    case .all(let operands): self = Self.chain(operands, goesOn: .yes, ends: .no)
    case .any(let operands): self = Self.chain(operands, goesOn: .no, ends: .yes)
    case .conditional(let condition, let then, let otherwise):
      let decided = Outcomes(of: condition)
      self = decided.intersection(.error)
      if decided.contains(.yes) { formUnion(Outcomes(of: then)) }
      if decided.contains(.no) { formUnion(Outcomes(of: otherwise)) }
    case .binary(let comparison, let left, let right): self = Self.comparison(comparison, left, right)
    default: self = .unknown
    }
  }

  private var negated: Outcomes {
    var result = intersection(.error)
    if contains(.yes) { result.insert(.no) }
    if contains(.no) { result.insert(.yes) }
    return result
  }

  /// Returns the outcomes of `&&` or `||`, whose operands are evaluated until one determines the result.
  private static func chain(_ operands: [TypedExpression], goesOn: Outcomes, ends: Outcomes) -> Outcomes {
    var result: Outcomes = []
    for operand in operands {
      let outcomes = Outcomes(of: operand)
      result.formUnion(outcomes.subtracting(goesOn))
      guard outcomes.contains(goesOn) else { return result }
    }
    return result.union(goesOn)
  }

  private static func comparison(
    _ comparison: BinaryOperator, _ left: TypedExpression, _ right: TypedExpression
  ) -> Outcomes {
    guard comparison == .equal || comparison == .notEqual else { return .unknown }
    let errors: Outcomes = left.alwaysHasValue && right.alwaysHasValue ? [] : .error
    let (same, different): (Outcomes, Outcomes) = comparison == .equal ? (.yes, .no) : (.no, .yes)
    if let first = left.constant, let second = right.constant {
      return Value.areEqual(first, second) ? same : different
    }
    return errors.union(ValueKinds(of: left).isDisjoint(with: ValueKinds(of: right)) ? different : [same, different])
  }
}

extension TypedExpression {
  /// True when its evaluation never fails, for any data and client.
  var alwaysHasValue: Bool {
    switch form {
    case .constant, .wildcard, .now, .auth: true
    case .claim(let receiver, _): receiver.alwaysHasValue
    default: false
    }
  }

  /// The value of a literal; nil for other expressions.
  var constant: Value? {
    switch form {
    case .constant(let value): value
    case .negate(let operand): if case .number(let value)? = operand.constant { .number(-value) } else { nil }
    default: nil
    }
  }
}

/// The types of values that an expression can have. Nodes with children are omitted, because they are not equal to any
/// value.
struct ValueKinds: OptionSet {
  let rawValue: UInt8

  static let null = ValueKinds(rawValue: 1)
  static let boolean = ValueKinds(rawValue: 2)
  static let number = ValueKinds(rawValue: 4)
  static let string = ValueKinds(rawValue: 8)
  static let any: ValueKinds = [.null, .boolean, .number, .string]

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(of expression: TypedExpression) {
    if case .claim(let receiver, let name) = expression.form, case .auth = receiver.form {
      self = name == "uid" || name == "provider" ? [.string, .null] : .any
      return
    }
    switch expression.type {
    case .boolean: self = .boolean
    case .number: self = .number
    case .string: self = .string
    case .null: self = .null
    default: self = .any
    }
  }
}
