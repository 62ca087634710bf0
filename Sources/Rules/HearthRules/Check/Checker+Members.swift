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
      if Self.snapshotMethods.contains(name) { return typed(.unusable, .method) }
    case .string, .value, .queryValue:
      if name == "length" { return typed(.length(receiver), .number) }
      if name == "matches" || TextMethod(rawValue: name) != nil { return typed(.unusable, .method) }
    case .boolean, .number, .null, .regularExpression, .queryLimit, .ordering, .mixed, .method:
      throw ExpressionProblem("Invalid property access: target is not an object.", at: offset)
    }
    throw ExpressionProblem(
      "No such method/property '\(name)'.", help: Self.memberHelp(receiver.type), at: offset)
  }

  private static let snapshotMethods: Set<String> =
    Set(SnapshotTest.allCases.map(\.rawValue)).union(["child", "hasChild", "parent"])

  private static func memberHelp(_ type: StaticType) -> String {
    switch type {
    case .query: "query has \(QueryField.allCases.map(\.rawValue).joined(separator: ", "))."
    case .snapshot: "A snapshot has \(snapshotMethods.sorted().joined(separator: ", "))."
    default: "A text has length, matches, \(TextMethod.allCases.map(\.rawValue).joined(separator: ", "))."
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
    if receiver.type == .snapshot { return try snapshotCall(receiver, name, arguments, at: offset) }
    if name == "matches" { return try matches(receiver, arguments, at: offset) }
    guard let method = TextMethod(rawValue: name) else { throw Self.notAFunction(at: offset) }
    let typed = try texts(arguments, of: name, count: method.argumentCount, at: offset)
    return TypedExpression(form: .text(receiver, method, typed), type: method.type, offset: offset)
  }

  /// Receiver and name of `receiver.name` and `receiver['name']`.
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

  private func snapshotCall(
    _ receiver: TypedExpression, _ name: String, _ arguments: [Expression], at offset: Int
  ) throws(ExpressionProblem) -> TypedExpression {
    func typed(_ form: TypedExpression.Form, _ type: StaticType) -> TypedExpression {
      TypedExpression(form: form, type: type, offset: offset)
    }
    switch name {
    case "child":
      let path = try texts(arguments, of: name, count: 1, at: offset)
      return typed(.child(receiver, path[0]), .snapshot)
    case "hasChild":
      let path = try texts(arguments, of: name, count: 1, at: offset)
      return typed(.hasChild(receiver, path[0]), .boolean)
    case "hasChildren" where !arguments.isEmpty:
      return typed(.hasAllChildren(receiver, try childNames(arguments, at: offset)), .boolean)
    case "parent":
      _ = try texts(arguments, of: name, count: 0, at: offset)
      return typed(.parent(receiver), .snapshot)
    default:
      guard let test = SnapshotTest(rawValue: name) else { throw Self.notAFunction(at: offset) }
      _ = try texts(arguments, of: name, count: 0, at: offset)
      return typed(.snapshotTest(receiver, test), test == .val || test == .getPriority ? .value : .boolean)
    }
  }

  /// Arguments that must be texts.
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

  private func matches(
    _ receiver: TypedExpression, _ arguments: [Expression], at offset: Int
  ) throws(ExpressionProblem) -> TypedExpression {
    guard arguments.count == 1 else {
      throw ExpressionProblem("matches() expects 1 regular expression literal argument.", at: offset)
    }
    guard case .regularExpression(let body, let flags) = arguments[0].form else {
      _ = try check(arguments[0])
      throw ExpressionProblem(
        "matches() expects a regular expression literal argument.", help: "Write it as /…/, without quotes.",
        at: arguments[0].offset)
    }
    let regex = try regularExpression(body, flags, at: arguments[0].offset)
    return TypedExpression(form: .matches(receiver, regex), type: .boolean, offset: offset)
  }
}
