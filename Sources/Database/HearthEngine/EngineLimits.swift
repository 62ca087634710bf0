import HearthTree

/// The engine's limits, with one reason each.
public struct EngineLimits: Sendable {
  /// The most listens of one connection. Each costs some hundred bytes for every level of its path, and a few
  /// microseconds on every change of rules or identity, during which the database decides nothing else.
  public var listensPerConnectionMax = 10_000

  /// The most bytes that all listens of a database may count for. Clients share this memory by ``ShareRule``. A server
  /// sets it to ``listensMemoryPercentMax`` of its memory.
  public var listensBytesMax = 1 << 30

  /// The percentage of the process's memory that the listens of a database may take in addition to its data.
  public static let listensMemoryPercentMax = 15

  /// The minimum of ``listensBytesMax`` on any machine: fifty thousand listens.
  public static let listensBytesMin = 64 << 20

  /// The bytes that a listen counts for whatever its path: itself, its grant, and its entries in the index and in its
  /// connection's tables.
  public static let listenBytes = 1 << 10

  /// The bytes that each level of a listen's path counts for in addition to its key: a listen below unique keys creates
  /// nodes in the index and among the dependencies of rules.
  public static let listenLevelBytes = 512

  /// The number of children from which a declared index is built and kept, at 64 bytes or less a child. Fewer children
  /// can be examined one by one in the time of a write.
  public var indexedChildrenMin = 256

  /// The most children of a location at which the server filters a live query without a declared index: each is
  /// examined when the first such listen begins, about a tenth of a second for this many, during which the database
  /// decides nothing else. At larger locations such a listen receives all data, as in Firebase, and clients filter.
  public var undeclaredChildrenMax = 200_000

  /// The most children that a query examines on the deciding queue, while other commands wait: some tenths of a
  /// millisecond. A query that examines more is evaluated in the background before its command is decided.
  public var inlineQueriedChildrenMax = 2_048

  /// The most entries of all undeclared indexes together, which live queries with a limit need. Any client can request
  /// any number of them; this many take 64 MB. Beyond this limit, such a listen receives all data, as in Firebase, and
  /// clients filter.
  public var undeclaredIndexEntriesMax = 1_000_000

  /// The number of entries that every undeclared index counts for in addition to its own, because each index costs
  /// memory and a step at every change.
  public static let indexEntriesMin = 64

  /// True when a `get` ordered by a child's value requires a declared index, as in Firebase. Without it every such
  /// `get` of a large location examines all of its children.
  public var requiresIndexForGets = true

  /// True when the rules count the results of each of their expressions, for coverage reports. Decisions then take two
  /// to four times as long.
  public var countsRules = false

  /// True when records name the authors of their commits, and the rules that allowed them. It costs about sixty bytes
  /// for each, for as long as the records are retained.
  public var recordsAuthors = false

  /// True when the record of a multi-location update (a merge) states the location of the update, at a cost of one
  /// byte. A following engine then sends its listeners the same messages as the deciding one; otherwise it sends
  /// equivalent ones.
  public var recordsMerges = false

  /// True when the engine's owner evaluates live queries in the background: see ``Batch/liveQuery``.
  public var evaluatesInBackground = false

  /// The largest value that is hashed for a listener, in bytes; a larger one is sent without a comparison. For a
  /// compared write, the limit is the size that one write may replace: ``touchedBytesMax``.
  public var hashSizeBytesMax = 16 << 20

  /// The largest value that is hashed on the deciding queue, while other commands wait, in bytes as
  /// ``hashSizeBytesMax`` counts: a thousand leaves, some tenths of a millisecond. A larger one is hashed in the
  /// background, and its command is decided afterwards.
  public var inlineHashBytesMax = 64 << 10

  /// The bytes, as ``hashSizeBytesMax`` counts, that are hashed in the time of one step of the rules.
  static let hashedBytesPerStep = 8

  /// The largest record of one write, in bytes. The journal accepts batches of twice this, and memory holds one write a
  /// few times.
  public var recordBytesMax = 256 << 20

