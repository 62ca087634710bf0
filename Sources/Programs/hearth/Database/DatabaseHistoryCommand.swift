import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth db history`.
struct DatabaseHistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "List the changes of a path: time, user, old and new value, rule.",
    discussion: """
      The newest change comes first. --history of the server sets how long changes are kept; --history-who also \
      records who made a change and which rule allowed it. With --json, prints one change on each line.
      """)

  @OptionGroup var database: DatabaseOptions

  @Argument(help: DataPath.help)
  var path: DataPath

  @Option(help: ArgumentHelp("The maximum number of changes to list.", valueName: "count"))
  var limit = 20

  @Option(help: ArgumentHelp("List only changes before this position.", valueName: "position"))
  var before: Int64?

  func validate() throws {
    guard !path.location.isPriority else { throw ValidationError("A priority has no own history: name its path.") }
    guard limit > 0 else { throw ValidationError("--limit must be at least 1.") }
    guard (before ?? 0) >= 0 else { throw ValidationError("--before must be a position, at least 0.") }
    guard database.uid == nil, !database.asNobody else {
      throw ValidationError("Only administrators can read history; --as works with hearth db get --at.")
    }
  }

  /// The note for a path without changes.
  private static let nothing =
    "no change of this path is kept; start the server with --history, such as --history 7d, to keep history"

  /// The maximum number of changes in one request.
  private static let pageMax = 200

  func run() async throws {
    try await database.run { client in
      var (left, before) = (limit, self.before)
      while left > 0 {
        let page = try await client.history(of: path, before: before, limit: min(left, Self.pageMax))
        for change in page.changes {
          if client.printsJSON { Output.json(change) } else { Output.line(HistoryLine(change: change).text) }
        }
        left -= page.changes.count
        guard let next = page.before else {
          if !client.printsJSON, left > 0 { Output.note(left < limit ? "older changes are not kept" : Self.nothing) }
          return
        }
        before = next
      }
      if let before, !client.printsJSON { Output.note("more: --before \(before)") }
    }
  }
}

/// The line of a change for readers: `4711  2026-11-20T14:03:00.000Z  ann (password, public)  "old" -> "new"  by
/// /rooms/$room/.write`.
struct HistoryLine {
  let change: JSON
  /// The maximum number of bytes of a value in a line.
  private static let valueBytesMax = 200

  var text: String {
    let position = change["position"]?.int.map { String($0) } ?? "?"
    let time = change["time"]?.string ?? "?"
    return "\(position)  \(time)  \(author)  \(value("from")) -> \(value("to"))\(rules)"
  }

  private var rules: String {
    guard let names = change["rules"]?.array?.compactMap(\.string), !names.isEmpty else { return "" }
    let more = change["rulesAreMore"]?.bool == true ? " and others" : ""
    return "  by " + names.map(TextTable.printable).joined(separator: ", ") + more
  }

  private var author: String {
    guard let by = change["by"] else { return "-" }
    var name = by["uid"]?.string.map(TextTable.printable)
    if by["isAdministrator"]?.bool == true { name = name.map { "an administrator as " + $0 } ?? "an administrator" }
    let ways = [by["provider"]?.string.map(TextTable.printable), by["address"]?.string].compactMap(\.self)
    return (name ?? "<signed out>") + (ways.isEmpty ? "" : " (" + ways.joined(separator: ", ") + ")")
  }

  private func value(_ name: String) -> String {
    if change[name + "IsLarge"]?.bool == true { return "(large)" }
    let text = TextTable.printable(String(decoding: (change[name] ?? .null).text(), as: UTF8.self))
    return text.utf8.count <= Self.valueBytesMax ? text : String(text.prefix(Self.valueBytesMax)) + "…"
  }
}

extension DatabaseClient {
  /// Returns a page of a location's history.
  func history(
    of path: DataPath, before: Int64?, limit: Int
  ) async throws -> (changes: [JSON], before: Int64?) {
    var parameters: Parameters = [("path", path.location.path.description), ("limit", String(limit))]
    if let before { parameters.append(("before", String(before))) }
    let body = try await send(.GET, resource: "/.settings/history.json", parameters)
    guard let json = JSON(parsing: body), let changes = json["changes"]?.array else {
      throw AdminFailure("\(place) returned a response that is not a history; is it an older server?")
    }
    return (changes, json["before"]?.int)
  }
}
