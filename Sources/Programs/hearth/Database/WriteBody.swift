import ArgumentParser
import Glibc
import HearthMigration
import HearthProgram
import HearthTree

/// The options for the value to write: an argument, a file, or standard input.
struct WriteBody: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The value as JSON. Without it, -d or --file, standard input is read.",
      valueName: "json"))
  var value: String?

  @Option(name: .customShort("d"), help: ArgumentHelp("The value as JSON.", valueName: "json"))
  var text: String?

  @Option(help: ArgumentHelp("Read the value from this file; - is standard input.", valueName: "file"))
  var file: String?

  /// The maximum size of a request's value.
  private static let sizeBytesMax = 256 << 20

  func validate() throws {
    guard [value, text, file].count(where: { $0 != nil }) <= 1 else {
      throw ValidationError("The value is given twice: keep one of the argument, -d and --file.")
    }
  }

  /// Returns the validated JSON text.
  func bytes() throws -> [UInt8] {
    if let text = value ?? text { return try check(Array(text.utf8), "the value") }
    if file == nil, isatty(STDIN_FILENO) == 1 { Output.note("reading JSON from standard input") }
    let path = file ?? "-"
    guard let bytes = try FileInput.content(of: path, bytesMax: Self.sizeBytesMax) else {
      throw AdminFailure("\(path) exceeds the size of one request; hearth db import sends it in parts")
    }
    return try check(bytes, path == "-" ? "standard input" : path)
  }

  private func check(_ bytes: [UInt8], _ name: String) throws -> [UInt8] {
    let error = bytes.withUnsafeBytes { bytes -> JSONError? in
      var reader = JSONReader(bytes)
      do throws(JSONError) {
        try reader.skipValue()
        try reader.end()
        return nil
      } catch {
        return error
      }
    }
    guard let error else { return bytes }
    let before = bytes.prefix(error.offset)
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let column = before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count + 1
    throw AdminFailure("\(name):\(line):\(column): \(error.message)")
  }
}
