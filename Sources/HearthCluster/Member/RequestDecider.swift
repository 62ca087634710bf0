/// What decides an owner's requests: rules and the tree, at the head of the log, whatever of it is durable.
///
/// Asked in the order of positions. After ``MemberAction/rollBack(to:)`` what was decided behind that position never was.
package protocol RequestDecider {
  /// A write, a transaction, or an on-disconnect write.
  ///
  /// - Returns: What is to be in the log at `position`, all server values resolved; nil when it is not allowed.
  mutating func decide(_ request: ForwardedRequest, at position: Int64) -> [UInt8]?

  /// What a get sees behind `position`, the last that was decided.
  mutating func read(_ query: [UInt8], of session: SessionID, at position: Int64) -> [UInt8]

  /// The on-disconnect writes of a session, as they are made at `position`: those aside that the rules do not allow.
  mutating func disconnect(
    _ session: SessionID, _ writes: [SessionTable.OnDisconnectWrite], at position: Int64
  ) -> [UInt8]
}
