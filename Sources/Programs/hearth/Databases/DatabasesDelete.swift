import ArgumentParser
import HearthProgram

/// The command `hearth databases delete`.
struct DatabasesDelete: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete a database with its data, history, rules and settings.",
    discussion: """
      Clients that are connected are told, and do not come back by themselves. Accounts belong to the project and stay. \
      The default database cannot be deleted; hearth db remove / takes its data away. Only a backup brings anything back.
      """)

  @OptionGroup var database: NamedDatabase

  @Flag(help: "Do not ask.")
  var yes = false

  func run() async throws {
    if !yes {
      try Confirmation.ask("Delete the database \(database.name) and all that is in it?", orFlag: "--yes")
    }
    try await database.server.run { client in
      let answer = try await client.send(.DELETE, database.path)
      client.report(answer) { "deleted \(database.name)" }
    }
  }
}
