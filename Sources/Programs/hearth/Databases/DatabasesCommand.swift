import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth databases`.
struct DatabasesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "databases",
    abstract: "Create and delete databases, and set their quotas.",
    discussion: """
      Commands use the server that runs on the --data folder, or the server that --server names. If no server runs, \
      they open the folder themselves. hearth db reads and writes the data of a database.
      """,
    subcommands: [List.self, DatabasesCreate.self, DatabasesSet.self, DatabasesDelete.self])

  /// The command `hearth databases list`.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the databases with their quotas.")

    @OptionGroup var server: DatabasesServer

    func run() async throws {
      try await server.run { client in
        let answer = try await client.send(.GET, ".json")
        client.report(answer) {
          var table = TextTable(head: ["NAME", "CONNECTIONS", "QUOTAS"])
          for database in answer["databases"]?.array ?? [] {
            table.add([
              (database["name"]?.string ?? "") + (database["isDefault"]?.bool == true ? " (default)" : ""),
              database["isOpen"]?.bool == true ? "\(database["connections"]?.int ?? 0)" : "not open",
              DatabasesServer.text(ofQuotas: database["quotas"]),
            ])
          }
          return table.text
        }
      }
    }
  }
}
