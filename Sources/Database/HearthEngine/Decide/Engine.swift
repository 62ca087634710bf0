import HearthRules
import HearthTree

/// The decisions of one database: it takes commands and returns batches. A deterministic state machine that only one
/// thread uses at a time.
///
/// It reads no clock, takes no lock and never waits, so a write changes exactly the state that the rules decided on.
/// Its state is ahead of the durable one; the owner releases a batch's effects only after the batch is on disk.
public struct Engine {
  /// The newest state, durable or not.
  public internal(set) var state: DatabaseState
  /// The limits of requests and of batches.
  public let limits: EngineLimits
  let role: EngineRole

  var listens: ListenIndex
  var connections = ConnectionTable()
  var queries: LiveQueries
  var grants: Grants
  var hashes = HashCache()
  /// The listens in doubt, whose permission is decided again between other commands.
  var redecisions: RedecisionQueue
  var meter: WorkMeter
  /// The reads of pages that are not in memory.
  var reads = PageReads()
  /// The faults that a test injects; empty in production.
  package var faults: InjectedFaults = [] {
    didSet { (queries.faults, redecisions.faults) = (faults, faults) }
  }
  var onDisconnects: OnDisconnectTable
  /// The turns of conflicting transactions: see ``TransactionTurns``.
  var turns: TransactionTurns
  var storage = StorageCondition()
  /// Partial records received while following another node.
  var pieces = RecordAssembler()

  /// True to leave commands that take long undecided in the batch as ``Batch/largeCommand``.
  var setsAside = false
  /// The command of the current batch that was set aside; nil when there is none.
  var largeCommand: LargeCommand?
  /// The outcome of the background comparison whose command the current batch decides; nil when there is none.
  var comparing: ComparisonResult?
  /// The write, decided in the background, that the current batch commits; nil when there is none.
  var settling: DecidedWrite?
  /// True when the background work whose command the current batch decides could not read a page. The command is
  /// refused.
  var isBackgroundIncomplete: Bool {
    comparing?.isIncomplete == true || settling?.isIncomplete == true || queries.found?.isIncomplete == true
  }
  /// The most rules steps for the current write; nil for no limit.
  var inlineStepsMax: Int?
  /// True when the rules exceeded ``inlineStepsMax``, so that their answer does not count.
  var isOverlong = false
  /// The data that a decision has read, in an engine that decides one ``LargeWrite``.
  var dependencies: LargeWriteDependencies?

  /// The recorder of decisions; nil when no trial or metric uses them.
  var decisionRecorder: DecisionRecorder?

  /// The recipient of commits; nil when no trigger is registered.
  var commitObserver: CommitObserver?
  /// The recorder of changed locations.
  package var locationRecorder = LocationRecorder()

  /// The effects of the current batch. The properties after this one are its other parts.
  var effects: [Effect] = []
  var payload: [UInt8] = []
  var tally = RequestTally()
  /// The time of the current batch, or of the last one.
  package internal(set) var now = Instant(wallMilliseconds: 0, monotonicMilliseconds: 0)

  /// Creates an engine.
  ///
  /// - Parameter state: The recovered state at which decisions begin.
  public init(state: DatabaseState, limits: EngineLimits = EngineLimits()) {
    self.init(state: state, limits: limits, as: .alone)
  }

  /// Creates a following engine from a recovered state. It makes nothing durable: changes are refused as unavailable,
  /// and disconnects have no effect on data. Its connections listen, read, sign in and sign out as usual.
  package init(following state: DatabaseState, limits: EngineLimits = EngineLimits()) {
    self.init(state: state, limits: limits, as: .following)
  }

  /// Creates an engine with a role.
  ///
  /// - Parameter ignored: Aspects to leave out of the dependency index: a fault that tests inject.
  package init(
    state: DatabaseState, limits: EngineLimits, as role: EngineRole = .alone,
    ignoring ignored: ReadDependencies.Aspects = []
  ) {
    (self.state, self.limits, self.role) = (state, limits, role)
    if limits.countsRules { self.state.rules = state.rules.counted }
    listens = ListenIndex(limits: limits)
    queries = LiveQueries(limits: limits)
    grants = Grants(clockIntervalMilliseconds: limits.clockIntervalMilliseconds, ignoring: ignored)
    onDisconnects = role.makeOnDisconnectTable(state.sessions, limits)
    turns = TransactionTurns(limits: limits)
    redecisions = RedecisionQueue(limits: limits)
    meter = WorkMeter(limits: limits)
  }

