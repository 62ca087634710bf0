import Foundation

/// One line of a numbered list in a guide, with what is indented below it.
struct NumberedLine {
  var number: Int
  /// On one line, words parted by single spaces.
  var text: String

  /// The numbered lines of a file, in its order.
  static func all(in path: String) throws -> [NumberedLine] {
    var lines: [NumberedLine] = []
    for line in try Project.text(path).split(separator: "\n") {
      if let number = line.firstMatch(of: /^([0-9]+)\.\s/).flatMap({ Int($0.output.1) }) {
        lines.append(NumberedLine(number: number, text: String(line)))
      } else if line.hasPrefix("   "), !lines.isEmpty {
        lines[lines.count - 1].text += " " + line.trimmingCharacters(in: .whitespaces)
      }
    }
    return lines
  }
}
