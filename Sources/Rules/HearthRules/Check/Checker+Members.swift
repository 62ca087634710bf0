extension Checker {
  /// `receiver.name`, or `receiver['name']`.
  func member(_ receiver: TypedExpression, _ name: String, at offset: Int) throws(ExpressionProblem) -> TypedExpression
  {
    func typed(_ form: TypedExpression.Form, _ type: StaticType) -> TypedExpression {
      TypedExpression(form: form, type: type, offset: receiver.offset)
    }
    switch receiver.type {
    case .auth:
      return typed(name == "length" ? .length(receiver) : .claim(receiver, name: name), .auth)
    case .query:
      if let field = QueryField(rawValue: name) { return typed(.queryField(receiver, field), field.type) }
    case .snapshot:
      if RulesFunction.named(name, of: .snapshot) != nil { return typed(.unusable, .method) }
    case .string, .value, .queryValue:
      switch RulesFunction.named(name, of: .text) {
      case .length: return typed(.length(receiver), .number)
      case .some: return typed(.unusable, .method)
      case nil: break
      }
    case .boolean, .number, .null, .regularExpression, .queryLimit, .ordering, .mixed, .method:
      throw ExpressionProblem("Invalid property access: target is not an object.", at: offset)
    }
    throw ExpressionProblem(
      "No such method/property '\(name)'.", help: Self.memberHelp(receiver.type), at: offset)
  }

  private static func memberHelp(_ type: StaticType) -> String {
    switch type {
    case .query: "query has \(QueryField.allCases.map(\.rawValue).joined(separator: ", "))."
    case .snapshot: "A snapshot has \(RulesFunction.names(of: .snapshot).sorted().joined(separator: ", "))."
    default: "A string has \(RulesFunction.names(of: .text).joined(separator: ", "))."
    }
  }

  func subscripted(_ receiver: TypedExpression, _ index: Expression) throws(ExpressionProblem) -> TypedExpression {
    switch index.form {
    case .string(let name): return try member(receiver, name, at: index.offset)
    case .number(let value) where receiver.type != .auth:
      return try member(receiver, NumberText.of(value), at: index.offset)
    default: break
    }
    guard receiver.type == .auth else {
      throw ExpressionProblem(
        "Invalid property access: only auth takes a computed property name.", at: index.offset)
    }
    let typed = try check(index)
    guard typed.type.isOrdered else {
      throw ExpressionProblem("Invalid property access: property name is not a string or number.", at: index.offset)
    }
    return TypedExpression(form: .claimIndex(receiver, typed), type: .auth, offset: receiver.offset)
  }

  // MARK: Calls

  func call(
    _ callee: Expression, _ arguments: [Expression], at offset: Int
  ) throws(ExpressionProblem) -> TypedExpression {
    guard let (receiverExpression, name) = Self.method(callee) else {
      _ = try check(callee)
      throw Self.notAFunction(at: offset)
    }
    let receiver = try check(receiverExpression)
    if receiver.type != .auth {
      let member = try member(receiver, name, at: callee.range.upperBound - name.utf8.count)
      guard member.type == .method else { throw Self.notAFunction(at: offset) }
    }
    guard let function = RulesFunction.named(name, of: receiver.type == .snapshot ? .snapshot : .text) else {
      throw Self.notAFunction(at: offset)
    }
    let descriptor = function.descriptor
    let form: TypedExpression.Form
    switch descriptor.parameters {
    case .property: throw Self.notAFunction(at: offset)
    case .pattern: form = .matches(receiver, try pattern(arguments, at: offset))
    case .optionalNames where !arguments.isEmpty:
      form = .hasAllChildren(receiver, try childNames(arguments, at: offset))
    case .optionalNames: form = Self.form(function, receiver, [])
    case .texts(let parameters):
      let typed = try texts(arguments, of: name, count: parameters.count, at: offset)
      form = Self.form(function, receiver, typed)
    }
    return TypedExpression(form: form, type: descriptor.type, offset: offset)
  }

  private static func form(
    _ function: RulesFunction, _ receiver: TypedExpression, _ arguments: [TypedExpression]
  ) -> TypedExpression.Form {
    switch function {
    case .snapshot(let function): .snapshotTest(receiver, function)
    case .text(let function): .text(receiver, function, arguments)
    case .child: .child(receiver, arguments[0])
    case .parent: .parent(receiver)
    case .hasChild: .hasChild(receiver, arguments[0])
    case .length, .matches: .unusable  // because they have no text arguments
    }
  }

  /// Returns the receiver and the name of `receiver.name` and `receiver['name']`.
  private static func method(_ callee: Expression) -> (Expression, String)? {
    switch callee.form {
    case .member(let receiver, let name): return (receiver, name)
    case .subscripted(let receiver, let index):
      if case .string(let name) = index.form { return (receiver, name) }
      return nil
    default: return nil
    }
  }

  private static func notAFunction(at offset: Int) -> ExpressionProblem {
    ExpressionProblem("Type error: Function call on target that is not a function.", at: offset)
  }

  /// Checks arguments that must be texts.
  private func texts(
    _ arguments: [Expression], of name: String, count: Int, at offset: Int
  ) throws(ExpressionProblem) -> [TypedExpression] {
    guard arguments.count == count else {
      let expected = count == 0 ? "no arguments" : count == 1 ? "1 argument" : "two arguments"
      throw ExpressionProblem("\(name)() expects \(expected).", at: offset)
    }
    var typed: [TypedExpression] = []
    for (index, argument) in arguments.enumerated() {
      typed.append(try check(argument))
      guard typed[index].type.isTextual else {
        throw ExpressionProblem(
          count == 1 ? "\(name)() expects a string argument." : "Argument \(index + 1) of \(name)() must be a string.",
          at: argument.offset)
      }
    }
    return typed
  }

  private func childNames(_ arguments: [Expression], at offset: Int) throws(ExpressionProblem) -> [TypedExpression] {
    guard arguments.count == 1 else {
      throw ExpressionProblem(
        "hasChildren() expects only a single argument (containing an array of child names).",
        help: "Write hasChildren(['a', 'b']).", at: offset)
    }
    guard case .array(let elements) = arguments[0].form else {
      _ = try check(arguments[0])
      throw ExpressionProblem("hasChildren() expects an array of child names.", at: arguments[0].offset)
    }
    var names: [TypedExpression] = []
    for element in elements {
      let typed = try check(element)
      guard typed.type.isTextual else {
        throw ExpressionProblem("hasChildren() expects an array of strings.", at: element.offset)
      }
      names.append(typed)
    }
    return names
  }

  private func pattern(_ arguments: [Expression], at offset: Int) throws(ExpressionProblem) -> LinearRegex {
    guard arguments.count == 1 else {
      throw ExpressionProblem("matches() expects 1 regular expression literal argument.", at: offset)
    }
    guard case .regularExpression(let body, let flags) = arguments[0].form else {
      _ = try check(arguments[0])
      throw ExpressionProblem(
        "matches() expects a regular expression literal argument.", help: "Write it as /…/, without quotes.",
        at: arguments[0].offset)
    }
    return try regularExpression(body, flags, at: arguments[0].offset)
  }
}
