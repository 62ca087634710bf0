import HearthTree

extension RulesTestReport {
  /// The report as one JSON object, which the guide describes.
  var json: JSON {
    var json: JSON = [
      "passed": .int(Int64(passedCount)), "failed": .int(Int64(failedCount)),
      "milliseconds": .double((elapsedMilliseconds * 1000).rounded() / 1000),
      "files": .array(files.map { Self.json($0) }), "problems": .array(problems.map(\.json)),
    ]
    if let coverage { json["coverage"] = coverage.json }
    return json
  }

  private static func json(_ file: File) -> JSON {
    [
      "file": .string(file.test.document.file), "rules": .string(file.rulesFile),
      "cases": .array(file.results.map { json($0, file) }),
    ]
  }

  private static func json(_ result: RulesTestResult, _ file: File) -> JSON {
    var json: JSON = ["name": .string(result.testCase.name)]
    let failure = FailureText(result, in: file)
    let position = file.test.document.position(of: result.testCase.place)
    let place = failure?.place ?? (line: position.line, column: position.column)
    json["line"] = .int(Int64(place.line))
    json["column"] = .int(Int64(place.column))
    json["passed"] = .bool(failure == nil)
    guard let failure else { return json }
    json["request"] = .string(failure.request)
    json["message"] = .string(failure.summary)
    json["allowed"] = failure.decision.map { .bool($0.isAllowed) } ?? .null
    json["rule"] = failure.decision?.rule.map { .string($0.name) } ?? .null
    json["trace"] = .array(failure.trace().map { .string($0) })
    return json
  }
}

extension RulesTestReport.Problem {
  /// The problem's position, message and help.
  var json: JSON {
    [
      "file": .string(file), "line": diagnostic.map { .int(Int64($0.line)) } ?? .null,
      "column": diagnostic.map { .int(Int64($0.column)) } ?? .null, "message": .string(message),
      "help": diagnostic?.help.map { .string($0) } ?? .null,
    ]
  }
}
