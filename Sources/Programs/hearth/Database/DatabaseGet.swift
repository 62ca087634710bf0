import ArgumentParser
import Glibc
import HearthBytes
import HearthEngine
import HearthGateway
import HearthProgram
import HearthTree

/// The command `hearth db get`.
struct DatabaseGet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Print the data at a path, or the part that a query selects.",
    discussion: """
      Prints null if there is no data. With --at, prints the data of that time. With --as, the rules decide, and a \
      denial is explained; with --at and --as, the rules, data and clock of that time decide.
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var filters: ReadFilters
  @OptionGroup var moment: MomentOption

  @Argument(help: DataPath.help)
  var path: DataPath

  @Flag(help: "Print only the keys of the children, each with the value true.")
  var shallow = false

  @Flag(help: "Print priorities too, as hearth db import reads them.")
  var export = false

  @Flag(help: "Indent the output.")
  var pretty = false

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Write to this file instead of standard output.", valueName: "file"))
  var output: String?

  func validate() throws {
    guard !shallow || !export else { throw ValidationError("--shallow and --export cannot be combined.") }
  }

  func run() async throws {
    func read(_ client: DatabaseClient) async throws {
      let sink = try DataSink(path: output)
      var parameters = filters.parameters
      if shallow { parameters.append(("shallow", "true")) }
      if export { parameters.append(("format", "export")) }
      if pretty { parameters.append(("print", "pretty")) }
      parameters += moment.parameters
      try await client.explaining(try request) {
        try await client.stream(path, parameters) { body in
          while let piece = try await body.next() { try sink.write(Array(piece.readableBytesView)) }
        }
      }
      try sink.write([UInt8(ascii: "\n")])
      try sink.finish()
    }
    if moment.at == nil { try await database.run(read) } else { try await database.runLookingBack(read) }
  }
}

extension DatabaseGet {
  /// The request as the server's decisions take it.
  private var request: JSON {
    get throws {
      let query = AdminRequest(path: "", query: filters.parameters).target.dropFirst()
      return try ProposedRequest.read(path.location.path, try RESTFilters.query(try URLQuery(query.utf8))).json
    }
  }
}

/// The destination of data: standard output, or a file that appears only when it is complete.
final class DataSink {
  private let writer: FileWriter?

  /// - Parameter path: The path of a file; nil and `-` for standard output.
  init(path: String?) throws {
    writer = try path.flatMap { $0 == "-" ? nil : try FileWriter(replacing: $0, mode: 0o600) }
  }

  func write(_ bytes: [UInt8]) throws {
    if let writer { try writer.write(bytes) } else { Output.raw(bytes, to: STDOUT_FILENO) }
  }

  func finish() throws { try writer?.finish() }
}
