import HearthTree

/// Formats rows of texts as aligned columns.
package struct TextTable {
  private var rows: [[String]]

  /// - Parameter head: the titles of the columns; none for rows alone.
  package init(head: [String] = []) { rows = head.isEmpty ? [] : [head] }

  /// Adds a row; rows may have different numbers of cells.
  package mutating func add(_ cells: [String]) { rows.append(cells.map(Self.printable)) }

  /// The lines, without the last line's end.
  package var text: String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    return rows.map { row in
      let line = zip(row, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
        .joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }

  /// The text without characters that could move a terminal's cursor: names and addresses come from untrusted clients.
  package static func printable(_ text: String) -> String { text.printable }
}
