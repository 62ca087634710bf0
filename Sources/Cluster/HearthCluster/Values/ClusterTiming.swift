/// The time limits between nodes. The safety of data does not depend on them, because the log refuses the rows of a
/// stale owner. They determine when a node may try to take over, and how old the data that clients read may be.
package struct ClusterTiming: Sendable, Equatable {
  /// The time that a heartbeat extends a node's lease.
  package var leaseMilliseconds: Int64 = 6_000
  /// The time by which a lease ends earlier for the node than for the store, as a margin for clocks of different
  /// speeds. A difference of one fifth is far more than that of real clocks.
  package var marginMilliseconds: Int64 = 1_000
  /// The time between two heartbeats of a node, which cover all its databases.
  package var heartbeatMilliseconds: Int64 = 1_000
  /// The time between two beats of an owner, and between two pulses of a replica.
  package var beatMilliseconds: Int64 = 500
  /// The time between two reads of the log by a replica that receives no messages from its owner.
  package var tailMilliseconds: Int64 = 200
  /// The time between two reads of a database's owner record, and between two checks of the nodes with sessions.
  package var watchMilliseconds: Int64 = 1_000
  /// The time that a new owner waits for running nodes to announce their sessions.
  package var announceMilliseconds: Int64 = 10_000
  /// The maximum age of the state for listens. It is longer than a failover of the store, which would otherwise
  /// disconnect every client.
  package var stalenessMilliseconds: Int64 = 60_000
  /// The time that acknowledged rows are remembered, to be appended again to a log that lost them.
  package var memoryMilliseconds: Int64 = 60_000

  /// Creates the default times, with which the design was measured.
  package init() {}
}
