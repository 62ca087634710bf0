import HearthRules
import HearthWorkbench

extension Parser {
  /// Parsers of rules, and of tests of rules.
  static let rulesParsers = [
    Parser(name: "rules") { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      guard let rules = try? RuleSet.compile(text) else { return }
      let again = try? RuleSet.compile(String(decoding: rules.strictJSON, as: UTF8.self))
      try require(again != nil, "rules whose plain form is refused")
    },
    Parser(name: "rules-tests") { bytes in
      // The first byte selects one of the two languages.
      let name = bytes.first.map { $0 % 2 == 0 } ?? true ? "rules-test.json" : "rules-test.yaml"
      let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
      _ = try? RulesTestReader.read(DocumentText(file: name, text: text))
    },
  ]
}
