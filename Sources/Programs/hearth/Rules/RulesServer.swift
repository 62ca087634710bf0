import ArgumentParser
import HearthProgram
import HearthRulesCommands
import HearthTree

/// The options for the database and server of a command on rules.
struct RulesServer: ParsableArguments {
  @OptionGroup var admin: AdminOptions

  @OptionGroup var database: NamespaceOption

  /// Connects, does the work, and exits with 1 when the server refuses for its figures or its version, and with 2 on
  /// another failure.
  func run(_ work: @Sendable (RulesClient) async throws -> Void) async throws {
    do {
      try await admin.withDatabases { served in
        try await work(
          RulesClient(served: served, namespace: database.name(on: served), printsJSON: admin.json))
      }
    } catch let refusal as RulesClient.Refusal {
      Output.note("Error: \(refusal)")
      if admin.json { Output.json(refusal.answer) }
      throw ExitCode(1)
    } catch {
      throw ExitCode.reporting(error, printsJSON: admin.json)
    }
  }
}

/// The options for the comment of a change of rules and its expected version.
struct RulesChangeOptions: ParsableArguments {
  @Option(help: ArgumentHelp("A comment for the history of versions.", valueName: "text"))
  var comment: String?

  @Option(
    help: ArgumentHelp(
      "Only if this version is in force, so that no other change is overwritten.", valueName: "id"))
  var ifVersion: Int64?

  /// Returns the members for the server.
  ///
  /// - Parameter command: The command, such as `deploy`.
  func body(_ command: String) -> JSON {
    var body: JSON = ["tool": "hearth rules \(command), by \(UserName.own)"]
    if let comment { body["comment"] = .string(comment) }
    if let ifVersion { body["expected"] = .int(ifVersion) }
    return body
  }
}
