import ArgumentParser
import Glibc
import HearthProgram
import HearthTree

/// The command `hearth db export`.
struct DatabaseExport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the data at a path to a file, with priorities, for hearth db import.",
    discussion: """
      The file is readable only by its owner, and appears when it is complete. Data larger than one response (256 MB) \
      is read in parts: the file may or may not contain writes made during the export.
      """)

  @OptionGroup var database: DatabaseOptions

  @Argument(help: DataPath.help)
  var path: DataPath

  @Argument(help: ArgumentHelp("The file to write; - is standard output.", valueName: "file"))
  var file: String

  @Flag(name: [.customShort("f"), .long], help: "Replace the file if it exists.")
  var force = false

  func run() async throws {
    if file != "-", !force, access(file, F_OK) == 0 {
      throw ValidationError("\(file) exists; --force replaces it.")
    }
    try await database.run { client in
      var export = DataExport(
        client: client, sink: try DataSink(path: file), label: "exporting \(path.text)")
      try await export.write(path)
      try export.finish()
    }
  }
}

/// The copying of data to a sink as export text, of any size, in bounded memory.
private struct DataExport {
  /// The target size of a page in bytes.
  private static let pageBytes = 8 << 20
  private static let pageChildrenMax = 65_536

  private let client: DatabaseClient
  private let sink: DataSink
  private var progress: Progress
  private var written = 0

  init(client: DatabaseClient, sink: DataSink, label: String) {
    self.client = client
    self.sink = sink
    progress = Progress(label, unit: "KB")
  }

  /// Writes the value as one response when it fits into one, else child by child.
  mutating func write(_ path: DataPath) async throws {
    do {
      try await copy(path)
    } catch let failure as AdminFailure where failure.code == AdminFailure.tooBig {
      try await writePages(of: path)
    }
  }

  mutating func finish() throws {
    try write([UInt8(ascii: "\n")])
    try sink.finish()
    progress.end(written >> 10)
  }

  private mutating func write(_ bytes: [UInt8]) throws {
    try sink.write(bytes)
    written += bytes.count
    progress.show(written >> 10)
  }

  private mutating func copy(_ path: DataPath) async throws {
    var (written, progress) = (written, progress)
    let sink = sink
    defer { (self.written, self.progress) = (written, progress) }
    try await client.stream(path, [("format", "export")]) { body in
      while let piece = try await body.next() {
        try sink.write(Array(piece.readableBytesView))
        written += piece.readableBytes
        progress.show(written >> 10)
      }
    }
  }

  // MARK: Pages

  private mutating func writePages(of path: DataPath) async throws {
    Output.note("\(path.text) is larger than one response; reading it in parts")
    try write([UInt8(ascii: "{")])
    var (last, limit, isFirst, isComplete): (String?, Int, Bool, Bool) = (nil, 1_024, true, false)
    while !isComplete {
      if let page = try await page(of: path, after: last, limit: limit) {
        for member in page.members {
          try write(isFirst ? member : [UInt8(ascii: ",")] + member)
          isFirst = false
        }
        isComplete = page.members.count < limit
        last = page.lastKey ?? last
        limit = Self.next(limit, pageBytes: page.sizeBytes)
      } else if limit > 1 {
        limit = max(1, limit / 8)
      } else {
        guard let key = try await firstKey(of: path, after: last) else { break }
        try write((isFirst ? [] : [UInt8(ascii: ",")]) + JSON.string(key).text() + [UInt8(ascii: ":")])
        isFirst = false
        try await write(path.appending([key]))
        last = key
      }
    }
    let priority = try await client.send(.GET, path.priority)
    if JSON(parsing: priority).map({ if case .null = $0 { false } else { true } }) ?? false {
      try write(Array((isFirst ? "" : ",").utf8) + Array(#"".priority":"#.utf8) + priority)
    }
    try write([UInt8(ascii: "}")])
  }

  private static func next(_ limit: Int, pageBytes: Int) -> Int {
    if pageBytes > 2 * Self.pageBytes { return max(1, limit / 2) }
    return pageBytes < Self.pageBytes / 4 ? min(pageChildrenMax, limit * 4) : limit
  }

  private struct Page {
    /// The members in the form `"key":value`.
    var members: [[UInt8]]
    var lastKey: String?
    var sizeBytes: Int
  }

  /// Returns children in order of key; nil when they exceed the limit of a response.
  private func page(of path: DataPath, after key: String?, limit: Int) async throws -> Page? {
    var parameters: DatabaseClient.Parameters = [
      ("format", "export"), ("orderBy", #""$key""#), ("limitToFirst", String(limit)),
    ]
    if let key { parameters.append(("startAfter", ReadFilters.quoted(key))) }
    let bytes: [UInt8]
    do {
      bytes = try await client.stream(path, parameters) { body in
        try await body.collect(bytesMax: DatabaseClient.answerBytesMax)
      }
    } catch let failure as AdminFailure where failure.code == AdminFailure.tooBig {
      return nil
    } catch let failure as HTTPClient.Failure where failure.isTooLong && limit > 1 {
      return nil
    }
    guard let page = Self.parse(bytes) else {
      throw AdminFailure("\(client.place) returned a part of \(path.text) that is not an object")
    }
    return page
  }

  private static func parse(_ bytes: [UInt8]) -> Page? {
    bytes.withUnsafeBytes { raw -> Page? in
      var (reader, page) = (JSONReader(raw), Page(members: [], lastKey: nil, sizeBytes: raw.count))
      do {
        if try reader.null() { return page }
        try reader.beginObject()
        while let name = try reader.nextMember() {
          _ = try reader.kind()
          let start = reader.offset
          try reader.skipValue()
          guard !name.hasPrefix(".") else { continue }
          page.members.append(JSON.string(name).text() + [UInt8(ascii: ":")] + bytes[start..<reader.offset])
          page.lastKey = name
        }
        try reader.end()
        return page
      } catch {
        return nil
      }
    }
  }

  /// Returns the key of the next child, which is too large to be read with its value.
  private func firstKey(of path: DataPath, after key: String?) async throws -> String? {
    var parameters: DatabaseClient.Parameters = [("shallow", "true"), ("limitToFirst", "1")]
    if let key { parameters.append(("startAfter", ReadFilters.quoted(key))) }
    let answer = try await client.send(.GET, path, parameters)
    return JSON(parsing: answer)?.members?.first?.name
  }
}
