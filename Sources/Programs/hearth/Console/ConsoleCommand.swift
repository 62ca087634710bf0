import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth console`.
struct ConsoleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "console",
    abstract: "Print a link that opens the console, the server's page in the browser, once.",
    discussion: """
      The link counts for 10 minutes and for one browser. It is made by the server that runs on the --data folder, or the \
      one that --server names. Whoever opens it may do everything that an administrator may, or with --read-only look at \
      everything and change nothing.
      """)

  @OptionGroup var admin: AdminOptions

  @Flag(help: "For somebody who may change nothing.")
  var readOnly = false

  func run() async throws {
    do {
      let refusal = "no server runs on the folder \(admin.data.data): start one, or name it with --server"
      try await admin.withDatabases(orRefuse: refusal) { served in
        let client = SettingsClient(served: served, kind: "console", printsJSON: admin.json)
        let answer = try await client.send(.POST, ".json", ["readOnly": .bool(readOnly)])
        guard let link = answer["link"]?.string else {
          throw AdminFailure("\(served.place) answered without a link")
        }
        client.report(answer) { link }
      }
    } catch {
      throw ExitCode.reporting(error, printsJSON: admin.json)
    }
  }
}
