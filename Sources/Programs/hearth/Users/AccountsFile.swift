import ArgumentParser
import HearthMigration
import HearthTree

/// An export of accounts, read one after the other.
final class AccountsFile {
  /// The file format.
  enum Format: String, CaseIterable, ExpressibleByArgument { case json, csv }

  private enum Reader {
    case json(ExportReader)
    case csv(CSVReader)
  }

  private let reader: Reader
  /// The maximum number of columns of a CSV file's rows so far.
  private var columnsMax = 0

  /// - Parameter format: The format; nil for that of the name's extension.
  init(path: String, format: Format? = nil) throws {
    switch format ?? (Compression.plainName(path).lowercased().hasSuffix(".csv") ? .csv : .json) {
    case .json: reader = .json(try ExportReader(path: path))
    case .csv: reader = .csv(try CSVReader(path: path))
    }
  }

  /// Returns the next account for the import interface, or the problem with it; nil at the end.
  func next() throws -> Result<JSON, CSVUser.Problem>? {
    switch reader {
    case .json(let reader): try reader.next().map { .success($0) }
    case .csv(let reader):
      try reader.next().map { row in
        columnsMax = max(columnsMax, row.count)
        return CSVUser.user(row)
      }
    }
  }

  /// A note about ignored columns so far; `nil` when every column is known.
  var note: String? {
    guard columnsMax > CSVUser.columnsKnown else { return nil }
    return
      "rows have up to \(columnsMax) columns; those after column \(CSVUser.columnsKnown) are unknown and were ignored"
  }
}
