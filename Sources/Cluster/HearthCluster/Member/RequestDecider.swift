import HearthJournal

/// The decider of an owner's requests, which applies rules and writes at the head of the log, durable or not.
///
/// It is called in the order of positions. Decisions after the position of a ``MemberAction/rollBack(to:)`` are void.
package protocol RequestDecider {
  /// Notes that this node became the owner, and that the log ends at `position`. Called before any decision, after all
  /// rows up to that position were passed on to be applied.
  mutating func began(at position: Int64)

  /// Decides a write, a transaction, or an on-disconnect write.
  ///
  /// - Parameter position: The position of the record in the log if the request is allowed.
  mutating func decide(_ request: ForwardedRequest, at position: Int64) -> RequestDecision

  /// Returns the result of a get at `position`, the last decided one.
  mutating func read(_ query: [UInt8], of session: SessionID, at position: Int64) -> [UInt8]

  /// The reply to a write that is refused because the store has no space for it.
  var noRoom: ForwardedBody { get }

  /// Returns the on-disconnect writes of a session that the rules allow, computed for `position`.
  ///
  /// - Returns: Frames of the engine, or none, and their outbox entries.
  mutating func disconnect(_ session: SessionID, at position: Int64) -> (content: [UInt8], entries: [OutboxEntry])
}

/// The decision on a request, with the client's reply in the engine's encoding.
package enum RequestDecision: Sendable, Equatable {
  /// The request is allowed.
  ///
  /// - Parameters:
  ///   - content: The record for the log: frames of the engine, or none, with all server values resolved.
  ///   - entries: The outbox entries of the record.
  case commit(content: [UInt8], reply: ForwardedBody, entries: [OutboxEntry] = [])
  /// The request is refused and changes nothing.
  case refuse(reply: ForwardedBody)
  /// The decision needs work in the background, after which ``MemberEvent/workDone(_:)`` has the request decided again.
  case later
}
