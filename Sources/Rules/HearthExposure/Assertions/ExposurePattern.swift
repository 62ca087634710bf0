import HearthRules
import HearthTree

/// The matching of a pattern with the locations of a rules file.
enum ExposurePattern {
  enum Part: Sendable, Equatable {
    case key(String)
    /// `*`, which matches any one key.
    case any
    /// `$name`, which matches any key that the rules match with a wildcard.
    case open
    /// `**`, which matches any number of keys.
    case deep
  }

  static func parts(_ text: String, _ column: Int) throws(ExposureAssertion.Problem) -> [Part] {
    guard text.hasPrefix("/") else {
      throw ExposureAssertion.Problem(column: column, message: "a path must begin with /")
    }
    if text == "/" { return [] }
    var parts: [Part] = []
    var at = column + 1
    for piece in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      parts.append(try part(String(piece), at))
      at += piece.count + 1
    }
    return parts
  }

  private static func part(_ piece: String, _ column: Int) throws(ExposureAssertion.Problem) -> Part {
    switch piece {
    case "*": return .any
    case "**": return .deep
    case "": throw ExposureAssertion.Problem(column: column, message: "a key is missing between two slashes")
    default: break
    }
    if piece.hasPrefix("$"), piece.count > 1 { return .open }
    if piece.contains("*") {
      throw ExposureAssertion.Problem(
        column: column, message: "'\(piece)': write * alone for one key, or ** for any number of keys")
    }
    if Key(piece).problem != nil {
      throw ExposureAssertion.Problem(column: column, message: "'\(piece)' is not a valid key")
    }
    return .key(piece)
  }

  /// Returns the locations that a pattern matches. A location without rules of its own represents all such locations,
  /// which only the rules above them decide.
  static func locations(_ parts: [Part], in rules: RuleSet) -> [ExposureLocation] {
    var matcher = LocationMatcher()
    matcher.match(parts[...], [rules.root], [])
    return matcher.found
  }

  private struct LocationMatcher {
    var found: [ExposureLocation] = []
    private var seen: Set<[ExposureLocation.Step]> = []

    mutating func match(_ parts: ArraySlice<Part>, _ chain: [RuleNode?], _ steps: [ExposureLocation.Step]) {
      guard let part = parts.first else {
        if seen.insert(steps).inserted { found.append(ExposureLocation(steps: steps, chains: [chain])) }
        return
      }
      let node = chain.last ?? nil
      let rest = parts.dropFirst()
      switch part {
      case .key(let key): match(rest, chain + [node?.child(Key(key))], steps + [.key(key)])
      case .any:
        for (key, child) in node?.children.list ?? [] { match(rest, chain + [child], steps + [.key(key.text)]) }
        open(rest, chain, steps)
      case .open: open(rest, chain, steps)
      case .deep:
        match(rest, chain, steps)
        for (key, child) in node?.children.list ?? [] { match(parts, chain + [child], steps + [.key(key.text)]) }
        if let wildcard = node?.wildcard {
          match(parts, chain + [wildcard], steps + [ExposureLocation.open(node)])
        }
      }
    }

    private mutating func open(_ rest: ArraySlice<Part>, _ chain: [RuleNode?], _ steps: [ExposureLocation.Step]) {
      let node = chain.last ?? nil
      match(rest, chain + [node?.wildcard], steps + [ExposureLocation.open(node)])
    }
  }
}
