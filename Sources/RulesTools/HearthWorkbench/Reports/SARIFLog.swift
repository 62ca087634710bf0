import HearthTree

/// A SARIF 2.1.0 log, which code scanning services show beside the lines of files
/// (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
package struct SARIFLog: Sendable {
  /// The severity of results.
  package enum Level: String, Sendable {
    /// An error.
    case error
    /// A probable mistake.
    case warning
    /// A finding that deserves a check.
    case note
  }

  /// A kind of results.
  package struct Rule: Sendable {
    /// The name that results refer to; never renamed.
    package var id: String
    /// A description in one sentence.
    package var text: String
    /// The remedy; nil when there is none.
    package var help: String?
    /// The severity of its results.
    package var level: Level

    /// Makes a kind of results.
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
    /// The file, as the user named it.
    package var file: String
    /// The line, from 1.
    package var line: Int
    /// The column, from 1, in UTF-16 units.
    package var column: Int
    /// A fingerprint that stays the same when lines above the finding are added or removed.
    package var fingerprint: String

    /// Makes a result.
    package init(ruleID: String, message: String, file: String, line: Int, column: Int, fingerprint: String) {
      (self.ruleID, self.message, self.file) = (ruleID, message, file)
      (self.line, self.column, self.fingerprint) = (line, column, fingerprint)
    }
  }

  /// The command that found it.
  package var tool: String
  /// Every kind of results that the tool has.
  package var rules: [Rule]
  /// The results.
  package var results: [Result]
  /// Files that could not be read.
  package var problems: [RulesTestReport.Problem]

  /// Makes a log.
  package init(tool: String, rules: [Rule], results: [Result], problems: [RulesTestReport.Problem] = []) {
    (self.tool, self.rules, self.results, self.problems) = (tool, rules, results, problems)
  }

  /// The log as JSON.
  package var json: JSON {
    let driver = JSON.object([.init("name", .string(tool)), .init("rules", .array(rules.map(Self.json)))])
    let run = JSON.object([
      .init("tool", .object([.init("driver", driver)])), .init("columnKind", .string("utf16CodeUnits")),
      .init("invocations", .array([invocation])), .init("results", .array(results.compactMap(json))),
    ])
    return .object([
      .init("$schema", .string("https://json.schemastore.org/sarif-2.1.0.json")), .init("version", .string("2.1.0")),
      .init("runs", .array([run])),
    ])
  }

  private static func json(_ rule: Rule) -> JSON {
    var members: [JSON.Member] = [.init("id", .string(rule.id)), .init("shortDescription", text(rule.text))]
    if let help = rule.help { members.append(.init("help", text(help))) }
    members.append(.init("defaultConfiguration", .object([.init("level", .string(rule.level.rawValue))])))
    return .object(members)
  }

  private func json(_ result: Result) -> JSON? {
    guard let index = rules.firstIndex(where: { $0.id == result.ruleID }) else { return nil }
    return .object([
      .init("ruleId", .string(result.ruleID)), .init("ruleIndex", .int(Int64(index))),
      .init("level", .string(rules[index].level.rawValue)), .init("message", Self.text(result.message)),
      .init("locations", .array([Self.location(result.file, line: result.line, column: result.column)])),
      .init("partialFingerprints", .object([.init("place/v1", .string(result.fingerprint))])),
    ])
  }

  private var invocation: JSON {
    let notifications = problems.map { problem in
      JSON.object([
        .init("level", .string(Level.error.rawValue)), .init("message", Self.text(problem.message)),
        .init(
          "locations",
          .array([
            Self.location(
              problem.file, line: problem.diagnostic?.line ?? 1, column: problem.diagnostic?.column ?? 1)
          ])),
      ])
    }
    var members: [JSON.Member] = [.init("executionSuccessful", .bool(problems.isEmpty))]
    if !problems.isEmpty { members.append(.init("toolExecutionNotifications", .array(notifications))) }
    return .object(members)
  }

  private static func text(_ text: String) -> JSON { .object([.init("text", .string(text))]) }

  private static func location(_ file: String, line: Int, column: Int) -> JSON {
    let region = JSON.object([.init("startLine", .int(Int64(line))), .init("startColumn", .int(Int64(column)))])
    let artifact = JSON.object([.init("uri", .string(uri(file)))])
    return .object([.init("physicalLocation", .object([.init("artifactLocation", artifact), .init("region", region)]))])
  }

  /// A path as a URI reference: special characters are percent-encoded.
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
