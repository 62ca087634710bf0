import HearthTree

extension Explanation {
  /// The explanation as JSON; the guide describes its members.
  public var json: JSON {
    var json: JSON = [
      "allowed": .bool(decision.isAllowed), "operation": .string(operation), "path": .string(path.description),
      "outcome": .string(decision.outcome.rawValue), "summary": .string(summary),
      "rule": decision.rule.map(Self.json) ?? .null,
    ]
    if let error = decision.error { json["error"] = .string(error.code.rawValue) }
    if let decisive = decidingVisit?.decisive { json["decisive"] = decisive.json }
    json["trace"] = .array(decision.visited.map(\.json))
    if let count = decision.trace?.omittedCount, count > 0 { json["omitted"] = .int(Int64(count)) }
    return json
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
  // The recursion is as deep as the rule's expression, whose depth is limited.
  fileprivate var json: JSON {
    var json: JSON = [
      "text": .string(text), "line": .int(Int64(line)), "column": .int(Int64(column)), "endLine": .int(Int64(endLine)),
      "endColumn": .int(Int64(endColumn)),
    ]
    switch result {
    case .notReached: json["reached"] = false
    case .value(let value): json["value"] = value.json
    case .error(let code): json["error"] = .string(code.rawValue)
    }
    if !operands.isEmpty { json["operands"] = .array(operands.map(\.json)) }
    return json
  }
}

extension TracedRead {
  fileprivate var json: JSON {
    ["path": .string(path.description), "after": .bool(isAfter), "aspect": .string(aspect), "value": value.json]
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
        ? .string(text) : ["text": .string(text), "bytes": .int(Int64(sizeBytes))]
    case .container: Self.object("container", .bool(true))
    case .claim(let text): Self.object("claim", .string(text))
    case .snapshot(let path, let isAfter, let value):
      Self.object(
        "snapshot",
        ["path": .string(path.description), "after": .bool(isAfter), "value": value.json])
    }
  }

  private static func object(_ name: String, _ value: JSON) -> JSON { [name: value] }
}
