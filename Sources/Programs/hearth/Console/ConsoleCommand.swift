import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth console`.
struct ConsoleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "console",
    abstract: "Print a single-use link that opens the console in a browser.",
    discussion: """
      The link is valid for 10 minutes and for one browser. It comes from the running server of the data folder, or \
      from --server. The browser gets the rights of an administrator; with --read-only it cannot change anything.
      """)

  @OptionGroup var admin: AdminOptions

  @Flag(help: "Give the browser read-only access.")
  var readOnly = false

  func run() async throws {
    do {
      let refusal = "no server runs on \(try admin.folder()): start it, or name another server with --server"
      try await admin.withDatabases(orRefuse: refusal) { served in
        let client = SettingsClient(served: served, kind: "console", printsJSON: admin.json)
        let answer = try await client.send(.POST, ".json", ["readOnly": .bool(readOnly)])
        guard let link = answer["link"]?.string else {
          throw AdminFailure("\(served.place) returned no link")
        }
        client.report(answer) { link }
      }
    } catch {
      throw ExitCode.reporting(error, printsJSON: admin.json)
    }
  }
}
