import HearthTree

/// The engine's limits, one reason each.
public struct EngineLimits: Sendable {
  /// Listens of one connection. Each costs some hundred bytes for every level of its path, and a few microseconds on
  /// every change of rules or identity, during which the database decides nothing else.
  public var listensPerConnectionMax = 10_000

  /// The bytes that all listens of a database may count for. Clients share them: ``ShareRule``. A server takes
  /// ``listensMemoryPercentMax`` of its memory.
  public var listensBytesMax = 1 << 30

  /// Of the memory that the process may use, what the listens of a database may take beside its data.
  public static let listensMemoryPercentMax = 15

  /// The same in any case: fifty thousand listens.
  public static let listensBytesMin = 64 << 20

  /// The bytes that a listen counts for, whatever its path: itself, its grant, its place with others and in its connection's tables.
  public static let listenBytes = 1 << 10

  /// The bytes that each level of a listen's path counts for besides the bytes of its key: a listen below keys of its own makes
  /// places of its own, there and among what rules depend on.
  public static let listenLevelBytes = 512

  /// Children from which on an order that the rules declare is worked out once and kept, at 64 bytes or less a child.
  /// Fewer children are looked at one by one in the time that a write takes.
  public var orderedChildrenMin = 256

  /// Children up to which a live query in an order that no rules declare is filtered here: each is looked at when the
  /// first such listen begins, about a tenth of a second for this many, during which the database decides nothing else.
  /// Of more, such a listen is sent all there is, as the service does, and clients filter.
  public var undeclaredChildrenMax = 200_000

  /// Children of a place up to which a query of them is worked out between other commands: some tenths of a millisecond. A
  /// query that looks at more is worked out beside them, and its command decided then.
  public var queriedChildrenInLine = 2_048

  /// Entries of the orders that live queries with a limit need and no rules declare, all together. Any client can ask
  /// for any number of such orders; this many take 64 MB. Beyond it, such a listen is sent all there is, as the
  /// service does, and clients filter.
  public var undeclaredOrderEntriesMax = 1_000_000

  /// What an order that no rules declare counts for besides its entries: being there costs memory, and a step at every
  /// change.
  public static let orderEntriesMin = 64

  /// True when a `get` in the order of a child's value must find that order declared in the rules, as with the service.
  /// Without it every such `get` of a large place looks at all that is there.
  public var requiresIndexForGets = true

  /// True when the rules count what each part of them comes to. Decisions then take two to four times
  /// as long.
  public var countsRules = false

  /// True when records say who made their commits, and by which rules they were allowed. It costs about sixty bytes for
  /// each, and is kept as long as they are.
  public var recordsAuthors = false

  /// True when records of merges say where these were made, at a byte for each. An engine that follows them then tells
  /// its listeners the same messages; without it, messages that come to the same.
  public var recordsMerges = false

  /// The size up to which a value is hashed for a listener; a larger one is sent uncompared. A write is compared with whatever
  /// one write may replace: ``touchedBytesMax``.
  public var hashSizeBytesMax = 16 << 20

  /// The size up to which a value is hashed between other commands, as ``hashSizeBytesMax`` counts: a thousand leaves, some
  /// tenths of a millisecond. A larger one is hashed beside them, and its command decided then.
  public var hashBytesInLine = 64 << 10

  /// Bytes that are hashed, as ``hashSizeBytesMax`` counts, in the time that a step of a rule takes.
  static let hashedBytesPerStep = 8

  /// The record of one write. The journal takes batches of twice this, and one write is held in memory a few times.
  public var recordBytesMax = 256 << 20

  /// What one write replaces and puts in its place, as the tree holds it. What is replaced has to be let go of, and to
  /// be told to listeners below; the service has the same limit for requests over HTTP.
  public var touchedBytesMax = 256 << 20

  /// Writes, and values to be filled in, that one connection may have waiting for its end. The connection's end decides
  /// on all of them at once, which takes some ten microseconds for each, during which the database does nothing else.
  public var onDisconnectsPerConnectionMax = 1_000

  /// What they take in memory. All of it is written again when the database writes a snapshot.
  public var onDisconnectBytesPerConnectionMax = 4 << 20

  /// The same of all connections together, so that many connections cannot fill the memory with it.
  public var onDisconnectBytesMax = 256 << 20

  /// Bytes of a value, as the tree holds it, from which on its write is decided beside the others: some ten thousand
  /// keys, which rules look at one by one.
  public var largeWriteBytes = 256 << 10

  /// Steps of rules after which a write is decided beside the others, however small it is: a few milliseconds.
  public var largeWriteSteps = 100_000

  /// What a place, or a value to be filled in, counts for when a write's size is told.
  static let placeBytes = 64

