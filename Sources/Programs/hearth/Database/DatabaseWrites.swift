import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth db set`.
struct DatabaseSet: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Replace the data at a path; null removes it.",
    discussion: "Asks for confirmation when the path has children.")

  @OptionGroup var database: DatabaseOptions

  @Argument(help: DataPath.help)
  var path: DataPath

  @OptionGroup var body: WriteBody

  @Flag(name: [.customShort("f"), .long], help: "Do not ask for confirmation.")
  var force = false

  func run() async throws {
    let bytes = try body.bytes()
    try await database.run { client in
      if !force { try await client.confirmLoss(at: path, "Replace") }
      try await client.explaining(["write": .string(path.text), "value": JSON(parsing: bytes) ?? .null]) {
        _ = try await client.send(.PUT, path, DatabaseClient.writing, body: bytes)
      }
      client.report(path, "set \(path.text)")
    }
  }
}

/// The command `hearth db update`.
struct DatabaseUpdate: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Replace some children of a path, and keep the others.",
    discussion:
      "The value is an object; a name can be a path (a/b), and null removes. The update is one atomic write.")

  @OptionGroup var database: DatabaseOptions

  @Argument(help: DataPath.help)
  var path: DataPath

  @OptionGroup var body: WriteBody

  func run() async throws {
    let bytes = try body.bytes()
    guard bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
      throw ValidationError("An update is a JSON object, such as '{\"name\":\"Ann\",\"old\":null}'.")
    }
    try await database.run { client in
      try await client.explaining(["update": .string(path.text), "value": JSON(parsing: bytes) ?? .null]) {
        _ = try await client.send(.PATCH, path, DatabaseClient.writing, body: bytes)
      }
      client.report(path, "updated \(path.text)")
    }
  }
}

/// The command `hearth db push`.
struct DatabasePush: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "push", abstract: "Add a child under a new key that sorts by time, and print the key.")

  @OptionGroup var database: DatabaseOptions

  @Argument(help: DataPath.help)
  var path: DataPath

  @OptionGroup var body: WriteBody

  func run() async throws {
    let bytes = try body.bytes()
    try await database.run { client in
      let answer = try await client.send(.POST, path, [("writeSizeLimit", "unlimited")], body: bytes)
      guard let name = JSON(parsing: answer)?["name"]?.string else {
        throw AdminFailure("\(client.place) did not return the new key")
      }
      if client.printsJSON {
        Output.json(["name": .string(name)])
      } else {
        Output.line(TextTable.printable(name))
      }
    }
  }
}

/// The command `hearth db remove`.
struct DatabaseRemove: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove the data at a path.",
    discussion:
      "Asks for confirmation when the path has children. Data larger than one write is removed in visible parts."
  )

  @OptionGroup var database: DatabaseOptions

  @Argument(help: DataPath.help)
  var path: DataPath

  @Flag(name: [.customShort("f"), .long], help: "Do not ask for confirmation.")
  var force = false

  func run() async throws {
    try await database.run { client in
      if !force { try await client.confirmLoss(at: path, "Remove") }
      try await client.explaining(["delete": .string(path.text)]) { try await client.remove(path) }
      client.report(path, "removed \(path.text)")
    }
  }
}

extension DatabaseClient {
  /// The query of writes whose answer is not read.
  static let writing: Parameters = [("print", "silent"), ("writeSizeLimit", "unlimited")]

  /// The query of imported data, which was written before elsewhere and makes no events.
  static let importing: Parameters = writing + [("disableTriggers", "true")]

  /// Asks for a confirmation when the path has children.
  func confirmLoss(at path: DataPath, _ verb: String) async throws {
    guard try await administrator.kind(at: path) == .container else { return }
    let name = namespace.map { " of the database \($0)" } ?? ""
    try Confirmation.ask(
      "\(verb) everything at \(path.text)\(name)?", orFlag: "--force", refusal: "nothing was changed")
  }

  func report(_ path: DataPath, _ sentence: String) {
    if printsJSON {
      Output.json(["path": .string(path.location.description)])
    } else {
      Output.line(sentence)
    }
  }
}
