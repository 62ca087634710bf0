/// A reader of a CSV file's rows: fields in quotes may contain commas, doubled quotes and line breaks.
final class CSVReader {
  struct Failure: Error, CustomStringConvertible { var description: String }

  static let rowBytesMax = 1 << 20

  private let input: BufferedFile
  private let path: String
  private var row = 0

  init(path: String) throws {
    self.path = path
    input = try BufferedFile(path: path)
  }

  /// Returns the next row that is not empty; nil at the end.
  func next() throws -> [String]? {
    while try input.peek() != nil {
      row += 1
      let fields = try readRow()
      if fields != [""] { return fields }
    }
    return nil
  }

  private func readRow() throws -> [String] {
    var fields: [String] = []
    var field: [UInt8] = []
    var (isQuoted, total) = (false, 0)
    while let byte = try input.next() {
      total += 1
      guard total <= Self.rowBytesMax else { throw failure("is longer than \(Self.rowBytesMax) bytes") }
      if isQuoted {
        guard byte == UInt8(ascii: "\"") else {
          field.append(byte)
          continue
        }
        if try input.peek() == UInt8(ascii: "\"") {
          field.append(byte)
          _ = try input.next()
        } else {
          isQuoted = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\"") where field.isEmpty: isQuoted = true
      case UInt8(ascii: ","):
        fields.append(try text(field))
        field = []
      case UInt8(ascii: "\n"):
        if field.last == UInt8(ascii: "\r") { field.removeLast() }
        return fields + [try text(field)]
      default: field.append(byte)
      }
    }
    guard !isQuoted else { throw failure("ends inside quotes; export the file again") }
    if field.last == UInt8(ascii: "\r") { field.removeLast() }
    return fields + [try text(field)]
  }

  private func text(_ field: [UInt8]) throws -> String {
    guard let text = String(validating: field, as: UTF8.self) else { throw failure("is not UTF-8 text") }
    return text
  }

  private func failure(_ what: String) -> Failure { Failure(description: "\(path): row \(row) \(what)") }
}