  /// True when the current batch ends with a command that continues in the background.
  var hasSetAside: Bool { largeCommand != nil }

  /// True when the current batch decides a command with the result of background work.
  var isSettling: Bool { settling != nil || comparing != nil || queries.found != nil }

  /// True when listens in doubt can be decided now, or live queries are outdated. The owner should then call `decide`,
  /// if necessary with a `tick`. False while the disk is full, because the data may not be durable.
  public var hasPendingRedecisions: Bool { !(redecisions.isIdle && !queries.hasDue) && !storage.isStalled }

  /// Sets the number of recipients of effects that wait for the journal or an event loop. Above
  /// ``EngineLimits/deliveriesWaitingMax``, outdated live queries wait.
  package mutating func setDeliveriesWaiting(_ count: Int) {
    queries.isDeliveryBehind = count > limits.deliveriesWaitingMax
  }

  /// True while sessions from before the start must be ended, which happens in the first batches.
  package var hasLeftoverSessions: Bool { onDisconnects.hasLeftovers }

  /// The time of the next event without a command, on the monotonic clock, at which the owner should call `decide` with
  /// a `tick`; nil when there is none.
  public var nextDeadlineMonotonicMilliseconds: Int64? {
    [
      connections.deadlines.first?.deadlineMonotonicMilliseconds, grants.nextCheckMonotonicMilliseconds,
      turns.nextDeadlineMonotonicMilliseconds(at: now), onDisconnects.nextRetryMonotonicMilliseconds,
      storage.isStalled ? nil : queries.nextDeadlineMonotonicMilliseconds(at: now),
    ].compactMap(\.self).min()
  }

  /// Decides commands in order, until the batch is full. The remaining `commands` belong to the next batch. While there
  /// are sessions from before the start, these end, and no command is decided.
  ///
  /// - Parameters:
  /// - instant: The time of all commands. It must not be before an earlier batch's on the monotonic clock.
  /// - settingAside: True to return a command that takes long as ``Batch/largeCommand``, for the background. No command
  ///   is decided after it.
  public mutating func decide(
    _ commands: ArraySlice<Command>, at instant: Instant, settingAside: Bool = false
  ) -> Batch {
    setsAside = settingAside
    let (firstPosition, lastTurn) = (state.position + 1, turns.lastSerial)
    var count = 0
    advance(to: instant)
    turns.expire(at: now)
    TurnHandler.take(in: &self)
    for command in commands where !onDisconnects.hasLeftovers {
      guard payload.count < limits.batchBytes, count < limits.batchCommandsMax, meter.batchStepsLeft > 0,
        !hasSetAside
      else { break }
      beginCommand(paidBy: WorkPayer(command))
      ConnectionHandler.endCredentials(in: &self)
      let isDecided = turns.isIdle || TurnHandler.settle(before: command, in: &self)
      if isDecided { decide(command) }
      endCommand()
      guard isDecided else { break }
      TurnHandler.take(in: &self)
      RedecisionHandler.continueAll(in: &self)
      count += 1
    }
    var batch = takeBatch(from: firstPosition)
    batch.commandCount = count
    batch.turn = turns.lastSerial > lastTurn ? turns.lastSerial : nil
    return batch
  }

  /// Applies expired timers at the start of a batch.
  mutating func advance(to instant: Instant) {
    (now, redecisions.payer) = (instant, nil)
    meter.beginBatch()
    reads.beginBatch()
    OnDisconnectHandler.noteIdentities(in: &self)
    OnDisconnectHandler.endLeftoverSessions(in: &self)
    ConnectionHandler.endCredentials(in: &self)
    RedecisionHandler.decideDueClockListens(in: &self)
  }

