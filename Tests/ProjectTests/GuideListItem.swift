import Foundation

/// An item of a numbered list in a guide, with the indented lines below it.
struct GuideListItem {
  var number: Int
  /// The item's text on one line, with single spaces between words.
  var text: String

  /// Returns the numbered items of a file in order.
  static func all(in path: String) throws -> [GuideListItem] {
    var lines: [GuideListItem] = []
    for line in try Project.text(path).split(separator: "\n") {
      if let number = line.firstMatch(of: /^([0-9]+)\.\s/).flatMap({ Int($0.output.1) }) {
        lines.append(GuideListItem(number: number, text: String(line)))
      } else if line.hasPrefix("   "), !lines.isEmpty {
        lines[lines.count - 1].text += " " + line.trimmingCharacters(in: .whitespaces)
      }
    }
    return lines
  }
}
