/// One compiled rule: an expression at a place of the file.
package final class Rule: Sendable {
  /// The kind of the rule.
  package let kind: RuleKind
  /// The names from the root of the rules down, wildcards included.
  package let place: [String]
  /// The rule as written, with the file's string escapes resolved.
  package let text: String
  /// The place where the text begins in the file.
  package let position: SourcePosition
  let program: Program
  /// The data for tools that inspect the rule. Nil when the rule set was compiled for deciding alone.
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

  /// The template of the rule's path. Computed on demand: rules share the names, and a long name would otherwise be
  /// there once for every rule below it.
  package var pathTemplate: String { "/" + place.joined(separator: "/") }

  /// The checked expression. Nil when the rule set was compiled for deciding alone.
  package var expression: TypedExpression? { inspection?.expression }

  /// The rule's number among all rules of the file, from 0; nil like ``expression``.
  package var number: Int? { inspection?.number }

  /// The position of a byte of the text in the file, through the file's string escapes. When the rule set was compiled
  /// for deciding alone, the position of the text's beginning.
  package func position(ofByte offset: Int) -> SourcePosition {
    guard let inspection else { return position }
    return inspection.source.position(ofByte: fileOffset(ofByte: offset, inspection))
  }

  /// The positions in the file at which bytes of the text begin and end, as ``position(ofByte:)``. In a file that was
  /// generated from another one, a span that comes from several places there ends where it begins.
  package func span(ofBytes range: Range<Int>) -> (start: SourcePosition, end: SourcePosition) {
    guard let inspection else { return (position, position) }
    let (start, end) = (
      fileOffset(ofByte: range.lowerBound, inspection), fileOffset(ofByte: range.upperBound, inspection)
    )
    return inspection.source.span(ofBytes: start..<max(start, end))
  }

  /// Returns the place where an expression begins in the file. Its ``TypedExpression/range`` may begin with a
  /// parenthesis and blanks.
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
  /// The byte of the file that the rule's value begins at.
  let fileOffset: Int
  /// The position of the text's bytes in the file. Nil for a rule that is no text.
  var origin: RulesDocument.Text?
}

/// A position in a text: 1-based line, and 1-based column in characters; and the text's file, when it is not the rules
/// file.
package struct SourcePosition: Sendable, Equatable {
  /// The line, from 1.
  package var line: Int
  /// The column, from 1, in characters.
  package var column: Int
  /// The file that the rules file was generated from; nil for a rules file written as it is.
  package var file: String?

  /// Makes a position in the rules file, or in the file that it was generated from.
  package init(line: Int, column: Int, file: String? = nil) {
    (self.line, self.column, self.file) = (line, column, file)
  }
}
