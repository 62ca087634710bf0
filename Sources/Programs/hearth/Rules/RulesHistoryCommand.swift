import ArgumentParser
import Glibc
import HearthProgram
import HearthRules
import HearthTree
import HearthWorkbench

/// The command `hearth rules history`.
struct RulesHistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "List the versions of a database's rules, or print one.",
    discussion: """
      The newest version comes first and is in force. Every deploy makes a version: by this command, REST, a watched \
      rules file, or an automatic roll-back of the server.
      """)

  @Argument(help: ArgumentHelp("Print the text of this version.", valueName: "id"))
  var id: Int64?

  @Option(name: [.customShort("n"), .long], help: ArgumentHelp("The number of versions to list.", valueName: "count"))
  var count = 20

  @Flag(help: "For a version in another rules language: print the compiled rules, not the file.")
  var compiled = false

  @OptionGroup var server: RulesServer

  func validate() throws {
    guard !compiled || id != nil else { throw ValidationError("--compiled needs the id of a version.") }
    guard count > 0 else { throw ValidationError("--count must be 1 or more.") }
  }

  func run() async throws {
    try await server.run { client in
      if let id {
        let (version, source) = try await client.version(id)
        if client.printsJSON {
          Output.json(version.appending(["source": .string(source)]))
        } else {
          let text = compiled ? source : RulesOrigin(endOf: source)?.text ?? source
          Output.raw(Array(text.utf8), to: STDOUT_FILENO)
          if !text.hasSuffix("\n") { Output.line("") }
        }
        return
      }
      let history = try await client.send(.GET, "/versions.json")
      let versions = history["versions"]?.array ?? []
      guard !client.printsJSON else {
        return Output.json(
          .object(
            (history.members ?? []).map {
              $0.name == "versions" ? .init("versions", .array(Array(versions.prefix(count)))) : $0
            }))
      }
      guard !versions.isEmpty else { return Output.line("no rules were deployed yet") }
      var table = TextTable(head: ["version", "time", "by", "what"])
      for version in versions.prefix(count) { table.add(VersionText(version: version).cells) }
      Output.line(table.text)
      if let watch = history["watch"] { Output.line(TrialText.watch(watch)) }
      if versions.count > count { Output.note("and \(versions.count - count) older ones: --count shows more") }
    }
  }
}

/// The text of a version for readers.
struct VersionText {
  let version: JSON

  var cells: [String] {
    var what = cause
    if let comment = version["comment"]?.string { what += ": \(comment)" }
    return ["\(version["id"]?.int ?? 0)", version["time"]?.string ?? "", author, what]
  }

  /// The author and the tool of a version.
  private var author: String {
    let name = version["author"]?["name"]?.string
    let author =
      switch version["author"]?["kind"]?.string {
      case "administrator": "administrator"
      case "serviceAccount": name ?? "service account"
      case "secret": "secret" + (name.map { " (\($0))" } ?? "")
      case "emulator": "emulator"
      case "file": name ?? "rules file"
      case "server": "the server"
      default: "unknown"
      }
    return author + (version["tool"]?.string.map { " (\($0))" } ?? "")
  }

  private var cause: String {
    let original = version["original"]?.int.map { " to version \($0)" } ?? ""
    return switch version["cause"]?.string {
    case "rollback": "rolled back\(original)"
    case "automaticRollback": "rolled back automatically\(original)"
    case "promote": "promoted"
    case "found": "found in force"
    default: "deployed"
    }
  }
}
