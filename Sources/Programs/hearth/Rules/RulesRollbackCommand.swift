import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth rules rollback`.
struct RulesRollbackCommand: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback",
    abstract: "Put a former version of a database's rules in force again.",
    discussion: """
      Without an id, restores the version before the one in force; after a roll-back, the version before the restored \
      one. The roll-back is a new version with the same text.

      Exits with 0 when the rules are in force (or, with --dry-run, could be), 1 when another version than \
      --if-version is in force, and 2 when the version does not exist or no server answers.
      """)

  @Argument(help: ArgumentHelp("The version to restore.", valueName: "id"))
  var id: Int64?

  @OptionGroup var change: RulesChangeOptions

  @Flag(help: "Show what would change, and change nothing.")
  var dryRun = false

  @OptionGroup var server: RulesServer

  func run() async throws {
    try await server.run { client in
      var body = change.body("rollback")
      if let id { body["version"] = .int(id) }
      let plan = try await client.send(.POST, "/rollback.json", body.appending(["dryRun": true]))
      guard let before = plan["before"]?["id"]?.int, let target = plan["target"]?["id"]?.int else {
        throw AdminFailure("\(client.served.place) did not return the version to restore")
      }
      let (old, new) = (try await client.version(before), try await client.version(target))
      let report = RulesDiffReport(from: old.source, to: new.source)
      if !client.printsJSON {
        Output.line(
          "back to version \(target): \(VersionText(version: new.metadata).cells[1...].joined(separator: ", "))")
        Output.line(RulesDeploy.text(report, old.metadata))
      }
      var answer = plan
      if !dryRun {
        // The request names the versions that were shown.
        body["version"] = .int(target)
        body["expected"] = .int(before)
        answer = try await client.send(.POST, "/rollback.json", body)
      }
      let json: JSON = [
        "dryRun": .bool(dryRun), "before": old.metadata, "target": new.metadata, "diff": report?.json ?? .null,
      ]
      client.report(
        json.appending(.object((answer.members ?? []).filter { $0.name == "version" || $0.name == "isNew" })),
        RulesDeploy.outcome(answer, dryRun: dryRun))
      if !dryRun { try RulesFileNote.show(server, client, text: new.source) }
    }
  }
}
