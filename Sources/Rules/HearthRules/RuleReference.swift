/// The kind of a rule.
public enum RuleKind: String, Sendable, Hashable, CaseIterable {
  /// The `.read` rule.
  case read
  /// The `.write` rule.
  case write
  /// The `.validate` rule.
  case validate
}

/// A reference to a rule of a rules file: its kind, the path that it protects, its text and its position.
///
/// A reference is a handle; copying one costs a reference count.
public struct RuleReference: Sendable {
  /// The rule itself, for tools that inspect it.
  package let rule: Rule

  init(_ rule: Rule) { self.rule = rule }

  /// The kind of the rule.
  public var kind: RuleKind { rule.kind }
  /// The protected path as written in the file, including wildcards: `/rooms/$room`, and `/` for the root.
  public var pathTemplate: String { rule.pathTemplate }
  /// The rule as written, with the file's string escapes resolved; `true` or `false` for a literal.
  public var expression: String { rule.text }
  /// The 1-based line of the expression's first character in the file.
  public var line: Int { rule.position.line }
  /// The 1-based column of that character in its line, in characters.
  public var column: Int { rule.position.column }
  /// The file to which line and column refer, when the rules file was generated from it; nil otherwise.
  public var file: String? { rule.position.file }
  /// The line and column, `7:16`; with ``file`` when it is not nil: `app.bolt:7:16`.
  public var place: String { (file.map { "\($0):" } ?? "") + "\(line):\(column)" }
}

extension RuleReference: Equatable {
  public static func == (a: RuleReference, b: RuleReference) -> Bool { a.rule === b.rule }
}

extension RuleReference: CustomStringConvertible {
  /// A description such as `.read at /rooms/$room (7:16): auth != null`.
  public var description: String { ".\(kind.rawValue) at \(pathTemplate) (\(place)): \(expression)" }
}

extension RuleReference {
  /// The name of the rule in test files: `/rooms/$room/.write`.
  package var name: String { (pathTemplate == "/" ? "" : pathTemplate) + "/." + kind.rawValue }
}
