import ArgumentParser
import HearthProgram
import HearthRules
import HearthRulesCommands
import HearthTree
import HearthWorkbench

/// The command `hearth rules deploy`.
struct RulesDeploy: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "deploy",
    abstract: "Put a rules file in force as a new version.",
    discussion: """
      Checks the file, prints the warnings of hearth rules lint, and summarises which paths open and close compared \
      with the rules in force. Live listeners that the new rules do not allow are cancelled.

      A server that was started with --rules FILE deploys that file again at its next start: change it too.

      Exits with 0 when the rules are in force (or, with --dry-run, could be), 1 when another version than \
      --if-version is in force, and 2 when the file has errors or no server answers.
      """)

  @Argument(help: ArgumentHelp("The rules file.", valueName: "rules"))
  var file: String

  @OptionGroup var change: RulesChangeOptions

  @Flag(help: "Show what would change, and change nothing.")
  var dryRun = false

  @Flag(help: "Create the database if it does not exist.")
  var create = false

  @OptionGroup var plugin: RulesPluginOption
  @OptionGroup var server: RulesServer

  func run() async throws {
    try await server.run { client in
      let checked = try await CheckedRules(file, plugin, server)
      checked.printWarnings()
      let before = try await client.inForce(mayBeMissing: create)
      var json: JSON = ["dryRun": .bool(dryRun), "findings": checked.json]
      if let before {
        json["before"] = before.metadata
        let report = RulesDiffReport(from: before.source, to: checked.text)
        json["diff"] = report?.json ?? .null
        if !client.printsJSON { Output.line(Self.text(report, before.metadata)) }
      }
      var answer: JSON = [:]
      // A dry run for a database that does not exist sends no request: it has no version that could be refused.
      if !dryRun || before != nil {
        answer = try await client.send(
          .POST, "/versions.json",
          change.body("deploy").appending(["source": .string(checked.text), "dryRun": .bool(dryRun)]))
      }
      let made = JSON.object((answer.members ?? []).filter { $0.name == "version" || $0.name == "isNew" })
      client.report(json.appending(made), Self.outcome(answer, dryRun: dryRun))
      if !dryRun { try RulesFileNote.show(server, client, text: checked.text) }
    }
  }

  static func text(_ report: RulesDiffReport?, _ before: JSON) -> String {
    let version = before["id"]?.int ?? 0
    guard let report else { return "version \(version) in force has errors; it cannot be compared" }
    return "compared with version \(version), which is in force:\n"
      + report.brief(TerminalStyle(isColored: Output.isColored)).split(separator: "\n").map { "  \($0)" }
      .joined(separator: "\n")
  }

  static func outcome(_ answer: JSON, dryRun: Bool) -> String {
    let id = answer["version"]?["id"]?.int ?? 0
    if dryRun { return "dry run: nothing was changed" }
    return answer["isNew"]?.bool == false
      ? "the same rules are in force already, as version \(id)" : "version \(id) is in force"
  }
}

/// A rules file that was checked before it is sent to a server.
struct CheckedRules {
  /// The rules for the server.
  let text: String
  private let report: LintReport

  /// - Throws: ``TextFile/Failure`` with every mistake of an invalid file.
  init(_ file: String, _ plugin: RulesPluginOption, _ server: RulesServer) async throws {
    try await self.init(file, plugin, dataDirectory: server.admin.folder())
  }

  /// - Parameter dataDirectory: The folder with the plugins that read rules.
  /// - Throws: ``TextFile/Failure`` with every mistake of an invalid file.
  init(_ file: String, _ plugin: RulesPluginOption, dataDirectory: String) async throws {
    do {
      text = try await plugin.read(file, dataDirectory: dataDirectory)
      let rules = try RuleSet.compile(text, keepsExpressions: true)
      report = LintReport(findings: Lint.findings(in: rules, file: file))
    } catch let error as RulesError {
      throw TextFile.Failure(error.rendered(file: file))
    }
  }

  /// Warns about probable mistakes in the deployed rules.
  func printWarnings() {
    for finding in report.findings where finding.code.severity == .warning { Output.note(finding.rendered) }
  }

  var json: JSON { .array(report.findings.map(\.json)) }
}
