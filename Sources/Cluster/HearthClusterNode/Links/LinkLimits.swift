/// The time that nodes wait for each other on a connection, and what they keep for it.
package struct LinkLimits: Sendable {
  /// From the beginning of a connection, both certificates included, until the other side's greeting.
  package static let helloSeconds = 5
  /// Connections that have not greeted, from addresses that are no node's: a further one takes the place of the oldest
  /// of the network that has most.
  package static let strangersMax = 64
  /// The same from one network, a /24 of IPv4 or a /48 of IPv6.
  package static let strangersPerNetworkMax = 16
  /// The same from the address of a node, which has these places for itself.
  package static let strangersPerPeerMax = 8
  /// Nothing is sent for so long: a heartbeat is.
  package static let heartbeatMilliseconds = 500
  /// Nothing comes for so long: the other side is gone.
  package static let silenceMilliseconds = 3_000
  /// What was sent and the network has not taken. Who is further behind is let go, and begins anew: it reads from the log
  /// what it missed.
  package static let unsentBytesMax = 64 << 20
  /// What came and was not taken in yet: then nothing more is read.
  package static let unhandledBytesMax = 32 << 20
  /// Questions to one node that wait for their answers, and those of one node that are being answered.
  package static let questionsMax = 500
  /// Between two attempts to reach a node: twice as long after each, up to ``redialMillisecondsMax``.
  package static let redialMillisecondsMin = 100
  /// The longest time between two attempts.
  package static let redialMillisecondsMax = 5_000
  /// For how long one attempt to connect may take.
  package static let connectSeconds = 3

  /// The same, for a test that has less to fill.
  var unsentBytesMax = Self.unsentBytesMax
  var unhandledBytesMax = Self.unhandledBytesMax
  var questionsMax = Self.questionsMax
  var strangersMax = Self.strangersMax
  var strangersPerNetworkMax = Self.strangersPerNetworkMax
  var strangersPerPeerMax = Self.strangersPerPeerMax

  /// The limits of nodes.
  package init() {}
}
