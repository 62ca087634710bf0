import HearthTree

extension Explanation {
  /// The explanation for programs; the guide describes its members.
  public var json: JSON {
    var members: [JSON.Member] = [
      .init("allowed", .bool(decision.isAllowed)), .init("operation", .string(operation)),
      .init("path", .string(path.description)), .init("outcome", .string(decision.outcome.rawValue)),
      .init("summary", .string(summary)), .init("rule", decision.rule.map(Self.json) ?? .null),
    ]
    if let error = decision.error { members.append(.init("error", .string(error.code.rawValue))) }
    if let decisive = decidingVisit?.decisive { members.append(.init("decisive", decisive.json)) }
    members.append(.init("trace", .array(decision.visited.map(\.json))))
    if let count = decision.trace?.omittedCount, count > 0 { members.append(.init("omitted", .int(Int64(count)))) }
    return .object(members)
  }

  static func json(_ rule: RuleReference) -> JSON {
    .object(
      [
        .init("path", .string(rule.pathTemplate)), .init("kind", .string(rule.kind.rawValue)),
        .init("line", .int(Int64(rule.line))), .init("column", .int(Int64(rule.column))),
      ] + (rule.file.map { [.init("file", .string($0))] } ?? []))
  }
}

extension RuleVisit {
  fileprivate var json: JSON {
    var members = Explanation.json(rule).members ?? []
    members.append(.init("at", .string(path.description)))
    switch result {
    case .value(let value): members.append(.init("value", .bool(value)))
    case .error(let error): members.append(.init("error", .string(error.code.rawValue)))
    }
    if let expression { members.append(.init("expression", expression.json)) }
    if let decisive { members.append(.init("decisive", decisive.json)) }
    members.append(.init("reads", .array(reads.map(\.json))))
    if isCut { members.append(.init("cut", .bool(true))) }
    return .object(members)
  }
}

extension TracedExpression {
  // Levels are those of the rule, which the file bounds.
  fileprivate var json: JSON {
    var members: [JSON.Member] = [
      .init("text", .string(text)), .init("line", .int(Int64(line))), .init("column", .int(Int64(column))),
      .init("endLine", .int(Int64(endLine))), .init("endColumn", .int(Int64(endColumn))),
    ]
    switch result {
    case .notReached: members.append(.init("reached", .bool(false)))
    case .value(let value): members.append(.init("value", value.json))
    case .error(let code): members.append(.init("error", .string(code.rawValue)))
    }
    if !operands.isEmpty { members.append(.init("operands", .array(operands.map(\.json)))) }
    return .object(members)
  }
}

extension TracedRead {
  fileprivate var json: JSON {
    .object([
      .init("path", .string(path.description)), .init("after", .bool(isAfter)), .init("aspect", .string(aspect)),
      .init("value", value.json),
    ])
  }
}

extension TracedValue {
  /// A primitive as itself; everything else as an object with one member that names its kind.
  fileprivate var json: JSON {
    switch self {
    case .null: .null
    case .bool(let value): .bool(value)
    case .number(let value): value.isFinite ? .double(value) : Self.object("number", .string(NumberText.of(value)))
    case .text(let text, let sizeBytes):
      text.utf8.count == sizeBytes
        ? .string(text) : .object([.init("text", .string(text)), .init("bytes", .int(Int64(sizeBytes)))])
    case .container: Self.object("container", .bool(true))
    case .claim(let text): Self.object("claim", .string(text))
    case .snapshot(let path, let isAfter, let value):
      Self.object(
        "snapshot",
        .object([
          .init("path", .string(path.description)), .init("after", .bool(isAfter)), .init("value", value.json),
        ]))
    }
  }

  private static func object(_ name: String, _ value: JSON) -> JSON { .object([.init(name, value)]) }
}