  /// The most bytes, as the tree holds them, that one write replaces or adds. The engine must release the replaced data
  /// and send removals to listeners below it. Firebase has the same limit for requests over HTTP.
  public var touchedBytesMax = 256 << 20

  /// The milliseconds after which the on-disconnect writes of an ended connection are tried again when a page that they
  /// need cannot be read.
  static let onDisconnectRetryMilliseconds: Int64 = 10_000

  /// The most pending on-disconnect writes and server values of one connection. Its disconnect decides all of them at
  /// once, at about ten microseconds each, during which the database does nothing else.
  public var onDisconnectsPerConnectionMax = 1_000

  /// The maximum steps of the rules for one on-disconnect write. The connection's end decides up to
  /// ``onDisconnectsPerConnectionMax`` of them at once.
  public var onDisconnectStepsMax = 10_000

  /// The most bytes of memory for one connection's on-disconnect writes. All of them are written again with each
  /// snapshot.
  public var onDisconnectBytesPerConnectionMax = 4 << 20

  /// The most bytes of memory for the on-disconnect writes of all connections together, so that many connections cannot
  /// exhaust it.
  public var onDisconnectBytesMax = 256 << 20

  /// The size of a value, in bytes as the tree holds it, from which its write is decided in the background: about ten
  /// thousand keys, which rules examine one by one.
  public var largeWriteBytes = 256 << 10

  /// The steps of rules after which a write of any size is decided in the background: a few milliseconds.
  public var largeWriteSteps = 100_000

  /// The bytes that each location and each server value adds to a write's size.
  static let locationBytes = 64

  /// The most locations recorded as dependencies of a write that is decided in the background. Beyond this limit,
  /// common ancestors are recorded instead.
  public var largeWriteLocationsMax = 1_024

  /// The most listens of one location or connection that are decided again within the command that changes the data of
  /// their rules, or that ends the connection. Beyond it, the others are decided between later commands.
  public var inlineRedecisionListensMax = 256

  /// The most steps for redecisions within one command: about two milliseconds, which is more than most apps ever need.
  /// The rest is decided between later commands; listens that are not decided yet receive no events.
  public var inlineRedecisionStepsMax = 50_000

  /// The most live queries of one location that are updated within the command that makes a commit. Beyond it, only
  /// those of its writer are; the others are updated between later commands, and then receive the result of several
  /// commits.
  public var inlineQueriesMax = 256

  /// The steps for redecisions after each command, and as many for outdated live queries: some tenths of a millisecond.
  public var redecisionStepsPerSlice = 8_000

  /// The most recipients of effects that wait for the journal or an event loop while outdated live queries are updated:
  /// some milliseconds' work of the loop, for which the answers to commands wait. Live queries that wait are updated for
  /// several commits at once.
  public var deliveriesWaitingMax = 256

  /// The milliseconds after which the event loops are checked again.
  static let deliveriesCheckMilliseconds: Int64 = 1

  /// The steps after which a batch ends: about two milliseconds, so that answers do not wait for expensive commands
  /// behind them, and so that the work of clients with expensive commands is known before more of them are decided.
  public var stepsPerBatch = 60_000

  /// The steps from which a command's work is reported: some ten microseconds.
  static let notedStepsMin = 1_000

  /// The bytes of a record whose delivery to one listener takes as long as a step.
  static let deliveredBytesPerStep = 64

  /// The bytes of a record that are encoded in the time of one step of the rules.
  static let recordBytesPerStep = 16

  /// The steps of encoding one value of a record: a number, a boolean or a text.
  static let recordedLeafSteps = 2

  /// The steps of reading a page that is not in memory: some 65 microseconds. One that the system has in memory takes 5,
  /// one on a disk 60 to 250. A batch thus ends after thirty of them.
  package static let pageReadSteps = 2_000

  /// The steps that the redecision of a listen counts for, in addition to those of its rules.
  static let redecisionSteps = 150

  /// The steps of updating a live query for commits, in addition to the index entries that it examines.
  static let querySteps = 40

