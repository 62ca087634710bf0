/// What a rule is asked about.
public enum RuleKind: String, Sendable, Hashable, CaseIterable {
  /// `.read`
  case read
  /// `.write`
  case write
  /// `.validate`
  case validate
}

/// Names one rule of a rules file: its kind, the place it guards, its text and where that text stands.
///
/// A reference is a handle; copying one costs a reference count.
public struct RuleReference: Sendable {
  /// The rule itself, for tools that look into it.
  package let rule: Rule

  init(_ rule: Rule) { self.rule = rule }

  /// Which kind of rule it is.
  public var kind: RuleKind { rule.kind }
  /// The guarded place as the file names it, wildcards included: `/rooms/$room`, and `/` for the root.
  public var pathTemplate: String { rule.pathTemplate }
  /// The rule as written, after the file's string escapes are undone; `true` or `false` for a literal.
  public var expression: String { rule.text }
  /// 1-based line and column (in characters) of the first character of the expression in the file.
  public var line: Int { rule.position.line }
  /// Where it begins in its line of the rules file, from 1.
  public var column: Int { rule.position.column }
  /// The file that line and column are in, when the rules file was made of one of another language; else nil.
  public var file: String? { rule.position.file }
  /// Line and column, `7:16`; with the file where there is one: `app.bolt:7:16`.
  public var place: String { (file.map { "\($0):" } ?? "") + "\(line):\(column)" }
}

extension RuleReference: Equatable {
  public static func == (a: RuleReference, b: RuleReference) -> Bool { a.rule === b.rule }
}

extension RuleReference: CustomStringConvertible {
  /// `.read at /rooms/$room (7:16): auth != null`
  public var description: String { ".\(kind.rawValue) at \(pathTemplate) (\(place)): \(expression)" }
}

extension RuleReference {
  /// How test files name a rule: `/rooms/$room/.write`.
  package var name: String { (pathTemplate == "/" ? "" : pathTemplate) + "/." + kind.rawValue }
}
