/// A checked and compiled rules file, ready to decide. Immutable; copying one costs a reference count.
public struct RuleSet: Sendable {
  let storage: Storage

  final class Storage: Sendable {
    let source: String
    let strictJSON: [UInt8]
    let root: RuleNode
    let warnings: [RulesError.Diagnostic]

    init(source: String, strictJSON: [UInt8], root: RuleNode, warnings: [RulesError.Diagnostic]) {
      self.source = source
      self.strictJSON = strictJSON
      self.root = root
      self.warnings = warnings
    }
  }

  /// Parses, checks and compiles a rules file.
  ///
  /// - Throws: ``RulesError`` with every problem found: the first one inside each expression, or the one that
  ///   makes the file unreadable.
  public static func compile(_ source: String) throws(RulesError) -> RuleSet {
    try compile(source, keepsExpressions: false)
  }

  /// Parses, checks and compiles a rules file for a tool that looks at the rules themselves.
  ///
  /// - Parameter keepsExpressions: every ``Rule/expression`` is kept, at some hundred bytes for each operand.
  package static func compile(_ source: String, keepsExpressions: Bool) throws(RulesError) -> RuleSet {
    let document = try RulesDocument.parse(source)
    let (root, warnings) = try RuleTreeBuilder.build(document, keepsExpressions: keepsExpressions)
    return RuleSet(
      storage: Storage(source: source, strictJSON: document.strictJSON, root: root, warnings: warnings))
  }

  /// The rules of a database that nobody has opened yet: no reads, no writes.
  public static let denyAll: RuleSet = {
    // because the text is a constant and a test compiles it
    try! compile(#"{"rules":{".read":false,".write":false}}"#)
  }()

  /// The file exactly as it was given, comments included.
  public var source: String { storage.source }

  /// The file as plain JSON: no comments, no trailing commas, line breaks in texts escaped.
  public var strictJSON: [UInt8] { storage.strictJSON }

  /// What is allowed in the file but most likely not meant, in file order: for whoever deploys it, besides the answer.
  public var warnings: [RulesError.Diagnostic] { storage.warnings }

  /// The rules at the root of the database.
  package var root: RuleNode { storage.root }

  /// True when both come from the same compilation.
  public func isIdentical(to other: RuleSet) -> Bool { storage === other.storage }
}