  /// Places that are kept for a write that is decided beside the others. Of more, places above them are kept.
  public var largeWritePlacesMax = 1_024

  /// Listens of one place or connection up to which a change of what their rules read is decided for all of them with the
  /// command that makes it; also those of a connection that ends. Of more, the others are decided beside other commands.
  public var redecisionListensInLine = 256

  /// Steps that one command may take to decide listens again: about two milliseconds, and more than most apps ever need. What
  /// takes more is decided beside other commands; listens that are not decided yet are told nothing.
  public var redecisionStepsInLine = 50_000

  /// Live queries of one place up to which all are brought past a commit with the command that makes it. Of more, only those
  /// of its writer are; the others follow beside other commands, and are told then what several commits came to.
  public var queriesInLine = 256

  /// Steps of listens in doubt that are decided after each command, and as many of live queries that are behind: some tenths
  /// of a millisecond.
  public var redecisionStepsPerSlice = 8_000

  /// Steps after which a batch ends: about two milliseconds, so that answers do not wait for costly commands behind them, and
  /// those whose commands cost much are known before more of these are decided.
  public var stepsPerBatch = 60_000

  /// Steps of one command from which on they are noted: some ten microseconds.
  static let notedStepsMin = 1_000

  /// Bytes of a record that telling one listener of takes as long as a step.
  static let deliveredBytesPerStep = 64

  /// Bytes of a record that are put together in the time that a step of a rule takes.
  static let recordBytesPerStep = 16

  /// What deciding a listen again counts for, beside the steps of its rules.
  static let redecisionSteps = 150

  /// The steps of bringing a live query past commits, beside the entries of orders that it looks at.
  static let querySteps = 40

  /// The steps of an event for a live query.
  static let queryEventSteps = 150

  /// What taking a listen out of the indexes counts for.
  static let removalSteps = 40

  /// Events of one place that are kept for listens in doubt. A listen that missed more is sent what is there.
  public var missedEventsPerPlaceMax = 64

  /// The same of all places together, each with the version of the tree that it came from.
  public var missedEventsMax = 16_384

  /// The time that a transaction that is late may take for its next try before others go first, when nothing is known
  /// of its client: a round trip over a slow mobile network.
  public var turnMillisecondsFirst: Int64 = 500

  /// The shortest such time: what a client's pause or a busy machine takes, however near the client is.
  public var turnMillisecondsMin: Int64 = 50

  /// The longest, for clients that are known to be slow. A client that stays silent makes the others wait so long,
  /// once.
  public var turnMillisecondsMax: Int64 = 1_000

  /// The time that the disk may take until the answer that begins a turn is on its way. Later the next one is answered
  /// too.
  public var turnUntoldMillisecondsMax: Int64 = 10_000

  /// Turns that a connection, or a user over all connections, may let pass before it has none. Each is half as long as the
  /// one before.
  public var turnSilencesMax = 4

  /// For how long it counts that a user let a turn pass on another connection: until then, all of the user's connections
  /// together delay others by less than a second.
  public var turnLapseMillisecondsMax: Int64 = 60_000

  /// Users of whom that is known, at some hundred bytes each.
  public var turnLapsedUsersMax = 4_096

  /// How often a place's turns are halved, and those doubled who share one, when nobody uses them: a hundred who have
  /// given up then take seven turns.
  public var turnDoublingsMax = 6

  /// How often a transaction may be late in its own turn, because of plain writes, before others have theirs.
  public var turnLateMax = 3

  /// Places where transactions take turns. Each is looked at when a turn above it ends.
  public var turnPlacesMax = 1_024

  /// Transactions that wait at one place: at some milliseconds each, half a minute.
  public var turnWaitersPerPlaceMax = 4_096

  /// Transactions that wait in all, at about 200 bytes each.
  public var turnWaitersMax = 65_536

  /// Transactions of one connection that wait: as many as an app has on its screen, and few enough that no connection
  /// fills the lines alone.
  public var turnWaitersPerConnectionMax = 64

  /// What the values of those hold that may still be in time. A value that is written beside the others does not wait.
  public var turnWaitingBytesMax = 16 << 20

  /// Record bytes after which a batch ends, so that one append does not keep everybody waiting.
  public var batchBytes = 4 << 20

  /// Commands after which a batch ends, so that answers do not wait for a long queue behind them. A command that comes
  /// in waits for as many at most, and for its round.
  public var batchCommandsMax = 1_024

  /// The levels of the tree, and the keys of a path.
  public var depthMax = DataLimits.depthMax

  /// How often listens whose rules look at the time are decided again, besides before each event that they would get.
  public var clockIntervalMilliseconds: Int64 = 1_000

  /// The limits of a server, to be narrowed by tests.
  public init() {}
}
