import HearthJournal

/// What decides an owner's requests: rules and the tree, at the head of the log, whatever of it is durable.
///
/// Asked in the order of positions. After ``MemberAction/rollBack(to:)`` what was decided behind that position never was.
package protocol RequestDecider {
  /// This node is the owner from here on: nothing but what was applied, up to `position`, has been decided. Comes before
  /// anything is to be decided, and after all rows up to there were given out to be applied.
  mutating func began(at position: Int64)

  /// A write, a transaction, or what is to be written when the session ends.
  ///
  /// - Parameter position: Where it is in the log if it is allowed.
  mutating func decide(_ request: ForwardedRequest, at position: Int64) -> Decided

  /// What a get sees behind `position`, the last that was decided.
  mutating func read(_ query: [UInt8], of session: SessionID, at position: Int64) -> [UInt8]

  /// The reply to a write that is not decided, since the store has no room for what it would come to.
  var noRoom: ForwardedBody { get }

  /// The on-disconnect writes of a session, as they are made at `position`: those aside that the rules do not allow.
  ///
  /// - Returns: Frames of the engine's, or nothing; and what is to be done because of them.
  mutating func disconnect(_ session: SessionID, at position: Int64) -> (content: [UInt8], entries: [OutboxEntry])
}

/// What was decided of a request, and what its client is told, in the engine's form.
package enum Decided: Sendable, Equatable {
  /// It is allowed.
  ///
  /// - Parameters:
  ///   - content: What is to be in the log: frames of the engine's, or nothing, all server values resolved.
  ///   - entries: What is to be done because of it.
  case commit(content: [UInt8], reply: ForwardedBody, entries: [OutboxEntry] = [])
  /// It is not, and changes nothing.
  case refuse(reply: ForwardedBody)
}
