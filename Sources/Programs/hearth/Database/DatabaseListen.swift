import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth db listen`.
struct DatabaseListen: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "listen", abstract: "Print the data at a path, then every change as it happens.",
    discussion: """
      Prints one line for each event: put replaces the data at a path, patch replaces the named children. With --json, \
      each line is an object with event, path and data. After a lost connection the command reconnects and prints the \
      whole data. Exits with 1 when reading is no longer allowed.
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var filters: ReadFilters

  @Argument(help: DataPath.help)
  var path: DataPath

  @Flag(help: "Print priorities too.")
  var export = false

  @Option(name: [.customShort("n"), .long], help: ArgumentHelp("Stop after this many lines.", valueName: "count"))
  var count: Int?

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
  }

  func run() async throws {
    try await database.run { client in
      var follower = StreamFollower(client: client, path: path, remaining: count)
      var parameters = filters.parameters
      if export { parameters.append(("format", "export")) }
      try await follower.run(parameters)
    }
  }
}

/// A follower of a stream: prints its events, and reconnects when the connection is lost.
private struct StreamFollower {
  /// The silence after which the connection counts as lost: three times the interval of a server's keep-alives.
  private static let silenceSecondsMax: Int64 = 90

  let client: DatabaseClient
  let path: DataPath
  /// The number of events left to print; nil for all.
  var remaining: Int?
  private var wasConnected = false
  private var pauseSeconds = 1

  init(client: DatabaseClient, path: DataPath, remaining: Int?) {
    (self.client, self.path, self.remaining) = (client, path, remaining)
  }

  mutating func run(_ parameters: DatabaseClient.Parameters) async throws {
    while true {
      do {
        if try await follow(parameters) { return }
        Output.note("\(client.place) ended the stream; reconnecting")
      } catch let failure as HTTPClient.Failure where wasConnected {
        Output.note("\(failure); reconnecting")
      }
      try await Task.sleep(for: .seconds(pauseSeconds))
      pauseSeconds = min(30, pauseSeconds * 2)
    }
  }

  /// Follows the events of one connection.
  ///
  /// - Returns: True when all requested events are printed.
  private mutating func follow(_ parameters: DatabaseClient.Parameters) async throws -> Bool {
    let (client, path) = (client, path)
    var (remaining, isConnected) = (remaining, false)
    defer {
      self.remaining = remaining
      if isConnected { (wasConnected, pauseSeconds) = (true, 1) }
    }
    return try await client.stream(
      path, parameters, headers: [("Accept", "text/event-stream"), ("Cache-Control", "no-cache")],
      silenceSecondsMax: Self.silenceSecondsMax
    ) { body in
      var events = EventStream()
      isConnected = true
      while let piece = try await body.next() {
        try events.append(piece.readableBytesView)
        while let event = events.next() {
          guard try Self.show(event, of: client, at: path) else { continue }
          remaining = remaining.map { $0 - 1 }
          if remaining == 0 { return true }
        }
      }
      return false
    }
  }

  /// - Returns: True when it was a change.
  private static func show(_ event: EventStream.Event, of client: DatabaseClient, at path: DataPath) throws -> Bool {
    switch event.name {
    case "put", "patch":
      guard let change = StreamChange(event) else {
        throw AdminFailure("\(client.place) sent an unknown event: \(event.name)")
      }
      if client.printsJSON {
        Output.raw(change.line(below: path), to: 1)
      } else {
        Output.line(change.text(below: path))
      }
      return true
    case "cancel":
      let reason = JSON(parsing: event.data)?.string ?? String(decoding: event.data, as: UTF8.self)
      throw AdminFailure("\(client.place) ended the stream: \(TextTable.printable(reason))")
    case "auth_revoked":
      let reason = String(decoding: event.data, as: UTF8.self)
      throw AdminFailure("\(client.place) ended the stream: \(TextTable.printable(reason))")
    default: return false
    }
  }
}

/// A `put` or `patch` event with its path and its data, whose text is kept unchanged.
private struct StreamChange {
  let event: String
  /// The path relative to the followed one.
  let path: String
  let data: [UInt8]

  init?(_ event: EventStream.Event) {
    let found = event.data.withUnsafeBytes { bytes -> (path: String, data: Range<Int>)? in
      var reader = JSONReader(bytes)
      var (path, data): (String?, Range<Int>?)
      do {
        try reader.beginObject()
        while let name = try reader.nextMember() {
          _ = try reader.kind()
          let start = reader.offset
          if name == "path" {
            path = try reader.string()
          } else {
            try reader.skipValue()
            if name == "data" { data = start..<reader.offset }
          }
        }
        try reader.end()
      } catch {
        return nil
      }
      guard let path, let data else { return nil }
      return (path, data)
    }
    guard let found else { return nil }
    self.event = event.name
    path = found.path
    data = event.data[found.data].map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 }
  }

  /// Returns the path from the root, for readers and scripts that follow several paths.
  private func fullPath(below base: DataPath) -> String {
    let parts = [base.location.description, path].flatMap { $0.split(separator: "/") }
    return "/" + parts.joined(separator: "/")
  }

  func line(below base: DataPath) -> [UInt8] {
    let head = (["event": .string(event), "path": .string(fullPath(below: base))] as JSON).text()
    return head.dropLast() + Array(#","data":"#.utf8) + data + Array("}\n".utf8)
  }

  func text(below base: DataPath) -> String {
    let name = event + String(repeating: " ", count: max(0, 5 - event.count))
    return TextTable.printable("\(name)  \(fullPath(below: base))  " + String(decoding: data, as: UTF8.self))
  }
}
