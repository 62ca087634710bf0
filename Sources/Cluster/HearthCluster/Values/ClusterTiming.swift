/// The time limits between nodes. They protect no data, which the log's refusal of a stale owner's rows does. They
/// determine when a node may try to take over, and how old the data that clients read may be.
package struct ClusterTiming: Sendable, Equatable {
  /// The time that a heartbeat extends a node's lease.
  package var leaseMilliseconds: Int64 = 6_000
  /// The time by which a node stops relying on its lease before the store does, as room for clocks of different speeds.
  /// A thousand in five thousand is far more than clocks differ.
  package var marginMilliseconds: Int64 = 1_000
  /// The time between two heartbeats of a node, which cover all its databases.
  package var heartbeatMilliseconds: Int64 = 1_000
  /// The time between two signs of life of an owner, and between two pulses of a replica.
  package var beatMilliseconds: Int64 = 500
  /// The time between two reads of the log by a replica that does not hear its owner.
  package var tailMilliseconds: Int64 = 200
  /// The time between two reads of a database's owner record, and between two checks of the nodes with sessions.
  package var watchMilliseconds: Int64 = 1_000
  /// The time that a new owner waits for living nodes to announce their sessions.
  package var announceMilliseconds: Int64 = 10_000
  /// The maximum age of the state for listens. It is above the time of a store's failover, which otherwise would
  /// disconnect every client.
  package var stalenessMilliseconds: Int64 = 60_000
  /// The time that acknowledged rows are remembered, to be appended again to a log that lost them.
  package var memoryMilliseconds: Int64 = 60_000

  /// The times that the design was measured with.
  package init() {}
}
