import ArgumentParser
import HearthCrypto
import HearthPluginHost
import HearthProgram
import HearthRulesCommands
import HearthTree
import Synchronization

/// The command `hearth plugins test`.
struct PluginsTest: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Test a plugin's folder against the plugin protocol, without a server.",
    discussion: """
      Starts the plugin and sends each hook valid and invalid input, unknown members, large values, many requests at \
      once, and requests that are cancelled or time out; kills the plugin during a request; stops it. A plugin with a \
      URL is tested there, with valid and invalid signatures. plugin-tests.json in the plugin's folder can add inputs \
      with their expected responses. Exits with 0 when the plugin passes, 1 when a test fails, and 2 when the plugin \
      cannot be run.
      """)

  @Argument(help: ArgumentHelp("The plugin's folder, with its plugin.json.", valueName: "dir"))
  var directory: String

  @Option(help: ArgumentHelp("Settings for the plugin: a JSON object.", valueName: "file"))
  var settings: String?

  @Option(help: ArgumentHelp("A file with the secret of the plugin's service, whsec_….", valueName: "file"))
  var secretFile: String?

  @Flag(help: "Allow a service at a private address and without TLS.")
  var allowPrivate = false

  @Flag(help: "Print JSON, for scripts.")
  var json = false

  @Flag(help: "Show the plugin's standard error.")
  var verbose = false

  func run() async throws {
    let trial: PluginTrial
    do {
      trial = try PluginTrial(
        directory, settings: try settingsValue(), secret: try secretFile.map { try WebhookSecret(file: $0) },
        allowsPrivate: allowPrivate)
    } catch {
      throw ExitCode.reporting(error)
    }
    let findings = Findings()
    let isGood = await trial.run { findings.add($0) }
    if json {
      Output.json(["isGood": .bool(isGood), "findings": .array(findings.all.map(Self.json))])
    } else {
      var table = TextTable(head: ["hook", "what", ""])
      for finding in findings.all { table.add([finding.hook, finding.name, finding.problem ?? "ok"]) }
      Output.line(table.text)
      let count = findings.all.count { $0.problem != nil }
      Output.line(isGood ? "the plugin passed all tests" : "\(count) of \(findings.all.count) failed")
    }
    if verbose { for line in trial.logLines { Output.note(TextTable.printable(line)) } }
    if !isGood { throw ExitCode.failure }
  }

  private func settingsValue() throws -> JSON {
    guard let settings else { return [:] }
    guard let json = JSON(parsing: try TextFile.read(settings).utf8), json.members != nil else {
      throw AdminFailure("\(settings) is not a JSON object")
    }
    return json
  }

  private static func json(_ finding: PluginTrial.Finding) -> JSON {
    [
      "hook": .string(finding.hook), "name": .string(finding.name),
      "problem": finding.problem.map { .string($0) } ?? .null,
    ]
  }

  /// The findings in the order in which they were made.
  private final class Findings: Sendable {
    private let list = Mutex<[PluginTrial.Finding]>([])
    var all: [PluginTrial.Finding] { list.withLock { $0 } }
    func add(_ finding: PluginTrial.Finding) { list.withLock { $0.append(finding) } }
  }
}
