import HearthTree

/// A checker that resolves the names of one rule and checks its types, with Firebase's error messages.
struct Checker {
  let kind: RuleKind
  /// The wildcards in scope, each with the index in the path of the key that it matched.
  let wildcards: [Key: Int]
  var regexBudget = RegexBudget()
  /// True when the rules were already accepted earlier; restrictions for new rules are then not checked.
  var wasAccepted = false

  /// Checks a rule.
  ///
  /// - Throws: The first problem, in the order of the text.
  func check(rule expression: Expression) throws(ExpressionProblem) -> TypedExpression {
    let typed = try check(expression)
    guard typed.type == .boolean else {
      let help = "Compare it with something, such as == true or != null."
      throw ExpressionProblem("Expression must evaluate to a boolean.", help: help, at: expression.offset)
    }
    return typed
  }

  func check(_ expression: Expression) throws(ExpressionProblem) -> TypedExpression {
    var typed = try resolve(expression)
    typed.range = expression.range
    return typed
  }

  private func resolve(_ expression: Expression) throws(ExpressionProblem) -> TypedExpression {
    let offset = expression.offset
    switch expression.form {
    case .number(let value): return constant(.number(value), .number, offset)
    case .string(let text): return constant(.string(text), .string, offset)
    case .bool(let value): return constant(.bool(value), .boolean, offset)
    case .null: return constant(.null, .null, offset)
    case .regularExpression(let body, let flags):
      _ = try regularExpression(body, flags, at: offset)
      return TypedExpression(form: .unusable, type: .regularExpression, offset: offset)
    case .variable(let name): return try variable(name, at: offset)
    case .array: throw ExpressionProblem("Unexpected array literal.", at: offset)
    case .not(let operand): return try not(operand, at: offset)
    case .negate(let operand): return try negate(operand, at: offset)
    case .all(let operands):
      return TypedExpression(form: .all(try booleans(operands, "&&")), type: .boolean, offset: offset)
    case .any(let operands):
      return TypedExpression(form: .any(try booleans(operands, "||")), type: .boolean, offset: offset)
    case .binary(let binary, let left, let right): return try check(binary, left, right, at: offset)
    case .conditional(let condition, let then, let otherwise):
      return try conditional(condition, then, otherwise, at: offset)
    case .member(let receiver, let name):
      return try member(try check(receiver), name, at: expression.range.upperBound - name.utf8.count)
    case .subscripted(let receiver, let index): return try subscripted(try check(receiver), index)
    case .call(let callee, let arguments): return try call(callee, arguments, at: offset)
    }
  }

  private func constant(_ value: Value, _ type: StaticType, _ offset: Int) -> TypedExpression {
    TypedExpression(form: .constant(value), type: type, offset: offset)
  }

  private func variable(_ name: String, at offset: Int) throws(ExpressionProblem) -> TypedExpression {
    let (form, type): (TypedExpression.Form, StaticType)
    switch name {
    case "auth": (form, type) = (.auth, .auth)
    case "now": (form, type) = (.now, .number)
    case "root": (form, type) = (.snapshot(.root), .snapshot)
    case "data": (form, type) = (.snapshot(.data), .snapshot)
    case "newData":
      if kind == .read { throw ExpressionProblem("newData is invalid in .read expressions.", at: offset) }
      (form, type) = (.snapshot(.newData), .snapshot)
    case "query": (form, type) = (.query, .query)
    default:
      guard let depth = wildcards[Key(name)] else {
        throw ExpressionProblem("Unknown variable '\(name)'.", help: suggestion(for: name), at: offset)
      }
      (form, type) = (.wildcard(depth), .string)
    }
    return TypedExpression(form: form, type: type, offset: offset)
  }

  private func suggestion(for name: String) -> String {
    if name.hasPrefix("$") {
      return wildcards.isEmpty
        ? "No wildcard is in scope here."
        : "In scope here: \(wildcards.keys.sorted().map(\.text).joined(separator: ", "))."
    }
    return "The variables are auth, now, root, data, newData, query and the wildcards of the path."
  }

  // MARK: Operators

  private func not(_ operand: Expression, at offset: Int) throws(ExpressionProblem) -> TypedExpression {
    let typed = try check(operand)
    guard typed.type == .boolean else {
      let help = "Write == false, or == null."
      throw ExpressionProblem("! only operates on booleans.", help: help, at: offset)
    }
    return TypedExpression(form: .not(typed), type: .boolean, offset: offset)
  }

  private func negate(_ operand: Expression, at offset: Int) throws(ExpressionProblem) -> TypedExpression {
    let typed = try check(operand)
    guard typed.type.isNumeric else {
      throw ExpressionProblem("Invalid - expression: operand is not a number.", at: offset)
    }
    return TypedExpression(form: .negate(typed), type: .number, offset: offset)
  }

