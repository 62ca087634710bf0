import HearthRules
import HearthTree

/// A durable version of a database, readable on any thread at any time.
public struct DatabaseState: Sendable {
  /// The data.
  public var root: Node
  /// The rules in force.
  public var rules: RuleSet
  /// The position of the last commit in this version; 0 before the first.
  public var position: Int64
  /// The rules file that was deployed; nil while the initial rules are in force. ``rules`` is compiled from it, unless
  /// it no longer compiles: see ``RecoveryReport/rulesProblem``.
  public var storedRules: String?
  /// The on-disconnect writes of open connections.
  package var sessions = OnDisconnectSessions()
  /// The indexes of large locations; empty when they are not stored.
  package var indexes = StoredIndexes()
  /// True when the log up to ``position`` has pieces of a record whose end is still to come, so that no snapshot can be
  /// taken at this position.
  package var hasOpenPieces = false
  /// The period of the version; nil when it is not to be known how long versions are held.
  package var generation: StateGeneration?

  /// A tree of a version.
  package enum Part: Sendable {
    case data
    case sessions
    case indexes
  }

  /// Returns a tree of the version.
  package subscript(part: Part) -> Node {
    switch part {
    case .data: root
    case .sessions: sessions.tree
    case .indexes: indexes.tree
    }
  }

  /// Creates a version without sessions.
  public init(root: Node, rules: RuleSet, position: Int64, storedRules: String? = nil) {
    self.root = root
    self.rules = rules
    self.position = position
    self.storedRules = storedRules
  }

  /// Puts rules in force.
  ///
  /// - Parameter isCounted: True to count the results of each of their expressions, for coverage reports.
  mutating func use(_ rules: RuleSet, isCounted: Bool) {
    // Test suites deploy the same file before each test; its coverage counts continue.
    let isSame = self.rules.coverage != nil && self.rules.source.utf8.elementsEqual(rules.source.utf8)
    if !isSame { self.rules = isCounted ? rules.counted : rules }
    storedRules = rules.source
  }
}
