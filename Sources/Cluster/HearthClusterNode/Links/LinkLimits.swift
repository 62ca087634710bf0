/// The time limits of connections between nodes, and the limits on data kept for them.
package struct LinkLimits: Sendable {
  /// The time from the start of a connection, both certificates included, to the peer's hello.
  package static let helloSeconds = 5
  /// The number of connections without a hello from addresses other than those of nodes. A further one replaces the
  /// oldest of the network that has most.
  package static let unidentifiedMax = 64
  /// The number of such connections from one network, a /24 of IPv4 or a /48 of IPv6.
  package static let unidentifiedPerNetworkMax = 16
  /// The number of such connections from the address of a node. They are counted separately from those of other
  /// addresses.
  package static let unidentifiedPerPeerMax = 8
  /// The time after which the log names an unreachable node again.
  package static let reportSeconds: Int64 = 600
  /// The time without outbound messages after which a heartbeat is sent.
  package static let heartbeatMilliseconds = 500
  /// The time without inbound messages after which the peer counts as dead.
  package static let silenceMilliseconds = 3_000
  /// The unsent bytes above which a connection ends. The peer reconnects and reads the missed rows from the log.
  package static let unsentBytesMax = 64 << 20
  /// The received and unhandled bytes above which reading pauses.
  package static let unhandledBytesMax = 32 << 20
  /// The number of pending questions to one node, and of pending questions from it.
  package static let questionsMax = 500
  /// The initial time between two attempts to reach a node, doubled after each, up to ``redialMillisecondsMax``.
  package static let redialMillisecondsMin = 100
  /// The longest time between two attempts.
  package static let redialMillisecondsMax = 5_000
  /// The time limit of one attempt to connect.
  package static let connectSeconds = 3

  /// The limits as variables, which tests change.
  var unsentBytesMax = Self.unsentBytesMax
  var unhandledBytesMax = Self.unhandledBytesMax
  var questionsMax = Self.questionsMax
  var unidentifiedMax = Self.unidentifiedMax
  var unidentifiedPerNetworkMax = Self.unidentifiedPerNetworkMax
  var unidentifiedPerPeerMax = Self.unidentifiedPerPeerMax

  /// The default limits.
  package init() {}
}