  private func booleans(_ operands: [Expression], _ sign: String) throws(ExpressionProblem) -> [TypedExpression] {
    var typed: [TypedExpression] = []
    for (index, operand) in operands.enumerated() {
      typed.append(try check(operand))
      guard typed[index].type == .boolean else {
        let side = index == 0 ? "Left" : "Right"
        throw ExpressionProblem(
          "\(side) operand of \(sign) must be boolean.", help: "Write == true, or != null.", at: operand.offset)
      }
    }
    return typed
  }

  private func check(
    _ binary: BinaryOperator, _ left: Expression, _ right: Expression, at offset: Int
  ) throws(ExpressionProblem) -> TypedExpression {
    let (typedLeft, typedRight) = (try check(left), try check(right))
    for (typed, isLeft) in [(typedLeft, true), (typedRight, false)] where !binary.accepts(typed.type) {
      let help: String? =
        switch typed.type {
        case .snapshot: "Use val(), exists() or another method of the snapshot."
        case .method: "Call the method with ()."
        default: nil
        }
      throw ExpressionProblem(
        "Invalid \(binary.rawValue) expression: \(binary.refusal(isLeft: isLeft))", help: help, at: typed.offset)
    }
    if !wasAccepted, binary == .equal || binary == .notEqual {
      try requireLiteral(binary, typedRight, beside: typedLeft, "right")
      try requireLiteral(binary, typedLeft, beside: typedRight, "left")
    }
    return TypedExpression(
      form: .binary(binary, typedLeft, typedRight), type: binary.type(typedLeft.type, typedRight.type), offset: offset)
  }

  /// Requires that `query.orderByChild` is compared only with a literal or with the order of another query.
  private func requireLiteral(
    _ binary: BinaryOperator, _ operand: TypedExpression, beside other: TypedExpression, _ side: String
  ) throws(ExpressionProblem) {
    guard other.type == .ordering, operand.type != .ordering else { return }
    if case .constant = operand.form { return }
    throw ExpressionProblem(
      "Invalid \(binary.rawValue) expression: \(side) operand must be an ordering or string literal when comparing "
        + "against an ordering.", help: "Write the whole path as one string, such as 'members/name'.",
      at: operand.offset)
  }

  private func conditional(
    _ condition: Expression, _ then: Expression, _ otherwise: Expression, at offset: Int
  ) throws(ExpressionProblem) -> TypedExpression {
    let typed = try check(condition)
    guard typed.type == .boolean else {
      throw ExpressionProblem("Condition of ? must be boolean.", at: condition.offset)
    }
    let (first, second) = (try check(then), try check(otherwise))
    return TypedExpression(
      form: .conditional(typed, first, second), type: first.type == second.type ? first.type : .mixed, offset: offset)
  }

  /// Compiles a regular expression's literal.
  func regularExpression(
    _ body: String, _ flags: String, at offset: Int
  ) throws(ExpressionProblem) -> LinearRegex {
    guard flags.isEmpty || flags == "i" else {
      throw ExpressionProblem("regular expressions do not support flags other than i", at: offset)
    }
    do {
      return try regexBudget.compile(body, ignoresCase: flags == "i", at: offset)
    } catch {
      throw ExpressionProblem("Illegal regular expression, \(error.message)", help: error.help, at: offset)
    }
  }
}

extension BinaryOperator {
  func accepts(_ type: StaticType) -> Bool {
    switch self {
    case .equal, .notEqual: type.isComparable
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .add: type.isOrdered
    case .subtract, .multiply, .divide, .remainder: type.isNumeric
    }
  }

  func type(_ left: StaticType, _ right: StaticType) -> StaticType {
    switch self {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: .boolean
    case .add where left == .string || right == .string: .string
    case .add: left == .number && right == .number ? .number : .value
    case .subtract, .multiply, .divide, .remainder: .number
    }
  }

  /// Returns Firebase's message, which differs slightly between operators.
  func refusal(isLeft: Bool) -> String {
    let operand = isLeft ? "left operand" : "right operand"
    switch self {
    case .equal where isLeft: return "\(operand) is not a number, boolean, string, null."
    case .equal, .notEqual: return "\(operand) is not a number, boolean, string, or null."
    case .less, .lessOrEqual, .greater, .greaterOrEqual: return "\(operand) must be a number or string."
    case .add: return "\(operand) is not a number or string."
    case .subtract, .multiply, .divide, .remainder: return "\(operand) is not a number."
    }
  }
}
