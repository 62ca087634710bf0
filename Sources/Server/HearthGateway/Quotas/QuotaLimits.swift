/// The bounds of what quotas may be, and of what is kept to go by them. One reason each.
struct QuotaLimits: Sendable {
  /// Connections of a database for which nothing else was set: what the service allows. Each costs about ten kilobytes and
  /// a file descriptor.
  var connectionsMax = 200_000
  /// Clients of one database whose rates are known, at about two hundred bytes each; further ones share one rate. Those who
  /// are not connected, and have asked nothing for a while, are forgotten before.
  var clientsMax = 65_536
  /// Seconds for which a client may be held to what it has asked at once: a message that is larger than a second's worth
  /// is taken, and then paid for.
  static let debtSecondsMax = 60
  /// The time that nothing is read from a connection that is over its rate, at least: refusing a request takes about as
  /// long as doing it, so a flood is to be left where it comes from and not to be refused.
  static let holdMillisecondsMin: Int64 = 100
  /// How long at most. It is answered as soon as it is read again.
  static let holdMillisecondsMax: Int64 = 1_000
  /// Refusals in a second of all the sockets that are over one rate. The more they are, the longer each of them is held,
  /// up to ``holdMillisecondsMax``.
  static let refusalsPerSecondMax: Int64 = 1_000
  /// Steps of work that a connection, or the requests over HTTP of a user or of an address without one, may cause in a
  /// second, for which nothing else was set: about half a processor, which a database gives to one client while no other one
  /// wants it. An event of 200 bytes counts three steps for each listener, a fifth of what it takes or less, and most of that
  /// is done by the event loops beside the database: so a publisher reaches the machine's end and not this one.
  var connectionWorkPerSecond = 16_000_000
  /// Steps of work that all clients of a database may cause in a second before their parts of it bind, for which nothing
  /// else was set: about half a processor. A database decides on one at a time.
  var workPerSecond = 16_000_000
  /// The time in which that work is counted: long enough for some hundred commands, and short enough that a client which
  /// waits for its end is no slower than one behind a mobile network.
  var workWindowMilliseconds: Int64 = 250
  /// Clients whose work beyond their fair part of their network's is known, at about two hundred bytes each; beyond it, those
  /// that have caused least are forgotten.
  var workMembersMax = 16_384
  /// Accounts and addresses whose allowances are not full and are known, at about a hundred bytes each; beyond it, those that
  /// owe least are forgotten.
  var allowancesMax = 65_536
  /// Connections of an account, or signed-out ones of an address, among which what one of them owed at its end is divided,
  /// at most. Whoever has more of them has as many allowances anyway.
  static let carryingConnectionsMax = 64
  /// Connections that have ended and are known for the work that is charged later, such as that of their writes at the end:
  /// as many, and as many before these.
  static let endedConnectionsMax = 4_096
  /// Bytes of a message, or of a request's body, that wait until their client's work is paid for: as many as a connection may
  /// hold without being counted.
  static let owingBytesMax = 16 << 10
  /// The number of times that a request over HTTP waits because of its client's work, for up to ``holdMillisecondsMax`` each time.
  static let workWaitsMax = 10
  /// The same for one whose body is larger than ``owingBytesMax`` and is there: what it waits for is paid in a moment.
  static let largeBodyWaitsMax = 2
  /// The smallest answer that a quota weighs: smaller ones are made on the event loop where they are asked for.
  static let answerBytesMin = 256 << 10
  /// How often databases are looked at whose stored bytes are limited.
  static let storageLookSeconds = 1
  /// Counting rests this many times as long as it took: it takes no more than a twentieth of a processor.
  static let storageRestFactor: Int64 = 20

  static let standard = QuotaLimits()
}
