import HearthRules
import HearthTree

/// A durable version of a database, readable on any thread for as long as one likes.
public struct Published: Sendable {
  /// The data.
  public var root: Node
  /// The rules in force.
  public var rules: RuleSet
  /// The last commit in it; 0 before the first.
  public var position: Int64
  /// The rules file that was deployed; nil while the initial rules are in force. ``rules`` is compiled from it, unless
  /// it stopped compiling: see ``RecoveryReport/rulesProblem``.
  public var storedRules: String?
  /// What the open connections want to be done at their end.
  package var sessions = Sessions()
  /// There are pieces of a record before it whose last is still to come: no snapshot can stand in for them.
  package var hasOpenPieces = false

  /// A version without sessions.
  public init(root: Node, rules: RuleSet, position: Int64, storedRules: String? = nil) {
    self.root = root
    self.rules = rules
    self.position = position
    self.storedRules = storedRules
  }

  /// Puts other rules in force.
  ///
  /// - Parameter isCounted: Whether it is counted how often each part of them is reached.
  mutating func use(_ rules: RuleSet, isCounted: Bool) {
    // Test suites deploy the same file before each test; what was counted of it goes on.
    let isSame = self.rules.coverage != nil && self.rules.source.utf8.elementsEqual(rules.source.utf8)
    if !isSame { self.rules = isCounted ? rules.counted : rules }
    storedRules = rules.source
  }
}
