import HearthRules
import HearthTree

/// What one round of decisions comes to: records to make durable, then effects to release.
public struct Batch: Sendable {
  /// The records of the commits, in the format of ``CommitRecord``; empty when nothing was committed.
  public var payload: [UInt8]

  /// The position of the first commit in ``payload``; the last one's is `state.position`.
  public var firstPosition: Int64

  /// How many of the commands given were decided. The others go to the next batch.
  public var commandCount: Int

  /// In order. They must not be released before ``payload`` is durable.
  public var effects: [Effect]

  /// The state after the batch, to be published once it is durable.
  public var state: Published

  /// The last of the commands, when it takes long and was not decided: see ``Engine/settle(_:at:)``.
  public var setAside: LargeWrite?

  public var hasCommits: Bool { !payload.isEmpty }
}

/// A durable version of a database, readable on any thread for as long as one likes.
public struct Published: Sendable {
  public var root: Node
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

  public init(root: Node, rules: RuleSet, position: Int64, storedRules: String? = nil) {
    self.root = root
    self.rules = rules
    self.position = position
    self.storedRules = storedRules
  }
}