  /// Returns the current batch, with a `commandCount` of 0, and starts the next one.
  mutating func takeBatch(from firstPosition: Int64) -> Batch {
    ConnectionHandler.endCredentials(in: &self)
    reads.endPlan()
    reads.checkSoundness()
    updateStoredIndexes()
    defer { (payload, effects, largeCommand, tally) = ([], [], nil, RequestTally()) }
    return Batch(
      payload: payload, firstPosition: firstPosition, commandCount: 0, effects: effects, state: state,
      largeCommand: largeCommand, liveQuery: queries.takeEvaluation(), decided: decisionRecorder?.take(),
      changes: commitObserver?.take() ?? [], places: locationRecorder.take(), tally: tally, work: meter.take(),
      unreadPath: reads.refusedPath, isUnsound: reads.isUnsound)
  }

  private mutating func decide(_ command: Command) {
    beginPlan()
    if case .disconnect = command.action { return ConnectionHandler.disconnect(command.connection, in: &self) }
    if let refusal = storage.refusal(of: command.action, by: principal(of: command)) { return fail(command, refusal) }
    if role == .following, command.action.isChange { return fail(command, .unavailable) }
    switch command.action {
    case .connect: ConnectionHandler.connect(command, in: &self)
    case .disconnect, .tick: break
    case .barrier: reply(command, .ok)
    case .turnsDelivered(let serial): turns.delivered(upTo: serial, at: now)
    case .authenticate(let principal): ConnectionHandler.authenticate(command, as: principal, in: &self)
    case .unauthenticate: ConnectionHandler.authenticate(command, as: .signedOut, in: &self)
    case .endCredential(let revocation):
      ConnectionHandler.endCredential(command, revocation: revocation, in: &self)
    case .listen, .get: ReadHandler.read(command, in: &self)
    case .unlisten(let path, let query, let tag): ReadHandler.unlisten(command, path, query, tag, in: &self)
    case .onDisconnect(let change): OnDisconnectHandler.set(command, change, in: &self)
    case .cancelOnDisconnect(let location): OnDisconnectHandler.cancel(command, location, in: &self)
    case .write(let operation) where operation.expectedHash != nil && role == .alone:
      TurnHandler.compare(command, operation, in: &self)
    case .write(let operation): WriteHandler.perform(command, operation, in: &self)
    case .transact(let transaction): transaction.decide(command, in: &self)
    case .deployRules(let rules): RulesDeployment.deploy(command, rules, in: &self)
    }
  }

  /// Returns the principal that a command is decided for, or nil when its connection is unknown.
  package func principal(of command: Command) -> Principal? {
    command.principal ?? connections[command.connection]?.principal
  }

  /// Adds a write or a deploy to the batch: its record, and the tree after it.
  ///
  /// - Returns: False when the record exceeds its limit, or the command is to be refused because a read has failed;
  ///   then nothing has changed.
  mutating func commit(_ record: CommitRecord, root: Node, sessions: OnDisconnectSessions? = nil) -> Bool {
    let start = payload.count
    meter.stepsTaken += record.leafCount * EngineLimits.recordedLeafSteps
    record.append(to: &payload)
    guard payload.count - start <= limits.recordBytesMax, !reads.isRefusable(effectCount: effects.count) else {
      payload.removeSubrange(start...)
      return false
    }
    reads.endPlan()
    state.root = root
    if let sessions { state.sessions = sessions }
    if role != .deciding { state.position += 1 }
    return true
  }

  // MARK: Answers

  /// Answers a command. A planned command for which a read has failed is refused instead.
  mutating func reply(_ command: Command, _ reply: Reply) {
    let reply = dropsPlan(of: command.action.path) ? .failure(.unavailable) : reply
    reads.endPlan()
    tally.note(command.action, reply)
    guard let request = command.request else { return }
    effects.append(.reply(command.connection, request: request, reply))
  }

  mutating func fail(_ command: Command, _ failure: Failure) { reply(command, .failure(failure)) }

  mutating func deny(
    _ command: Command, _ operation: Denial.Operation, _ path: Path, _ principal: Principal, _ decision: Decision?
  ) {
    if refusesUnread(command) { return }
    effects.append(
      .denied(
        Denial(
          connection: command.connection, request: command.request, operation: operation, path: path,
          principal: principal, decision: decision)))
    fail(command, .permissionDenied)
  }

  /// Returns false for `.info`, whose data exists only in clients, and for paths deeper than the tree can be.
  package func isAddressable(_ path: Path) -> Bool {
    path.count <= limits.depthMax && path.keys.first.map { $0 != Self.infoKey } ?? true
  }

  private static let infoKey: Key = ".info"
}
