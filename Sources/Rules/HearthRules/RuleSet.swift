import Synchronization

/// A checked and compiled rules file, ready to decide. Immutable; copying one costs a reference count.
public struct RuleSet: Sendable {
  let storage: Storage

  final class Storage: Sendable {
    let text: RulesText
    let root: RuleNode
    /// The number of rules that there are, when their expressions are kept.
    let ruleCount: Int
    let warnings: [RulesError.Diagnostic]
    /// True when the rules can be inspected.
    let isInspectable: Bool
    /// The counts of its decisions; nil without counting.
    let coverage: RulesCoverage?
    /// The same file, compiled so that its rules can be inspected; nil until the first request.
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
  /// - Throws: ``RulesError`` with every problem found: the first one inside each expression, or the one that
  ///   makes the file unreadable.
  public static func compile(_ source: String) throws(RulesError) -> RuleSet {
    try compile(source, keepsExpressions: false)
  }

  /// Compiles rules that were in force before: restrictions of later versions do not apply to them.
  package static func recompile(_ source: String) throws(RulesError) -> RuleSet {
    try compile(source, keepsExpressions: false, wasAccepted: true)
  }

  /// Parses, checks and compiles a rules file for a tool that inspects the rules.
  ///
  /// - Parameters:
  ///   - keepsExpressions: every ``Rule/expression`` is kept, at some hundred bytes for each operand.
  ///   - wasAccepted: the rules were compiled before, perhaps by an earlier version.
  package static func compile(
    _ source: String, keepsExpressions: Bool, wasAccepted: Bool = false
  ) throws(RulesError) -> RuleSet {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    // Some editors begin a file with it; parsers of JSON that read the rules later refuse it.
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

  /// The same rules, with every decision counted.
  ///
  /// - Parameter coverage: of these rules; a coverage of others counts nothing.
  public func counting(into coverage: RulesCoverage) -> RuleSet {
    guard isIdentical(to: coverage.rules) else { return self }
    return RuleSet(
      storage: Storage(
        text: storage.text, root: storage.root, ruleCount: storage.ruleCount, warnings: storage.warnings,
        isInspectable: storage.isInspectable, coverage: coverage))
  }

  /// The rules of a database without rules of its own: no reads, no writes.
  public static let denyAll: RuleSet = {
    // because the text is a constant and a test compiles it
    try! compile(#"{"rules":{".read":false,".write":false}}"#)
  }()

  /// The file exactly as it was given, comments included.
  public var source: String { storage.text.source }

  /// The file that the rules file was generated from; nil for a rules file written as it is.
  package var origin: RulesOrigin? { storage.text.origin }

  /// The text that positions of rules refer to: the file that the author wrote.
  package var writtenSource: String { origin?.text ?? source }

  /// The file as plain JSON: no comments, no trailing commas, line breaks in texts escaped.
  public var strictJSON: [UInt8] { storage.text.strictJSON }

  /// Parts of the file that are allowed but probably mistakes, in file order, to be shown at a deployment.
  public var warnings: [RulesError.Diagnostic] { storage.warnings }

  /// The rules at the root of the database.
  package var root: RuleNode { storage.root }

  /// The same rules, with their decisions counted into a ``coverage`` of their own, from zero.
  package var counted: RuleSet {
    let plain = withExpressions
    return plain.counting(into: RulesCoverage(of: plain))
  }

  /// The counts of its decisions; nil without counting.
  package var coverage: RulesCoverage? { storage.coverage }

  /// The same rules without counting.
  package var withoutCounting: RuleSet { storage.coverage?.rules ?? self }

  /// The same rules, compiled so that they can be inspected, and not counting. Compiled at the first request, which
  /// takes as long as the first compilation, and kept as long as these are.
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
