import HearthRules
import HearthTree

/// A path as rules files name it: keys that they name as they are, all others as the wildcard that matches them. What is
/// below all rules is one `…`. So there are only as many patterns as the files have places, whatever clients ask for.
enum PathPattern {
  /// - Parameter files: A key that the first does not name may be named by the next.
  static func of(_ path: Path, in files: [RuleSet]) -> String {
    var nodes: [RuleNode?] = files.map(\.root)
    var pattern = ""
    for key in path.keys {
      if nodes.contains(where: { $0?.children[key] != nil }) {
        pattern += "/" + ShownText.of(key.text)
      } else if let wildcard = nodes.lazy.compactMap({ $0?.wildcard }).first {
        pattern += "/" + ShownText.of(wildcard.name)
      } else {
        return pattern + "/…"
      }
      nodes = nodes.map { $0?.child(key) }
    }
    return pattern.isEmpty ? "/" : pattern
  }
}

/// Text that clients chose, as a report shows it: on one line, nothing that speaks to a terminal, and not long.
enum ShownText {
  static func of(_ text: String) -> String {
    guard text.utf8.count > TrialLimits.textBytesMax else { return PlainText.of(text) }
    var (beginning, count) = (String.UnicodeScalarView(), 0)
    for scalar in text.unicodeScalars {
      count += UTF8.width(scalar)
      if count > TrialLimits.textBytesMax { break }
      beginning.append(scalar)
    }
    return PlainText.of(String(beginning)) + "…"
  }
}
