import ArgumentParser
import HearthProgram
import HearthRulesCommands
import HearthTree
import HearthWorkbench

/// The command `hearth databases create`.
struct DatabasesCreate: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Create a database.",
    discussion: """
      Without --rules it has the rules of the file that the server was started with, or else denies everything. What is \
      not limited here can be limited later: hearth databases set.

        hearth databases create guests --rules guests.json --connections 1000 --client-requests-per-second 20

      Ends with 0 when it is there, and with 2 when there is one of the name, the rules are broken, or no server can be asked.
      """)

  @OptionGroup var database: NamedDatabase

  @Option(help: ArgumentHelp("Its rules file.", valueName: "file"))
  var rules: String?

  @OptionGroup var plugin: RulesPluginOption
  @OptionGroup var quotas: QuotaOptions

  func run() async throws {
    try await database.server.run { client in
      var members: JSON = ["name": .string(database.name)]
      if let rules {
        let checked = try await CheckedRules(rules, plugin, dataDirectory: database.server.admin.folder())
        checked.printWarnings()
        members["rules"] = .string(checked.text)
      }
      if !quotas.members.isEmpty { members["quotas"] = .object(quotas.members) }
      let answer = try await client.send(.POST, ".json", members)
      client.report(answer) {
        "made \(database.name); quotas: \(DatabasesServer.text(ofQuotas: answer["quotas"]))"
      }
    }
  }
}
