/// The outcome of a request.
///
/// A reply is the decider's, in the engine's form. It is empty when the request was decided before and sent again: the
/// log has the decision but not the reply. It is also empty when it is larger than messages between nodes may be, or
/// too many replies wait to be sent.
package enum RequestOutcome: Sendable, Equatable {
  /// The request is durable in the log.
  case applied(position: Int64, reply: ForwardedBody)
  /// The rules, or a transaction's condition, refused the request. It is not in the log and never will be. It was
  /// refused against the state at a position; 0 when it was refused for another reason, or by an owner that does not
  /// report the position.
  case refused(position: Int64, reply: ForwardedBody)
  /// The result of a read, from the state at a position.
  case value([UInt8], position: Int64)
  /// The session does not exist or has ended, with its on-disconnect writes made.
  case noSession
  /// The request was not decided: the node is not the owner in that epoch, or lacks an earlier request. It is to be
  /// sent again, with all that wait before it.
  case notOwner
  /// The client's own node refused the request: it is too large, there are too many, or the session does not exist. It
  /// is never sent between nodes.
  case overloaded

  /// The position that the client's node must apply before it reports the outcome, because the client sees the applied
  /// state along with it.
  var position: Int64 {
    switch self {
    case .applied(let position, _), .refused(let position, _), .value(_, let position): position
    case .noSession, .notOwner, .overloaded: 0
    }
  }
}
