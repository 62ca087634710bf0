import HearthTree

/// A table of strings, formatted as aligned columns.
package struct TextTable {
  private var rows: [[String]]

  /// - Parameter head: The titles of the columns; empty for a table without titles.
  package init(head: [String] = []) { rows = head.isEmpty ? [] : [head] }

  /// Adds a row; rows may have different numbers of cells.
  package mutating func add(_ cells: [String]) { rows.append(cells.map(Self.printable)) }

  /// The lines, without a line break after the last one.
  package var text: String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    return rows.map { row in
      let line = zip(row, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
        .joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }

  /// Returns the text without characters that could move a terminal's cursor: names and addresses come from untrusted
  /// clients.
  package static func printable(_ text: String) -> String { text.printable }
}
