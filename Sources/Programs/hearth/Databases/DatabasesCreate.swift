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
      Without --rules the database uses the rules file of the server, or denies everything if there is none. hearth \
      databases set changes the quotas later.

        hearth databases create guests --rules guests.json --connections 1000 --client-requests-per-second 20

      Exits with 0 when the database was created, and 2 when the name is taken, the rules have errors, or no server \
      answers.
      """)

  @OptionGroup var database: NamedDatabase

  @Option(help: ArgumentHelp("The rules file of the database.", valueName: "file"))
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
        "created \(database.name); quotas: \(DatabasesServer.text(ofQuotas: answer["quotas"]))"
      }
    }
  }
}
