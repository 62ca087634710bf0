import HearthTree

extension CoverageReport {
  /// The report as `{"seen", "total", "percent", "files": [{"file", "seen", "total", "percent", "missing": […]}]}`; an
  /// element of `missing` has its position, the rule, and the missing outcome.
  package var json: JSON {
    .object(Self.members(of: tally) + [.init("files", .array(files.map(Self.json)))])
  }

  private static func members(of tally: CoverageTally) -> [JSON.Member] {
    [
      .init("seen", .int(Int64(tally.seenCount))), .init("total", .int(Int64(tally.totalCount))),
      .init("percent", .int(Int64(tally.percent))),
    ]
  }

  private static func json(_ file: File) -> JSON {
    let missing = file.rules.flatMap { rule in
      rule.expression.missing.map { expression -> JSON in
        .object([
          .init("line", .int(Int64(expression.line))), .init("column", .int(Int64(expression.column))),
          .init("endLine", .int(Int64(expression.endLine))), .init("endColumn", .int(Int64(expression.endColumn))),
          .init("rule", .string(rule.rule.name)), .init("missing", .string(expression.seen.rawValue)),
        ])
      }
    }
    return .object([.init("file", .string(file.name))] + members(of: file.tally) + [.init("missing", .array(missing))])
  }
}
