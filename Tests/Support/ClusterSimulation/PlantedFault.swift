/// What a driver or a store could get wrong, and the checker must see.
package enum PlantedFault: String, CaseIterable, Sendable {
  /// The store appends rows of owners that were replaced, wherever the log ends.
  case fencingOff
  /// The store says that a takeover row is durable before it is, and looks for its place later.
  case takeoverWithoutRow
  /// The store says that a row is durable, and forgets some.
  case acknowledgedAndLost
  /// Rows reach listeners in another order than the log's.
  case framesReordered
  /// The driver takes a beat for an answer to a question that was sent just now.
  case beatsWithoutStamp
  /// The driver always believes in its lease.
  case leaseAlwaysBelieved
  /// The driver gives a request that is sent again a new number.
  case resentUnderAnotherNumber
  /// The driver tells clients of their writes before its replica has them.
  case toldBeforeApplied
  /// The store never declares a node over.
  case deadNodesNotEnded
  /// The decider goes on from what it had decided before, not from what was applied, when its node becomes the owner.
  case deciderNotBegun
  /// A snapshot lacks the sessions.
  case snapshotWithoutSessions
  /// The driver goes on with listeners after a commit has cut them.
  case cutsIgnored
}
