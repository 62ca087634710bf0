/// One compiled rule: an expression at a place of the file.
package final class Rule: Sendable {
  /// What it is asked about.
  package let kind: RuleKind
  /// The names from the root of the rules down, wildcards included.
  package let place: [String]
  /// The rule as written, after the file's string escapes are undone.
  package let text: String
  /// Where the text begins in the file.
  package let position: SourcePosition
  let program: Program
  /// The checked expression. Nil when the rule set was compiled for deciding alone.
  package let expression: TypedExpression?
  /// Where bytes of the text stand in the file. Nil like ``expression``, and for a rule that is no text.
  let origin: RulesDocument.Text?

  init(
    kind: RuleKind, place: [String], text: String, position: SourcePosition, program: Program,
    expression: TypedExpression? = nil, origin: RulesDocument.Text? = nil
  ) {
    self.kind = kind
    self.place = place
    self.text = text
    self.position = position
    self.program = program
    self.expression = expression
    self.origin = origin
  }

  /// Made when asked for: rules share the names, and a long name would otherwise be there once for every rule below it.
  package var pathTemplate: String { "/" + place.joined(separator: "/") }
}

/// A place in a text: 1-based line, and 1-based column in characters.
package struct SourcePosition: Sendable, Equatable {
  /// From 1.
  package var line: Int
  /// From 1, in characters.
  package var column: Int
}