  /// The steps of an event for a live query.
  static let queryEventSteps = 150

  /// The steps of a commit, in addition to those of its rules and its record. It counts for commands with many commits.
  static let commitSteps = 150

  /// The steps of a `get`, in addition to those of its rules: including the measurement of its response.
  static let readSteps = 150

  /// The most listens of one connection whose redecisions and updates are charged to the client of the write that
  /// causes them. A connection with more listens is charged itself, so that no client pays for the large number of
  /// another client's listens.
  static let coveredListensMax = 64

  /// The steps of visiting one of all listens of a connection.
  static let visitedListenSteps = 3

  /// The steps of removing a listen from the indexes.
  static let removalSteps = 40

  /// The most events of one location that are kept for listens in doubt. A listen that missed more receives the present
  /// data instead.
  public var missedEventsPerLocationMax = 64

  /// The most events of all locations that are kept for listens in doubt, each with its version of the tree.
  public var missedEventsMax = 16_384

  /// The length of a transaction's turn in milliseconds: the time in which its client may retry it before other
  /// transactions are answered. It applies while the client's speed is unknown, and covers a round trip over a slow
  /// mobile network.
  public var turnMillisecondsFirst: Int64 = 500

  /// The shortest turn in milliseconds, for clients known to be fast: it covers a short pause of the client or of a
  /// busy machine.
  public var turnMillisecondsMin: Int64 = 50

  /// The longest turn in milliseconds, for clients known to be slow. A client that does not retry delays the others by
  /// this time once.
  public var turnMillisecondsMax: Int64 = 1_000

  /// The time in milliseconds until the answer that begins a turn must have been sent, which includes the wait for the
  /// disk. When it expires, the next transaction is answered as well.
  public var turnUndeliveredMillisecondsMax: Int64 = 10_000

  /// The number of turns that a connection, or a user over all connections, may let expire before it gets no more. Each
  /// is half as long as the one before.
  public var turnExpiriesMax = 4

  /// The time for which an expired turn counts against the same user's other connections: within it, all of the user's
  /// connections together delay others by less than a second.
  public var turnExpiryMillisecondsMax: Int64 = 60_000

  /// The most users with recorded expired turns, at some hundred bytes each.
  public var turnExpiredUsersMax = 4_096

  /// The most times that expired turns halve the length of a location's turns and double the number of transactions
  /// that share one. A hundred abandoned transactions thus take seven turns.
  public var turnDoublingsMax = 6

  /// The most times that a transaction may be stale in its own turn, because plain writes change the data, before the
  /// turn passes to others.
  public var turnStaleAttemptsMax = 3

  /// The most locations with turns. The limit exists because the end of a turn checks all of those below its location.
  public var turnLocationsMax = 1_024

  /// The most waiting transactions at one location: at some milliseconds each, half a minute.
  public var turnWaitersPerLocationMax = 4_096

  /// The most waiting transactions in total, at about 200 bytes each.
  public var turnWaitersMax = 65_536

  /// The most waiting transactions of one connection: as many as an app has on its screen, and so few that no
  /// connection fills the queues alone.
  public var turnWaitersPerConnectionMax = 64

  /// The most bytes in the values of waiting transactions that may still match. A value that is written in the
  /// background does not wait.
  public var turnWaitingBytesMax = 16 << 20

  /// The record bytes after which a batch ends, so that one append does not delay all clients.
  public var batchBytes = 4 << 20

  /// The number of commands after which a batch ends, so that answers do not wait for a long queue behind them. A new
  /// command waits for at most this many commands, and for its round.
  public var batchCommandsMax = 1_024

  /// The most levels of the tree, and keys of a path.
  public var depthMax = DataLimits.depthMax

  /// The interval in milliseconds at which listens whose rules read the time are decided again, in addition to the
  /// decision before each of their events.
  public var clockIntervalMilliseconds: Int64 = 1_000

  /// Creates the limits of a server, which tests may lower.
  public init() {}
}
