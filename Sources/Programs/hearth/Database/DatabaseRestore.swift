import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth db restore`.
struct DatabaseRestore: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Write the data that a path had at a former time, as one write.",
    discussion: """
      Replaces everything at the path, including priorities, and changes nothing else. The present data stays in the \
      history. Asks for confirmation, except with --dry-run, which only shows the differences.

        hearth db restore /rooms/lobby --at '10 minutes ago' --dry-run
      """)

  @OptionGroup var database: DatabaseOptions

  @Argument(help: DataPath.help)
  var path: DataPath

  @Option(
    help: ArgumentHelp(
      "The time to restore: '10 minutes ago', 2h, 2026-11-20T14:03:00Z, or the position of a commit.",
      valueName: "moment"))
  var at: String

  @Flag(help: "Show the differences, and change nothing.")
  var dryRun = false

  @Flag(name: [.customShort("f"), .long], help: "Do not ask for confirmation.")
  var force = false

  func validate() throws {
    try MomentOption.check(at)
    guard database.uid == nil, !database.asNobody else {
      throw ValidationError("Only administrators can restore: --as is not supported.")
    }
  }

  func run() async throws {
    try await database.run { client in
      let past = try await client.send(.GET, path, [("format", "export"), ("at", at)])
      let present = try await client.send(.GET, path, [("format", "export")])
      guard past != present else { return client.report(path, "\(path.text) is the same as then") }
      if dryRun { return try show(present, past, client) }
      if !force { try await client.confirmLoss(at: path, "Replace") }
      try await client.send(.PUT, path, DatabaseClient.writing, body: past)
      client.report(path, "restored \(path.text)")
    }
  }

  /// Prints the leaves that differ, as a list of paths.
  private func show(_ present: [UInt8], _ past: [UInt8], _ client: DatabaseClient) throws {
    guard let (now, then) = JSON(parsing: present).flatMap({ now in JSON(parsing: past).map { (now, $0) } }) else {
      throw AdminFailure("\(client.place) returned a response that is not JSON")
    }
    var lines = DifferenceLines()
    lines.add(now, then, at: path.location.path.keys.map(\.text))
    for line in lines.lines { Output.line(line) }
    if lines.omittedCount > 0 { Output.note("and \(lines.omittedCount) more") }
  }
}

/// The differences between two values: `~ /a/b  1 -> 2`, `+ /a/c  3`, `- /a/d  4`, in the order of their paths.
struct DifferenceLines {
  /// The limit of lines that a reader can review.
  private static let linesMax = 200
  private static let valueBytesMax = 200

  private(set) var lines: [String] = []
  private(set) var omittedCount = 0

  /// - Parameter keys: The path of both. The recursion is as deep as the data.
  mutating func add(_ now: JSON, _ then: JSON, at keys: [String]) {
    guard now != then else { return }
    let (left, right) = (Self.children(of: now), Self.children(of: then))
    guard left != nil || right != nil, left != nil || now == .null, right != nil || then == .null else {
      return append(now, then, keys)
    }
    let (a, b) = (left ?? [:], right ?? [:])
    for key in Set(a.keys).union(b.keys).sorted() { add(a[key] ?? .null, b[key] ?? .null, at: keys + [key]) }
  }

  private mutating func append(_ now: JSON, _ then: JSON, _ keys: [String]) {
    guard lines.count < Self.linesMax else {
      omittedCount += 1
      return
    }
    let path = TextTable.printable("/" + keys.joined(separator: "/"))
    switch (now, then) {
    case (.null, _): lines.append("+ \(path)  \(Self.text(then))")
    case (_, .null): lines.append("- \(path)  \(Self.text(now))")
    default: lines.append("~ \(path)  \(Self.text(now)) -> \(Self.text(then))")
    }
  }

  /// Returns the children by key; nil for a leaf.
  private static func children(of json: JSON) -> [String: JSON]? {
    if let array = json.array {
      return Dictionary(uniqueKeysWithValues: array.enumerated().map { (String($0.offset), $0.element) })
        .filter { $0.value != .null }
    }
    return json.members.map { members in Dictionary(members.map { ($0.name, $0.value) }) { $1 } }
  }

  private static func text(_ json: JSON) -> String {
    let text = TextTable.printable(String(decoding: json.text(), as: UTF8.self))
    return text.utf8.count <= valueBytesMax ? text : String(text.prefix(valueBytesMax)) + "…"
  }
}
