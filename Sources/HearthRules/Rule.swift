/// One compiled rule: an expression at a place of the file.
final class Rule: Sendable {
  let kind: RuleKind
  let pathTemplate: String
  let text: String
  let position: SourcePosition
  let program: Program

  init(kind: RuleKind, pathTemplate: String, text: String, position: SourcePosition, program: Program) {
    self.kind = kind
    self.pathTemplate = pathTemplate
    self.text = text
    self.position = position
    self.program = program
  }
}

/// A place in a text: 1-based line, and 1-based column in characters.
struct SourcePosition: Sendable, Equatable {
  var line: Int
  var column: Int
}
