/// One compiled rule: an expression at a node of the rules file.
package final class Rule: Sendable {
  /// The kind of the rule.
  package let kind: RuleKind
  /// The names from the root of the rules, including wildcards.
  package let place: [String]
  /// The rule as written, with the file's string escapes resolved.
  package let text: String
  /// The position in the file at which the text begins.
  package let position: SourcePosition
  let program: Program
  /// The data for tools that inspect the rule. nil when the rule set was compiled without `keepsExpressions`.
  let inspection: RuleInspection?

  init(
    kind: RuleKind, place: [String], text: String, position: SourcePosition, program: Program,
    inspection: RuleInspection? = nil
  ) {
    self.kind = kind
    self.place = place
    self.text = text
    self.position = position
    self.program = program
    self.inspection = inspection
  }

  /// The template of the rule's path. It is computed on demand, because rules share the names; otherwise a long name
  /// would be copied for every rule below it.
  package var pathTemplate: String { "/" + place.joined(separator: "/") }

  /// The checked expression. nil when the rule set was compiled without `keepsExpressions`.
  package var expression: TypedExpression? { inspection?.expression }

  /// The rule's number among all rules of the file, from 0; nil like ``expression``.
  package var number: Int? { inspection?.number }

  /// Returns the position in the file of a byte of the text, considering the file's string escapes. When the rule set
  /// was compiled without `keepsExpressions`, returns the position of the text's beginning.
  package func position(ofByte offset: Int) -> SourcePosition {
    guard let inspection else { return position }
    return inspection.source.position(ofByte: fileOffset(ofByte: offset, inspection))
  }

  /// Returns the positions in the file at which a range of the text begins and ends, like ``position(ofByte:)``. For a
  /// generated file, a span from several segments has an end equal to its start.
  package func span(ofBytes range: Range<Int>) -> (start: SourcePosition, end: SourcePosition) {
    guard let inspection else { return (position, position) }
    let (start, end) = (
      fileOffset(ofByte: range.lowerBound, inspection), fileOffset(ofByte: range.upperBound, inspection)
    )
    return inspection.source.span(ofBytes: start..<max(start, end))
  }

  /// Returns the position in the file at which an expression begins, without the parentheses and white space with which
  /// its ``TypedExpression/range`` may begin.
  package func position(of expression: TypedExpression) -> SourcePosition {
    position(ofByte: expression.range.lowerBound)
  }

  private func fileOffset(ofByte offset: Int, _ inspection: RuleInspection) -> Int {
    inspection.origin?.fileOffset(of: offset) ?? inspection.fileOffset + offset
  }
}

/// The data of a rule for tools that inspect it.
struct RuleInspection: Sendable {
  /// The rule's number among all rules of the file, from 0.
  let number: Int
  let expression: TypedExpression
  let sites: SiteMap
  let source: SourceText
  /// The byte of the file at which the rule's value begins.
  let fileOffset: Int
  /// The position of the text's bytes in the file. nil for a rule that is not a text.
  var origin: RulesDocument.Text?
}

/// A position in a text: 1-based line, and 1-based column in characters; and the name of the file, when it is not the
/// rules file.
package struct SourcePosition: Sendable, Equatable {
  /// The line, from 1.
  package var line: Int
  /// The column, from 1, in characters.
  package var column: Int
  /// The file from which the rules file was generated; nil when it was not generated.
  package var file: String?

  /// Creates a position in the rules file, or in the file from which it was generated.
  package init(line: Int, column: Int, file: String? = nil) {
    (self.line, self.column, self.file) = (line, column, file)
  }
}
