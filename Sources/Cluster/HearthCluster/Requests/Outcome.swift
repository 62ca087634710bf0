/// What became of a request.
///
/// A reply is what the decider said, in the engine's form. It is empty when the request was sent again and had been decided
/// before: what it came to is in the log, and what the decider said of it is not. It is empty as well when it is larger than
/// nodes tell each other, or too much waits to be told.
package enum Outcome: Sendable, Equatable {
  /// It is in the log, durably.
  case applied(position: Int64, reply: ForwardedBody)
  /// The rules, or a transaction's condition, did not allow it. It is not in the log and will not be. It was refused for what
  /// the log had led to at a position; 0 when it was refused for something else, or by an owner that does not say so.
  case refused(position: Int64, reply: ForwardedBody)
  /// What was read, from the state at a position.
  case value([UInt8], position: Int64)
  /// There is no such session, or no longer: its on-disconnect writes were made.
  case noSession
  /// Not decided here and now: the node that was asked is not the owner in that epoch, or lacks a request that comes
  /// before. It is to be sent again, with all that wait before it.
  case notOwner
  /// The client's own node did not take it: it is too large, there are too many, or there is no such session. Nodes do not
  /// tell each other this.
  case overloaded

  /// The position that a client's node must have applied before it tells the client: what it shows along with the answer is
  /// what it has applied, and a refusal shows what was there.
  var position: Int64 {
    switch self {
    case .applied(let position, _), .refused(let position, _), .value(_, let position): position
    case .noSession, .notOwner, .overloaded: 0
    }
  }
}
