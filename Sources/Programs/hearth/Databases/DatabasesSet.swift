import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth databases set`.
struct DatabasesSet: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Set the quotas of a database, with immediate effect.",
    discussion: """
      Other quotas stay; none removes a limit. Rates apply to open sockets too. Connections beyond a new limit stay; \
      new ones are refused. Administrators are subject only to --connections and --stored-bytes.

        hearth databases set guests --requests-per-second 500 --stored-bytes 64M --connections none
      """)

  @OptionGroup var database: NamedDatabase
  @OptionGroup var quotas: QuotaOptions

  func validate() throws {
    guard !quotas.members.isEmpty else { throw ValidationError("Name a quota; --help lists them.") }
  }

  func run() async throws {
    try await database.server.run { client in
      let answer = try await client.send(.PATCH, database.path, ["quotas": .object(quotas.members)])
      client.report(answer) { "quotas of \(database.name): \(DatabasesServer.text(ofQuotas: answer["quotas"]))" }
    }
  }
}
