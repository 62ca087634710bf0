import HearthEngine
import HearthRules
import HearthTree

/// One place of a database as it was after a commit.
public struct PastState: Sendable {
  /// The place.
  public var path: Path
  /// What was there.
  public var node: Node
  /// The commit; 0 before the first.
  public var position: Int64
  /// The commit's time, in milliseconds since 1970; nil where its record is not kept any more.
  public var wallMilliseconds: Int64?
  /// The rules file that had been deployed last; nil when none ever was.
  public var storedRules: String?

  /// The same state, of a place at or below this one's.
  ///
  /// - Returns: nil when the other place is elsewhere.
  func part(_ path: Path) -> PastState? {
    guard let below = self.path.relative(path) else { return nil }
    var part = self
    (part.path, part.node) = (path, node[below])
    return part
  }

  /// The whole database with the rules that were in force, as it could be read then; the place must be the root.
  ///
  /// - Parameter initialRules: those of a database that none were deployed for.
  public func published(initialRules: RuleSet) -> Published {
    var rules = initialRules
    if let storedRules { rules = (try? RuleSet.recompile(storedRules)) ?? .denyAll }
    return Published(root: node, rules: rules, position: position, storedRules: storedRules)
  }
}
