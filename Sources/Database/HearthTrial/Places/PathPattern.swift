import HearthRules
import HearthTree

/// A path as rules files name it: with literal keys that they contain, and wildcards for all others. All levels below
/// the last rule are one `…`. The number of patterns is therefore bounded by the files, whatever clients request.
enum PathPattern {
  /// Returns the pattern of a path.
  ///
  /// - Parameter files: The rules files, in order: a key that the first file does not contain may be in the next one.
  static func of(_ path: Path, in files: [RuleSet]) -> String {
    var nodes: [RuleNode?] = files.map(\.root)
    var pattern = ""
    for key in path.keys {
      if nodes.contains(where: { $0?.children[key] != nil }) {
        pattern += "/" + ReportText.of(key.text)
      } else if let wildcard = nodes.lazy.compactMap({ $0?.wildcard }).first {
        pattern += "/" + ReportText.of(wildcard.name)
      } else {
        return pattern + "/…"
      }
      nodes = nodes.map { $0?.child(key) }
    }
    return pattern.isEmpty ? "/" : pattern
  }
}

/// The form of clients' text in a report: a single line of limited length, without terminal control characters.
enum ReportText {
  static func of(_ text: String) -> String {
    guard text.utf8.count > TrialLimits.textBytesMax else { return PlainExplanation.of(text) }
    var (beginning, count) = (String.UnicodeScalarView(), 0)
    for scalar in text.unicodeScalars {
      count += UTF8.width(scalar)
      if count > TrialLimits.textBytesMax { break }
      beginning.append(scalar)
    }
    return PlainExplanation.of(String(beginning)) + "…"
  }
}
