/// The outcome of a request.
///
/// A reply comes from the ``RequestDecider``, in the engine's encoding. It is empty when the request was decided before
/// and sent again: the log has the decision but not the reply. It is also empty when it would exceed the size of a
/// message between nodes, or when too many replies wait to be sent.
package enum RequestOutcome: Sendable, Equatable {
  /// The request is durable in the log.
  case applied(position: Int64, reply: ForwardedBody)
  /// The rules, or a transaction's condition, refused the request. It is not in the log and never will be. The position
  /// is that of the state in which it was refused; 0 when it was refused for another reason, or by an owner that does
  /// not report the position.
  case refused(position: Int64, reply: ForwardedBody)
  /// The result of a read, from the state at a position.
  case value([UInt8], position: Int64)
  /// The session does not exist or has ended, and its on-disconnect writes were executed.
  case noSession
  /// The request was not decided: the node is not the owner in that epoch, or lacks an earlier request. It is to be
  /// sent again, after all earlier unanswered requests of its session.
  case notOwner
  /// The client's own node refused the request: it is too large, too many requests wait, or the session does not exist.
  /// This outcome. is never sent between nodes.
  case overloaded

  /// The position that the client's node must apply before it reports the outcome, so that the client's listens show a
  /// state at least as new.
  var position: Int64 {
    switch self {
    case .applied(let position, _), .refused(let position, _), .value(_, let position): position
    case .noSession, .notOwner, .overloaded: 0
    }
  }
}
