/// One compiled rule: an expression at a place of the file.
final class Rule: Sendable {
  let kind: RuleKind
  /// The names from the root of the rules down, wildcards included.
  private let place: [String]
  let text: String
  let position: SourcePosition
  let program: Program

  init(kind: RuleKind, place: [String], text: String, position: SourcePosition, program: Program) {
    self.kind = kind
    self.place = place
    self.text = text
    self.position = position
    self.program = program
  }

  /// Made when asked for: rules share the names, and a long name would otherwise be there once for every rule below it.
  var pathTemplate: String { "/" + place.joined(separator: "/") }
}

/// A place in a text: 1-based line, and 1-based column in characters.
struct SourcePosition: Sendable, Equatable {
  var line: Int
  var column: Int
}
