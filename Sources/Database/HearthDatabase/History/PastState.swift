import HearthEngine
import HearthRules
import HearthTree

/// One location of a database after a past commit.
public struct PastState: Sendable {
  /// The location.
  public var path: Path
  /// The value at the location.
  public var node: Node
  /// The commit; 0 before the first.
  public var position: Int64
  /// The commit's time, in milliseconds since 1970; nil when its record is no longer retained.
  public var wallMilliseconds: Int64?
  /// The rules file of the last deployment; nil before the first.
  public var storedRules: String?

  /// Returns the same state at a location at or below this one.
  ///
  /// - Returns: The state; nil when the location is not below this one.
  func part(_ path: Path) -> PastState? {
    guard let below = self.path.relative(path) else { return nil }
    var part = self
    (part.path, part.node) = (path, node[below])
    return part
  }

  /// Returns the whole database with the rules that were in force, as it was published after that commit; the location
  /// must be the root.
  ///
  /// - Parameter initialRules: The rules of a database without a deployment.
  public func published(initialRules: RuleSet) -> DatabaseState {
    var rules = initialRules
    if let storedRules { rules = (try? RuleSet.recompile(storedRules)) ?? .denyAll }
    return DatabaseState(root: node, rules: rules, position: position, storedRules: storedRules)
  }
}
