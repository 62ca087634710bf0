import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth db stats`.
struct DatabaseStats: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats", abstract: "Show the size of a database in memory and on the disk.",
    discussion: """
      With --cache-size, a large database has pages on the disk. A page that is not in memory is read when a request \
      needs it; many reads for each request mean that the cache is too small for the data in use.
      """)

  @OptionGroup var admin: AdminOptions
  @OptionGroup var database: NamespaceOption

  func run() async throws {
    try await admin.withSettings("databases") { client in
      let answer = try await client.send(.GET, "/\(try await database.openedName(by: client)).json")
      client.report(answer) { Self.text(answer) }
    }
  }

  private static func text(_ answer: JSON) -> String {
    guard let size = answer["size"], size != .null else { return "the database is not open" }
    func count(_ member: JSON?) -> String { NumberFormat.grouped(Double(member?.int ?? 0)) }
    func bytes(_ member: JSON?) -> String { NumberFormat.bytes(Int(clamping: member?.int ?? 0)) }
    var table = TextTable()
    table.add(["values", count(size["values"])])
    table.add(["data", bytes(size["bytes"])])
    guard let pages = size["pages"], pages != .null else {
      table.add(["in memory", "all of it"])
      table.add(["on the disk", "a snapshot of \(bytes(size["snapshotBytes"])), a log of \(bytes(size["logBytes"]))"])
      return table.text
    }
    table.add([
      "in memory", "pages of \(bytes(pages["memoryBytes"])), and \(bytes(pages["dirtyBytes"])) not stored yet",
    ])
    table.add([
      "on the disk",
      "pages of \(bytes(pages["fileBytes"])), about \(bytes(pages["deadBytes"])) of them dead, a log of "
        + bytes(size["logBytes"]),
    ])
    if let history = pages["historyBytes"], history.int ?? 0 > 0 {
      table.add(["for the history", "pages of \(bytes(history)) beside them"])
    }
    table.add(["pages read", "\(count(pages["reads"])), \(count(pages["failedReads"])) of them with an error"])
    table.add([
      "last checkpoint", "\(bytes(pages["checkpointBytes"])) in \(count(pages["checkpointMilliseconds"])) ms",
    ])
    return table.text
  }
}

extension NamespaceOption {
  /// Returns the name of the database, which is open then.
  func openedName(by client: SettingsClient) async throws -> String {
    var name = name(on: client.served)
    if name == nil {
      let all = try await client.send(.GET, ".json")["databases"]?.array
      name = all?.first { $0["isDefault"]?.bool == true }?["name"]?.string
    }
    guard let name else { throw AdminFailure("\(client.served.place) has no default database; name one with --ns") }
    // A request for rules opens the database, whose size is unknown otherwise.
    _ = try await client.served.http.send(method: .GET, target: "/.settings/rules.json?ns=\(name)", body: nil)
    return name
  }
}
