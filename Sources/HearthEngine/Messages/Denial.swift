import HearthRules
import HearthTree

/// A refusal with its reason, for the operator's log. Clients never see it.
public struct Denial: Sendable {
  /// What was refused, or taken away.
  public enum Operation: Sendable, Equatable {
    case listen
    case get
    case put
    case merge
    /// To be told whether a place holds what a write expects.
    case compare
    case deployRules
    /// A change that is to be made when the connection ends.
    case onDisconnect
    case transact
    /// A listen that was allowed is no longer.
    case cancellation(Cancellation)
  }

  public var connection: ConnectionID
  public var request: Int32?
  public var operation: Operation
  public var path: Path
  public var identity: Identity
  /// What the rules answered; nil when it was not for the rules to answer.
  public var decision: Decision?

  /// The rule that decided; nil when no rule applies to the path.
  public var rule: RuleReference? { decision?.rule }
}
