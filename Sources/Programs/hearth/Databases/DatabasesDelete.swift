import ArgumentParser
import HearthProgram

/// The command `hearth databases delete`.
struct DatabasesDelete: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete a database with its data, history, rules and settings.",
    discussion: """
      Connected clients get a message and do not reconnect. Accounts stay, because they belong to the project. The \
      default database cannot be deleted; hearth db remove / removes its data. Only a backup can restore a database.
      """)

  @OptionGroup var database: NamedDatabase

  @Flag(help: "Do not ask for confirmation.")
  var yes = false

  func run() async throws {
    if !yes {
      try Confirmation.ask("Delete the database \(database.name) and all its data?", orFlag: "--yes")
    }
    try await database.server.run { client in
      let answer = try await client.send(.DELETE, database.path)
      client.report(answer) { "deleted \(database.name)" }
    }
  }
}
