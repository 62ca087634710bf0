import HearthRules
import HearthTree

/// One database's decisions: commands in, batches out. A deterministic state machine with a single owner.
///
/// It reads no clock, takes no lock and waits for nothing: what the rules saw is what is changed. Its state is ahead of
/// what is durable; the owner releases a batch's effects only after the batch is on disk.
public struct Engine {
  /// The newest state, durable or not.
  public internal(set) var state: Published
  /// What it refuses, and where batches end.
  public let limits: EngineLimits
  let role: EngineRole

  var listens: ListenIndex
  var connections: [ConnectionID: Connection] = [:]
  var queries: LiveQueries
  var grants: Grants
  var deadlines = DeadlineQueue()
  /// Counts the principals of all connections together, so that a deadline is never taken for another one's.
  var lastIdentitySerial: UInt64 = 0
  var hashes = HashCache()
  var lastRedecisionSerial: UInt64 = 0
  /// Listens that are in doubt, and decided again beside other commands.
  var redecisions: RedecisionQueue
  var meter: WorkMeter
  /// What live queries, and the orders that are kept for queries, have cost so far. A `get` is put together elsewhere and
  /// counts only as far as it made an order.
  public var queryCost: QueryCost { queries.cost }
  /// What the engine does wrong on purpose.
  package var faults: EngineFaults = [] {
    didSet { (queries.faults, redecisions.faults) = (faults, faults) }
  }
  var onDisconnects: OnDisconnectTable
  /// Who writes next where transactions get in each other's way.
  var turns: TransactionTurns
  var storage = StorageCondition()
  /// Of records that it follows and that come in pieces.
  var pieces = RecordPieces()

  /// True while commands that take long are not decided but left in the batch as ``Batch/largeCommand``.
  var setsAside = false
  /// The command of the batch under way that was set aside; nil when there is none.
  var largeCommand: LargeCommand?
  /// The outcome of the comparison that the batch under way settles.
  var comparing: ComparisonResult?
  /// The write that the batch under way settles.
  var settling: DecidedWrite?
  /// Rules may take so many steps for the write under way; nil when they may take all there are.
  var stepsInLineMax: Int?
  /// They would have taken more, and what they said does not count.
  var isOverlong = false
  /// What deciding looked at, in an engine that decides one ``LargeWrite``.
  var notes: LargeWriteNotes?

  /// Nil as long as nobody judges decisions after it.
  var tap: DecisionTap?

  /// Nil as long as nobody makes anything of commits.
  var changeTap: ChangeTap?
  /// Notes what commits change, once that is wanted.
  package var placeTap = PlaceTap()

  /// What the batch under way comes to, and its moment.
  var effects: [Effect] = []
  var payload: [UInt8] = []
  var tally = RequestTally()
  /// The moment of the batch under way, or of the last one.
  package internal(set) var now = Instant(wallMilliseconds: 0, monotonicMilliseconds: 0)

  /// - Parameter state: Where decisions begin: what recovery found.
  public init(state: Published, limits: EngineLimits = EngineLimits()) {
    self.init(state: state, limits: limits, as: .alone)
  }

  /// - Parameter ignored: Aspects to leave out of the dependency index: a fault, for the test that must notice it.
  package init(
    state: Published, limits: EngineLimits, as role: EngineRole = .alone,
    ignoring ignored: ReadDependencies.Aspects = []
  ) {
    (self.state, self.limits, self.role) = (state, limits, role)
    if limits.countsRules { self.state.rules = state.rules.counted }
    listens = ListenIndex(limits: limits)
    queries = LiveQueries(limits: limits)
    grants = Grants(clockIntervalMilliseconds: limits.clockIntervalMilliseconds, ignoring: ignored)
    onDisconnects = role.onDisconnectDesk(state.sessions, limits)
    turns = TransactionTurns(limits: limits)
    redecisions = RedecisionQueue(limits: limits)
    meter = WorkMeter(limits: limits)
  }

  /// True when sessions from before the start are still to be ended: they are in the first batches that it decides.
  package var hasLeftoverSessions: Bool { onDisconnects.hasLeftovers }

  /// When something happens without a command, on the monotonic clock: `decide` should then be called with a `tick`.
  public var nextDeadlineMonotonicMilliseconds: Int64? {
    [
      deadlines.first?.deadlineMonotonicMilliseconds, grants.nextCheckMonotonicMilliseconds,
      turns.nextDeadlineMonotonicMilliseconds(at: now),
    ].compactMap(\.self).min()
  }

