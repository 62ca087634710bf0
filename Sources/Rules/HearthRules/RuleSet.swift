import Synchronization

/// A checked and compiled rules file, ready for decisions. It is immutable; copying one costs a reference count.
public struct RuleSet: Sendable {
  let storage: Storage

  final class Storage: Sendable {
    let text: RulesText
    let root: RuleNode
    /// The number of rules; only set when their expressions are kept.
    let ruleCount: Int
    let warnings: [RulesError.Diagnostic]
    /// True when the rules can be inspected.
    let isInspectable: Bool
    /// The counts of its decisions; nil without counting.
    let coverage: RulesCoverage?
    /// The same file, compiled for inspection; nil until the first use.
    let inspected = Mutex<Storage?>(nil)

    init(
      text: RulesText, root: RuleNode, ruleCount: Int, warnings: [RulesError.Diagnostic], isInspectable: Bool,
      coverage: RulesCoverage? = nil
    ) {
      self.text = text
      self.root = root
      self.ruleCount = ruleCount
      self.warnings = warnings
      self.isInspectable = isInspectable
      self.coverage = coverage
    }
  }

  /// Parses, checks and compiles a rules file.
  ///
  /// - Throws: ``RulesError`` with the first problem in each expression, or with the syntax error of the file.
  public static func compile(_ source: String) throws(RulesError) -> RuleSet {
    try compile(source, keepsExpressions: false)
  }

  /// Compiles rules that were accepted earlier: restrictions that later versions introduced do not apply to them.
  package static func recompile(_ source: String) throws(RulesError) -> RuleSet {
    try compile(source, keepsExpressions: false, wasAccepted: true)
  }

  /// Parses, checks and compiles a rules file for a tool that inspects the rules.
  ///
  /// - Parameters:
  /// - keepsExpressions: True to keep every ``Rule/expression``, which takes about a hundred bytes for each operand.
  /// - wasAccepted: True when the rules were accepted earlier, perhaps by an earlier version.
  package static func compile(
    _ source: String, keepsExpressions: Bool, wasAccepted: Bool = false
  ) throws(RulesError) -> RuleSet {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    // Some editors write a byte order mark, which JSON parsers that read the rules later refuse.
    let source =
      source.utf8.starts(with: mark) ? String(decoding: source.utf8.dropFirst(mark.count), as: UTF8.self) : source
    let document = try RulesDocument.parse(source)
    let (root, ruleCount, warnings) = try RuleTreeBuilder.build(
      document, keepsExpressions: keepsExpressions, wasAccepted: wasAccepted)
    return RuleSet(
      storage: Storage(
        text: .file(source, strictJSON: document.strictJSON, origin: document.origin), root: root,
        ruleCount: ruleCount, warnings: warnings, isInspectable: keepsExpressions))
  }

  /// Returns the same rules, with every decision counted.
  ///
  /// - Parameter coverage: A coverage of these rules; with a coverage of others, nothing is counted.
  public func counting(into coverage: RulesCoverage) -> RuleSet {
    guard isIdentical(to: coverage.rules) else { return self }
    return RuleSet(
      storage: Storage(
        text: storage.text, root: storage.root, ruleCount: storage.ruleCount, warnings: storage.warnings,
        isInspectable: storage.isInspectable, coverage: coverage))
  }

  /// The rules of a database without a rules file: they deny all reads and writes.
  public static let denyAll: RuleSet = {
    // The text is a constant, and a test compiles it.
    try! compile(#"{"rules":{".read":false,".write":false}}"#)
  }()

  /// The file exactly as it was passed, including comments.
  public var source: String { storage.text.source }

  /// The file from which the rules file was generated; nil when it was not generated.
  package var origin: RulesOrigin? { storage.text.origin }

  /// The text to which positions of rules refer: the file that the author wrote.
  package var writtenSource: String { origin?.text ?? source }

  /// The file as plain JSON: no comments, no trailing commas, line breaks in texts escaped.
  public var strictJSON: [UInt8] { storage.text.strictJSON }

  /// Parts of the file that are allowed but probably mistakes, in file order, which are shown at a deployment.
  public var warnings: [RulesError.Diagnostic] { storage.warnings }

  /// The rules at the root of the database.
  package var root: RuleNode { storage.root }

  /// The same rules, with their decisions counted in a new ``coverage``.
  package var counted: RuleSet {
    let plain = withExpressions
    return plain.counting(into: RulesCoverage(of: plain))
  }

  /// The counts of its decisions; nil without counting.
  package var coverage: RulesCoverage? { storage.coverage }

  /// The same rules without counting.
  package var withoutCounting: RuleSet { storage.coverage?.rules ?? self }

  /// The same rules, compiled so that they can be inspected, and not counting. They are compiled at the first use,
  /// which takes as long as the first compilation, and are kept as long as this rule set.
  package var withExpressions: RuleSet {
    let plain = withoutCounting
    if plain.storage.isInspectable { return plain }
    let storage = plain.storage.inspected.withLock { inspected -> Storage? in
      if inspected == nil {
        inspected = (try? RuleSet.compile(source, keepsExpressions: true, wasAccepted: true))?.storage
      }
      return inspected
    }
    return storage.map { RuleSet(storage: $0) } ?? plain
  }

  /// Every rule of the file, from the root down.
  package var allRules: [Rule] {
    var (rules, open) = ([Rule](), [storage.root])
    while let node = open.popLast() {
      rules += [node.read, node.write, node.validate].compactMap(\.self)
      open += node.children.list.map(\.node)
      if let wildcard = node.wildcard { open.append(wildcard) }
    }
    return rules
  }

  /// True when both come from the same compilation.
  public func isIdentical(to other: RuleSet) -> Bool { storage === other.storage }
}
