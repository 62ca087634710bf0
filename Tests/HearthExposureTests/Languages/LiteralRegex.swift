import HearthRules
import HearthTree
import Testing

/// A regular expression of the evaluator, from a literal with slashes.
enum LiteralRegex {
  static func compile(_ literal: String) throws -> LinearRegex {
    var writer = JSONWriter()
    writer.write(JSON.string("data.val().matches(\(literal))"))
    let rule = String(decoding: writer.bytes, as: UTF8.self)
    let rules = try RuleSet.compile("{\"rules\":{\".read\":\(rule)}}", keepsExpressions: true)
    guard case .matches(_, let regex)? = rules.root.read?.expression?.form else {
      throw Missing(literal: literal)
    }
    return regex
  }

  private struct Missing: Error {
    var literal: String
  }
}