  /// Decides commands in order, until the batch is full. What is left over in `commands` belongs to the next batch.
  /// While there are sessions from before the start, these end, and no command is decided.
  ///
  /// - Parameters:
  ///   - instant: The moment of all of them. It must not be before an earlier batch's on the monotonic clock.
  ///   - settingAside: Whether a command that takes long is left in the batch, to be worked on elsewhere. None is decided
  ///     after it.
  public mutating func decide(
    _ commands: ArraySlice<Command>, at instant: Instant, settingAside: Bool = false
  ) -> Batch {
    setsAside = settingAside
    let (firstPosition, lastTurn) = (state.position + 1, turns.lastSerial)
    var count = 0
    pass(to: instant)
    turns.expire(at: now)
    takeTurns()
    for command in commands where !onDisconnects.hasLeftovers {
      guard payload.count < limits.batchBytes, count < limits.batchCommandsMax, meter.batchStepsLeft > 0,
        !hasSetAside
      else { break }
      meter.beginCommand(
        effectCount: effects.count, recordBytes: payload.count, querySteps: queries.cost.total)
      endCredentials()
      redecisions.payer = WorkPayer(command)
      let isDecided = turns.isIdle || settleTurns(before: command)
      if isDecided { decide(command) }
      meter.endCommand(
        of: redecisions.payer, effects: effects, recordBytes: payload.count, querySteps: queries.cost.total)
      guard isDecided else { break }
      takeTurns()
      continueRedecisions()
      count += 1
    }
    var batch = takeBatch(from: firstPosition)
    batch.commandCount = count
    batch.turn = turns.lastSerial > lastTurn ? turns.lastSerial : nil
    return batch
  }

  /// What comes of time alone, before anything else of a batch.
  mutating func pass(to instant: Instant) {
    (now, redecisions.payer) = (instant, nil)
    meter.beginBatch()
    noteIdentities()
    endLeftoverSessions()
    endCredentials()
    decideDueClockListens()
  }

  /// What the batch under way comes to, without commands; the next one begins.
  mutating func takeBatch(from firstPosition: Int64) -> Batch {
    endCredentials()
    defer { (payload, effects, largeCommand, tally) = ([], [], nil, RequestTally()) }
    return Batch(
      payload: payload, firstPosition: firstPosition, commandCount: 0, effects: effects, state: state,
      largeCommand: largeCommand, decided: tap?.take(), changes: changeTap?.take() ?? [],
      places: placeTap.take(), tally: tally,
      work: meter.take())
  }

  private mutating func decide(_ command: Command) {
    if case .disconnect = command.action { return disconnect(command.connection) }
    if let refusal = storage.refusal(of: command.action, by: principal(of: command)) { return fail(command, refusal) }
    if role == .following, command.action.isChange { return fail(command, .unavailable) }
    switch command.action {
    case .connect:
      if connections[command.connection] == nil {
        connections[command.connection] = listens.makeConnection(for: command)
      }
      reply(command, .ok)
    case .disconnect, .tick: break
    case .barrier: reply(command, .ok)
    case .turnsTold(let serial): turns.told(upTo: serial, at: now)
    case .authenticate(let principal): authenticate(command, as: principal)
    case .unauthenticate: authenticate(command, as: .signedOut)
    case .listen, .get: read(command)
    case .unlisten(let path, let query, let tag): unlisten(command, path, query, tag)
    case .onDisconnect(let change): onDisconnect(command, change)
    case .cancelOnDisconnect(let location): cancelOnDisconnect(command, location)
    case .write(let operation) where operation.expectedHash != nil && role == .alone: compare(command, operation)
    case .write(let operation): perform(command, operation)
    case .transact(let transaction): transaction.decide(command, in: &self)
    case .endCredential(let revocation): endCredential(command, revocation: revocation)
    case .deployRules(let rules): deploy(command, rules)
    }
  }

  /// Under whom a command is decided; nil when its connection is not known.
  package func principal(of command: Command) -> Principal? {
    command.principal ?? connections[command.connection]?.principal
  }

  /// Takes a write or a deploy into the batch: its record, and the tree after it.
  ///
  /// - Returns: False when the record is larger than one may be; nothing has changed then.
  mutating func commit(_ record: CommitRecord, root: Node, sessions: Sessions? = nil) -> Bool {
    let start = payload.count
    record.append(to: &payload)
    guard payload.count - start <= limits.recordBytesMax else {
      payload.removeSubrange(start...)
      return false
    }
    state.root = root
    if let sessions { state.sessions = sessions }
    if role != .deciding { state.position += 1 }
    return true
  }
}
