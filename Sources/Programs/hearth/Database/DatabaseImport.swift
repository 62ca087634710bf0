import ArgumentParser
import HearthMigration
import HearthProgram
import HearthTree

/// The command `hearth db import`.
struct DatabaseImport: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Write a JSON file of any size to a path.",
    discussion: """
      Reads the exports of `hearth db export` and of the Firebase console and CLI, and Firebase's daily backups, plain \
      or compressed with gzip or Zstandard. The path must be empty, unless --force removes its data first. A small file is one write; a large file is written in parts, in order, and \
      clients see each part. At the end the data at the path is compared with the file. The progress is recorded \
      beside the file (FILE.import): after an interruption, the same command continues the import.
      """)

  @OptionGroup var database: DatabaseOptions

  @Argument(help: DataPath.help)
  var path: DataPath

  @Argument(help: ArgumentHelp("The JSON file, which may be compressed; - is standard input.", valueName: "file"))
  var file: String

  @Flag(name: [.customShort("f"), .long], help: "Remove the data at the path first.")
  var force = false

  @Flag(help: "Fail when there is no interrupted import of this file to continue.")
  var resume = false

  @Flag(help: "Create the database if it does not exist, with rules that deny everything.")
  var create = false

  func validate() throws {
    guard !force || !resume else { throw ValidationError("--force and --resume cannot be combined.") }
    guard !resume || file != "-" else {
      throw ValidationError("--resume needs a file: standard input cannot be read again.")
    }
    guard !path.location.isPriority else { throw ValidationError("Set a priority with hearth db set.") }
  }

  func run() async throws {
    let input = try FileInput(path: file)
    let record = file == "-" ? nil : ImportRecord(path: file + ".import")
    try await database.run { client in
      if create { try await client.createDatabase() }
      var run = DataImport(client: client, path: path, input: input, file: file, record: record)
      let start = try await run.start(resumes: resume, replaces: force)
      try await run.send(after: start, removingFirst: force)
      try run.end()
    }
  }
}

extension DatabaseClient {
  /// Creates the database by uploading its first rules, unless it exists.
  func createDatabase() async throws {
    let rules = AdminRequest(
      path: "/.settings/rules.json", query: namespace.map { [("ns", $0)] } ?? [])
    guard try await http.send(method: .GET, target: rules.target, body: nil).status == 404 else { return }
    let text = Array(#"{"rules":{".read":false,".write":false}}"#.utf8)
    let answer = try await http.send(method: .PUT, target: rules.target, body: text)
    guard answer.status == 200 else {
      throw AdminFailure(answer: JSON(parsing: answer.body), status: answer.status, place: place)
    }
  }
}
