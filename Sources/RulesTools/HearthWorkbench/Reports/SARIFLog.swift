import HearthTree

/// A SARIF 2.1.0 log, which code scanning services show as annotations of files
/// (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
package struct SARIFLog: Sendable {
  /// The severity of results.
  package enum Level: String, Sendable {
    /// An error.
    case error
    /// A probable mistake.
    case warning
    /// A finding that should be checked.
    case note
  }

  /// A kind of results.
  package struct Rule: Sendable {
    /// The identifier to which results refer. It is stable.
    package var id: String
    /// A description in one sentence.
    package var text: String
    /// The advice for fixing findings of this kind; nil when there is none.
    package var help: String?
    /// The severity of its results.
    package var level: Level

    /// Creates a kind of results.
    package init(id: String, text: String, help: String? = nil, level: Level) {
      (self.id, self.text, self.help, self.level) = (id, text, help, level)
    }
  }

  /// One finding.
  package struct Result: Sendable {
    /// The ``Rule/id`` of its kind.
    package var ruleID: String
    /// A description of the finding.
    package var message: String
    /// The file's path, as the user passed it.
    package var file: String
    /// The line, from 1.
    package var line: Int
    /// The column, from 1, in UTF-16 units.
    package var column: Int
    /// A fingerprint that stays the same when lines above the finding are added or removed.
    package var fingerprint: String

    /// Creates a result.
    package init(ruleID: String, message: String, file: String, line: Int, column: Int, fingerprint: String) {
      (self.ruleID, self.message, self.file) = (ruleID, message, file)
      (self.line, self.column, self.fingerprint) = (line, column, fingerprint)
    }
  }

  /// The name of the command that created the log.
  package var tool: String
  /// Every kind of results that the tool has.
  package var rules: [Rule]
  /// The results.
  package var results: [Result]
  /// Files that could not be read.
  package var problems: [RulesTestReport.Problem]

  /// Creates a log.
  package init(tool: String, rules: [Rule], results: [Result], problems: [RulesTestReport.Problem] = []) {
    (self.tool, self.rules, self.results, self.problems) = (tool, rules, results, problems)
  }

  /// The log as JSON.
  package var json: JSON {
    let driver: JSON = ["name": .string(tool), "rules": .array(rules.map(Self.json))]
    let run: JSON = [
      "tool": ["driver": driver], "columnKind": "utf16CodeUnits", "invocations": [invocation],
      "results": .array(results.compactMap(json)),
    ]
    return ["$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]]
  }

  private static func json(_ rule: Rule) -> JSON {
    var json: JSON = ["id": .string(rule.id), "shortDescription": text(rule.text)]
    if let help = rule.help { json["help"] = text(help) }
    json["defaultConfiguration"] = ["level": .string(rule.level.rawValue)]
    return json
  }

  private func json(_ result: Result) -> JSON? {
    guard let index = rules.firstIndex(where: { $0.id == result.ruleID }) else { return nil }
    return [
      "ruleId": .string(result.ruleID), "ruleIndex": .int(Int64(index)), "level": .string(rules[index].level.rawValue),
      "message": Self.text(result.message),
      "locations": [Self.location(result.file, line: result.line, column: result.column)],
      "partialFingerprints": ["place/v1": .string(result.fingerprint)],
    ]
  }

  private var invocation: JSON {
    let notifications = problems.map { problem in
      [
        "level": .string(Level.error.rawValue), "message": Self.text(problem.message),
        "locations": [
          Self.location(
            problem.file, line: problem.diagnostic?.line ?? 1, column: problem.diagnostic?.column ?? 1)
        ],
      ] as JSON
    }
    var json: JSON = ["executionSuccessful": .bool(problems.isEmpty)]
    if !problems.isEmpty { json["toolExecutionNotifications"] = .array(notifications) }
    return json
  }

  private static func text(_ text: String) -> JSON { ["text": .string(text)] }

  private static func location(_ file: String, line: Int, column: Int) -> JSON {
    let region: JSON = ["startLine": .int(Int64(line)), "startColumn": .int(Int64(column))]
    let artifact: JSON = ["uri": .string(uri(file))]
    return ["physicalLocation": ["artifactLocation": artifact, "region": region]]
  }

  /// Returns a path as a URI reference, with special characters percent-encoded.
  private static func uri(_ path: String) -> String {
    let plain = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
    return path.utf8.reduce(into: "") { text, byte in
      if plain.contains(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
  }
}
