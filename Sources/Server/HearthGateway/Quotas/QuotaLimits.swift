/// The limits on quotas and on the state that they need, each with its reason.
struct QuotaLimits: Sendable {
  /// The default maximum of connections of a database: that of Firebase. Each costs about ten kilobytes and a file descriptor.
  var connectionsMax = 200_000
  /// The maximum number of clients of one database with rates of their own, at about two hundred bytes each; further ones share one
  /// rate. Idle clients without connections are removed first.
  var clientsMax = 65_536
  /// The maximum debt of a client's rate, in seconds: a message that is larger than a second's worth is accepted, and
  /// then paid for.
  static let debtSecondsMax = 60
  /// The minimum time that a connection over its rate is not read: refusing a request takes about as long as serving
  /// it, so a flood has to stay at the client instead of being refused.
  static let pauseMillisecondsMin: Int64 = 100
  /// The maximum time that a connection over its rate is not read. The client gets its refusal once it is read again.
  static let pauseMillisecondsMax: Int64 = 1_000
  /// The maximum number of refusals in a second, of all the sockets over one quota. The more sockets there are, the longer each of
  /// them pauses, up to ``pauseMillisecondsMax``.
  static let refusalsPerSecondMax: Int64 = 1_000
  /// The default steps of work that a connection, or the requests over HTTP of a user or of an address without one, may
  /// cause in a second: about half a processor, which a database gives to one client while no other one needs it. An
  /// event of 200 bytes counts three steps for each listener, a fifth of its cost or less, and most of that is spent by
  /// the event loops beside the database: so a publisher reaches the machine's limit and not this one.
  var connectionWorkPerSecond = 16_000_000
  /// The default steps of work that all clients of a database may cause in a second before shares apply: about half a
  /// processor. A database decides one command at a time.
  var workPerSecond = 16_000_000
  /// The period over which the work of all clients is counted: long enough for some hundred commands, and short enough that a
  /// client that waits for the period's end is no slower than one in a mobile network.
  var workWindowMilliseconds: Int64 = 250
  /// The maximum number of clients whose work beyond their fair share of their network is recorded, at about two
  /// hundred bytes each; beyond it, those with the least work are dropped.
  var workMembersMax = 16_384
  /// The maximum number of accounts and addresses with incomplete allowances that are recorded, at about a hundred
  /// bytes each; beyond it, those with the least debt are dropped.
  var allowancesMax = 65_536
  /// The maximum number of connections of an account, or signed-out ones of an address, among which the debt of an ended one is
  /// divided. A client with more connections also has as many allowances, one for each.
  static let debtConnectionsMax = 64
  /// The number of remembered ended connections after which a new set begins; the previous set is kept as well. They are remembered
  /// for work that is charged later, such as that of their `onDisconnect` writes.
  static let endedConnectionsMax = 4_096
  /// The maximum bytes of a message, or of a request's body, that wait until their client's work is paid for: as many
  /// as a connection may hold without being counted.
  static let unpaidBytesMax = 16 << 10
  /// The maximum number of times that a request over HTTP waits because of its client's work, for up to
  /// ``pauseMillisecondsMax`` each time.
  static let workWaitsMax = 10
  /// The maximum number of such waits of a request whose received body is larger than ``unpaidBytesMax``.
  static let largeBodyWaitsMax = 2
  /// The size from which responses are measured for a quota: smaller ones are made on the request's event loop.
  static let answerBytesMin = 256 << 10
  /// The interval at which the stored bytes of databases are compared with their limits, in seconds.
  static let storageCheckSeconds = 1

  static let standard = QuotaLimits()
}
