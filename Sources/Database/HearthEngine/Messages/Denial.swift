import HearthRules
import HearthTree

/// A refusal with its reason, for the operator's log. It is never sent to clients.
public struct Denial: Sendable {
  /// The refused operation.
  public enum Operation: Sendable, Equatable {
    /// A listen.
    case listen
    /// A one-time read.
    case get
    /// A write of one location.
    case put
    /// A write of several locations at once.
    case merge
    /// A comparison of the present data with a write's expected data.
    case compare
    /// A deploy of rules without administrator rights.
    case deployRules
    /// An on-disconnect write.
    case onDisconnect
    /// A transaction without administrator rights.
    case transact
    /// A live listen that is no longer allowed.
    case cancellation(Cancellation)
  }

  /// The caller's connection.
  public var connection: ConnectionID
  /// The request's number; nil when the caller needs no reply.
  public var request: Int32?
  /// The refused operation.
  public var operation: Operation
  /// The path.
  public var path: Path
  /// The caller's principal.
  public var principal: Principal
  /// The rules' decision; nil when the refusal did not depend on the rules.
  public var decision: Decision?

  /// The rule that decided; nil when no rule applies to the path.
  public var rule: RuleReference? { decision?.rule }
}
