import HearthTree

extension RulesTestReport {
  /// The report as one object, which the guide describes.
  var json: JSON {
    .object(
      [
        .init("passed", .int(Int64(passedCount))), .init("failed", .int(Int64(failedCount))),
        .init("milliseconds", .double((elapsedMilliseconds * 1000).rounded() / 1000)),
        .init("files", .array(files.map(Self.json))),
        .init("problems", .array(problems.map(\.json))),
      ] + (coverage.map { [.init("coverage", $0.json)] } ?? []))
  }

  private static func json(_ file: File) -> JSON {
    .object([
      .init("file", .string(file.test.document.file)), .init("rules", .string(file.rulesFile)),
      .init("cases", .array(file.results.map { json($0, file) })),
    ])
  }

  private static func json(_ result: RulesTestResult, _ file: File) -> JSON {
    var members: [JSON.Member] = [.init("name", .string(result.testCase.name))]
    let failure = FailureText(result, in: file)
    let position = file.test.document.position(of: result.testCase.place)
    let place = failure?.place ?? (line: position.line, column: position.column)
    members += [
      .init("line", .int(Int64(place.line))), .init("column", .int(Int64(place.column))),
      .init("passed", .bool(failure == nil)),
    ]
    guard let failure else { return .object(members) }
    members += [
      .init("request", .string(failure.request)), .init("message", .string(failure.summary)),
      .init("allowed", failure.decision.map { .bool($0.isAllowed) } ?? .null),
      .init("rule", failure.decision?.rule.map { .string($0.name) } ?? .null),
      .init("trace", .array(failure.trace().map { .string($0) })),
    ]
    return .object(members)
  }
}

extension RulesTestReport.Problem {
  /// The problem's position, fault and remedy.
  var json: JSON {
    .object([
      .init("file", .string(file)),
      .init("line", diagnostic.map { .int(Int64($0.line)) } ?? .null),
      .init("column", diagnostic.map { .int(Int64($0.column)) } ?? .null),
      .init("message", .string(message)),
      .init("help", diagnostic?.help.map { .string($0) } ?? .null),
    ])
  }
}
