import HearthRules
import HearthTree

/// A refusal with its reason, for the operator's log. Clients never see it.
public struct Denial: Sendable {
  /// What was refused, or taken away.
  public enum Operation: Sendable, Equatable {
    /// A listen.
    case listen
    /// A one-shot read.
    case get
    /// A write of one place.
    case put
    /// A write of several places at once.
    case merge
    /// To be told whether a place holds what a write expects.
    case compare
    /// Rules from somebody who is no administrator.
    case deployRules
    /// A change that is to be made when the connection ends.
    case onDisconnect
    /// A transaction from somebody who is no administrator.
    case transact
    /// A listen that was allowed is no longer.
    case cancellation(Cancellation)
  }

  /// Who asked.
  public var connection: ConnectionID
  /// The request's number; nil when nobody waits for an answer.
  public var request: Int32?
  /// What was asked.
  public var operation: Operation
  /// Where.
  public var path: Path
  /// As whom.
  public var principal: Principal
  /// What the rules answered; nil when it was not for the rules to answer.
  public var decision: Decision?

  /// The rule that decided; nil when no rule applies to the path.
  public var rule: RuleReference? { decision?.rule }
}
