import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth db compact`.
struct DatabaseCompact: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact", abstract: "Make the page files of a database small now.",
    discussion: """
      The server cleans page files by itself when 30 % of their bytes are overwritten or deleted data. This command cleans \
      them at once, and waits until the former files are removed, or stay for the history alone. Clients continue meanwhile.
      """)

  /// The time between two looks at the progress.
  private static let interval: Duration = .milliseconds(200)

  @OptionGroup var admin: AdminOptions
  @OptionGroup var database: NamespaceOption

  func run() async throws {
    try await admin.withSettings("databases") { client in
      let path = "/\(try await database.openedName(by: client)).json"
      let before = try await client.send(.GET, path)["size"]?["pages"]
      _ = try await client.send(.PATCH, path, ["compact": true])
      var answer = try await client.send(.GET, path)
      while answer["size"]?["pages"]?["isCleaning"]?.bool == true {
        try await Task.sleep(for: Self.interval)
        answer = try await client.send(.GET, path)
      }
      let pages = answer["size"]?["pages"]
      if let problem = pages?["cleaningProblem"]?.string {
        throw AdminFailure("the page files are not clean: \(problem)")
      }
      client.report(answer) {
        func bytes(_ pages: JSON?) -> String { NumberFormat.bytes(Int(clamping: pages?["fileBytes"]?.int ?? 0)) }
        return "pages of \(bytes(before)) take \(bytes(pages)) now"
      }
    }
  }
}
