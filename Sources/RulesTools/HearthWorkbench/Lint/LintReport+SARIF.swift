import HearthTree

extension LintReport {
  /// The findings as a SARIF log; files that cannot be read are errors of the run.
  var sarif: JSON {
    let rules = LintCode.allCases.map { code in
      SARIFLog.Rule(id: code.rawValue, text: code.title, help: code.help, level: code.level)
    }
    var counts: [String: Int] = [:]
    let results = findings.map { finding in
      // Several findings of one kind at one path are distinguished by their order.
      let place = "\(finding.code.rawValue) \(finding.path ?? "-") \(finding.kind?.rawValue ?? "-")"
      counts[place, default: 0] += 1
      return SARIFLog.Result(
        ruleID: finding.code.rawValue,
        message: [finding.diagnostic.message, finding.diagnostic.help].compactMap(\.self).joined(separator: "\n"),
        file: finding.file, line: finding.diagnostic.line, column: finding.diagnostic.column,
        fingerprint: "\(place) \(counts[place] ?? 1)")
    }
    return SARIFLog(tool: "hearth rules lint", rules: rules, results: results, problems: problems).json
  }
}

extension LintCode {
  fileprivate var level: SARIFLog.Level {
    switch severity {
    case .warning: .warning
    case .info: .note
    }
  }

  /// The code as words: `missing index` for `missing-index`.
  private var words: String { rawValue.split(separator: "-").joined(separator: " ") }

  fileprivate var title: String { words.prefix(1).uppercased() + words.dropFirst() + "." }
}
