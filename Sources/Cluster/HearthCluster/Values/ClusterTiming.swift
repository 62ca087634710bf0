/// The time that nodes wait for each other. None of this protects data: a log that refuses a stale owner's rows does.
/// Times decide when somebody may try to take over, and how old what is read may be.
package struct ClusterTiming: Sendable, Equatable {
  /// The time that a heartbeat makes the store believe that a node lives.
  package var leaseMilliseconds: Int64 = 6_000
  /// How much earlier than the store a node stops to believe in its own lease: room for clocks that run at different
  /// speeds. A thousand in five thousand is far more than clocks differ.
  package var marginMilliseconds: Int64 = 1_000
  /// Between two heartbeats of a node, which stand for all its databases together.
  package var heartbeatMilliseconds: Int64 = 1_000
  /// Between two signs of life of an owner, and between two questions of a replica.
  package var beatMilliseconds: Int64 = 500
  /// Between two readings of the log by a replica that does not hear its owner.
  package var tailMilliseconds: Int64 = 200
  /// Between two looks at who owns a database, and at which nodes with sessions live.
  package var watchMilliseconds: Int64 = 1_000
  /// The time that a new owner waits for living nodes to say which sessions they hold.
  package var announceMilliseconds: Int64 = 10_000
  /// How old the state may be that listens are served from. Above the time that a failover of the store takes, or each of
  /// them would disconnect every client.
  package var stalenessMilliseconds: Int64 = 60_000
  /// The time that acknowledged rows are remembered, to be appended again to a log that lost them.
  package var memoryMilliseconds: Int64 = 60_000

  /// The times that the design was measured with.
  package init() {}
}
