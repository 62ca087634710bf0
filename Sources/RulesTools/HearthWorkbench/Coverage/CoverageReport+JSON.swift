import HearthTree

extension CoverageReport {
  /// The report as `{"seen", "total", "percent", "files": [{"file", "seen", "total", "percent", "missing": […]}]}`; an
  /// element of `missing` has its position, the rule, and the missing outcome.
  package var json: JSON {
    Self.json(tally).appending(["files": .array(files.map(Self.json))])
  }

  private static func json(_ tally: CoverageTally) -> JSON {
    [
      "seen": .int(Int64(tally.seenCount)), "total": .int(Int64(tally.totalCount)),
      "percent": .int(Int64(tally.percent)),
    ]
  }

  private static func json(_ file: File) -> JSON {
    let missing = file.rules.flatMap { rule in
      rule.expression.missing.map { expression -> JSON in
        [
          "line": .int(Int64(expression.line)), "column": .int(Int64(expression.column)),
          "endLine": .int(Int64(expression.endLine)), "endColumn": .int(Int64(expression.endColumn)),
          "rule": .string(rule.rule.name), "missing": .string(expression.seen.rawValue),
        ]
      }
    }
    let name: JSON = ["file": .string(file.name)]
    return name.appending(json(file.tally)).appending(["missing": .array(missing)])
  }
}
