/// A defect of a driver or a store that the checker must detect.
package enum PlantedFault: String, CaseIterable, Sendable {
  /// The store appends rows of replaced owners at any position.
  case fencingOff
  /// The store reports a takeover row as durable too early and picks its position later.
  case takeoverWithoutRow
  /// The store reports rows as durable and loses some of them.
  case acknowledgedAndLost
  /// Listeners receive rows in another order than the log's.
  case framesReordered
  /// The driver takes any heartbeat for the answer to its latest one.
  case beatsWithoutStamp
  /// The driver always considers its lease valid.
  case leaseAlwaysBelieved
  /// The driver gives a repeated request a new number.
  case resentUnderAnotherNumber
  /// The driver answers writes before its replica has applied them.
  case toldBeforeApplied
  /// The store never declares a node dead.
  case deadNodesNotEnded
  /// The decider of a new owner continues from its own earlier decisions instead of the applied state.
  case deciderNotBegun
  /// A snapshot lacks the sessions.
  case snapshotWithoutSessions
  /// The driver keeps listeners that a commit has cut off.
  case cutsIgnored
}
