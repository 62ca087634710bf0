import Dispatch
import HearthEngine
import HearthJournal
import HearthRules
import HearthTree
import HearthTrial

/// One database: the engine, its mailbox, and the journal that makes its batches durable.
///
/// Commands from any thread enter the mailbox; one queue decides them in order (``CommandDecider``), another makes
/// batches durable and releases their effects (``BatchWriter``), so that the next batch is decided while the previous
/// one is being written. Batches that wait for the disk together share one append and one sync.
public final class Database: Sendable {
  /// The database's name, for logs.
  public let name: String

  /// The report on the recovery at opening.
  public let recovery: RecoveryReport

  /// The retained history of states.
  public let history: DatabaseHistory
  let decider: CommandDecider
  let writer: BatchWriter
  let snapshots: SnapshotStore
  let cleaner: SegmentCleaner
  private let decisionObservers: DecisionObservers

  /// The follower's interface; nil for a database that decides its own changes.
  package var follower: DatabaseFollower? { decider.follower }
  /// True when the database follows a log written elsewhere: its state may be slightly behind the newest one.
  public var isFollowing: Bool { decider.following != nil }
  /// The counter of commits at watched locations.
  public var commitCounter: CommitCounter { writer.commitCounter }

  /// Opens a database: takes ownership of the journal, loads its snapshot or opens its checkpoint, and replays the log
  /// after it. Executes the on-disconnect writes of connections that were open at the last stop. Blocks until all of it
  /// is durable.
  ///
  /// - Parameters:
  /// - name: The name of the database and its journal, also for logs.
  /// - journals: The factory that opens the journal; ``close()`` closes the journal.
  /// - initialRules: The rules in force until a deployment; not stored.
  /// - Throws: `JournalError`, or ``RecordError`` for an unreadable record.
  public convenience init(
    name: String, journals: any JournalFactory, initialRules: RuleSet, environment: DatabaseEnvironment,
    limits: DatabaseLimits = DatabaseLimits()
  ) throws {
    let limits = limits.evaluatingInBackground
    let opened = try journals.open(name)
    let journal = opened.journal
    var head = try journal.acquire()
    // Only now the journal is locked and has chosen the checkpoint: opening the pages removes all others.
    let pageFolder = journals.pageFolder(of: name)
    let cache = environment.pages ?? .standard
    var pages = try PagedStorage.open(journal, folder: pageFolder, cache: cache)
    let isConverted =
      pages == nil ? try SnapshotConversion(to: pageFolder, environment, limits)?.run(journal) == true : false
    if isConverted { pages = try PagedStorage.open(journal, folder: pageFolder, cache: cache) }
    var isOpen = false
    defer { if !isOpen { pages?.storage.close() } }
    var found = Recovery(initialRules: initialRules)
    try found.run(journal, upTo: head, from: pages)
    var (state, report) = found.state()
    report.damages = opened.damages
    state.generation = StateGeneration()
    let outboxes = OutboxHolder(journal: journal as? any OutboxJournal, environment.outbox)
    var engine = Engine(state: state, limits: limits.engine)
    engine.observeCommits(outboxes.commitObserver)
    if pageFolder != nil { engine.storeIndexes() }
    var log = found.replayed
    let effects = try LeftoverSessions.end(in: &engine, journal, &head, &log, environment, outboxes, pages?.storage)
    isOpen = true
    self.init(
      name, report, of: engine, journal, Pipeline(head: head),
      SnapshotSchedule(
        log: log, snapshotBytes: found.snapshotBytes, isPaged: pages != nil, storedLog: found.storedLog),
      outboxes, environment, limits, pages: pages?.storage, pageFolder: pageFolder)
    if !effects.isEmpty { writer.queue.async { environment.deliver(effects, 0) } }
    guard pages != nil else { return }
    snapshots.opened(isConverted: isConverted)
  }

  /// Creates a database that follows a log, from a state that was read: see ``DatabaseFollower/take(_:)``.
  ///
  /// - Parameters:
  ///   - journal: The reader of the log, which another owner writes; ``close()`` closes it.
  ///   - makeSession: Draws an unguessable session number.
  package convenience init(
    name: String, following owner: any OwnerConnection, of journal: any Journal, from start: ReplicationStart,
    environment: DatabaseEnvironment, limits: DatabaseLimits = DatabaseLimits(),
    makeSession: @escaping @Sendable () -> UInt64
  ) {
    let limits = limits.evaluatingInBackground
    // The outbox entries are stored by the owner with their commits; every follower reports them once it has applied
    // the commits.
    self.init(
      name, start.report, of: Engine(following: start.state, limits: limits.engine), journal,
      Pipeline(following: start), SnapshotSchedule(log: .init(), snapshotBytes: start.snapshotBytes),
      OutboxHolder(journal: journal as? any OutboxJournal, environment.outbox), environment, limits,
      following: FollowerState(owner, makeSession: makeSession))
  }

  private init(
    _ name: String, _ recovery: RecoveryReport, of engine: sending Engine, _ journal: any Journal,
    _ pipeline: Pipeline, _ schedule: SnapshotSchedule, _ outboxes: OutboxHolder, _ environment: DatabaseEnvironment,
    _ limits: DatabaseLimits, pages: PagedStorage? = nil, pageFolder: String? = nil, following: FollowerState? = nil
  ) {
    (self.name, self.recovery) = (name, recovery)
    let (durable, batches) = (DurableState(engine.state), BatchQueue(pipeline, limits: limits))
    let snapshots = SnapshotStore(
      of: name, in: journal, schedule, pages: pages, pageFolder: pageFolder, durable: durable, batches: batches,
      environment, limits)
    self.snapshots = snapshots
    history = DatabaseHistory(journal, limits: limits.historyReads) {
      durable.state
    } storage: {
      snapshots.pagedStorage
    }
    writer = BatchWriter(
      of: name, to: journal, from: batches, snapshots: snapshots, durable: durable, outboxes: outboxes, environment)
    decisionObservers = DecisionObservers(clock: environment.clock)
    decider = CommandDecider(
      of: name, by: engine, to: writer, watchedBy: decisionObservers, following: following, environment, limits)
    cleaner = SegmentCleaner(of: name, by: decider, limits)
    snapshots.setCheckpointHandler { [weak cleaner] in cleaner?.checkpointWritten() }
  }

  /// The last durable state. Holding it costs the memory of later changes.
  public var published: DatabaseState { writer.durable.state }

  /// The database's readiness to accept commands. A stalled database recovers by itself; a halted one must be opened
  /// again.
  public var status: DatabaseStatus { follower?.stalledStatus ?? writer.batches.status }

  /// True for a database whose data need not be in memory.
  public var isPaged: Bool { snapshots.pagedStorage != nil }

  /// Submits commands. Those of one connection are decided in submission order; connections take turns when one of them
  /// has more than a few.
  ///
  /// - Parameter sizeBytes: The approximate memory of the commands: the bytes they were parsed from.
  /// - Returns: False when so many commands wait, of all connections or of this one, that the caller should stop
  ///   reading from the connection until it receives effects. The commands are accepted all the same.
  @discardableResult
  public func submit(_ commands: [Command], sizeBytes: Int = 0) -> Bool {
    decider.submit(commands, sizeBytes: sizeBytes)
  }

  /// Ends a connection whose client has reconnected: before any command of the new connection that is submitted after
  /// this, and after all commands of the old one.
  public func end(_ old: ConnectionID, before new: ConnectionID) { decider.end(old, before: new) }

  /// Decides the commands in the mailbox, makes them durable, releases their effects, and closes the journal. Blocks
  /// until done; must not be called from `deliver`. Later commands are answered as unavailable.
  ///
  /// - Parameter snapshotsEnd: The deadline of the final snapshot, on the environment's monotonic clock. The snapshot
  ///   is written when the next start would otherwise replay for long, and abandoned when incomplete by then.
  public func close(snapshotsEnd: Int64 = .min) {
    cleaner.stop()
    decider.finish()
    writer.flush()
    if snapshotsEnd > .min, !isFollowing { snapshots.writeLast(endingAt: snapshotsEnd) }
    writer.batches.end(as: .closed)
    decider.refuseWaiting()
    // Work under way when the status changed is finished first; batches still without room are refused.
    writer.queue.sync { writer.writeWaiting() }
    snapshots.queue.sync {}
    do {
      try snapshots.journal.close()
    } catch {
      decider.environment.notice(.closeFailed(error))
    }
    snapshots.closePages()
  }

  // MARK: Outbox

  /// The journal of the outbox entries; nil when the database's journal cannot store any, so that an outbox is
  /// impossible.
  public var outboxJournal: (any OutboxJournal)? { writer.outboxes.journal }

  /// Sets the outbox that derives entries from every commit decided from now on; nil derives none.
  public func setOutbox(_ outbox: DatabaseOutbox?) { writer.outboxes.set(outbox) }

  // MARK: History

  /// Prevents history after a position from being pruned until the hold ends. Does not restore history that was pruned
  /// before.
  public func holdHistory(from position: Int64) -> HistoryHold { snapshots.historyPruner.hold(from: position) }

  /// Erases a user from the retained history: their authorship of commits, and the values at the given locations. The
  /// present state stays unchanged; delete its data first, and end or sign out the user's connections. Blocks while it
  /// reads the whole retained history, beside the database's own work; no other snapshot is written until it is done.
  ///
  /// The erasure proceeds in steps. An interrupted erasure leaves some of the history unerased; a repeated call
  /// completes it. The result is durable when the call returns.
  ///
  /// - Parameters:
  ///   - uid: The user; nil when only locations are erased.
  ///   - places: The locations whose history is erased, with their descendants.
  ///   - isCancelled: Polled regularly; true ends the erasure early.
  /// - Throws: ``HistoryError``: ``HistoryError/cancelled``; a `.failed` of the journal when a connection still acts as
  ///   the user after a while.
  public func erase(
    uid: String?, places: [Path], isCancelled: () -> Bool = { false }
  ) throws(HistoryError) -> ErasureReport {
    let erasure = HistoryErasure(in: snapshots, uid: uid, places: places)
    return try history.mapping {
      defer { history.forget() }
      if isPaged { return try erasure.run(by: cleaner, isCancelled) }
      return try snapshots.queue.sync { try erasure.run(isCancelled) }
    }
  }

  /// Measures how much ``erase(uid:places:isCancelled:)`` would rewrite, on the assumption that present data is deleted
  /// first. Changes nothing, and reads as much as the erasure.
  public func erasable(
    uid: String?, places: [Path], isCancelled: () -> Bool = { false }
  ) throws(HistoryError) -> ErasureReport {
    // No pruning runs meanwhile.
    try history.mapping {
      try snapshots.queue.sync { try HistoryErasure(in: snapshots, uid: uid, places: places).measure(isCancelled) }
    }
  }

  /// Begins a cleaning of the page files: data is stored again where it is among deleted data, and the former files are
  /// removed. ``PageFigures/isCleaning`` is true until then.
  ///
  /// - Returns: False for a database without page files.
  public func compact() -> Bool {
    guard isPaged else { return false }
    cleaner.begin(.all)
    return true
  }

  // MARK: Trials of rules

  /// Starts a trial of staged rules: every decision of the rules in force is repeated with the staged rules, without
  /// effect. Ends a trial under way.
  @discardableResult
  public func beginTrial(of staged: RuleSet, limits: TrialLimits = TrialLimits()) -> RulesTrial {
    let trial = RulesTrial(of: staged, in: self, limits: limits)
    decisionObservers.begin(trial)
    return trial
  }

  /// Ends the trial under way, and its forecast.
  ///
  /// - Returns: The trial's report; nil when there was no trial.
  @discardableResult
  public func endTrial() -> TrialReport? { decisionObservers.begin(nil)?.report() }

  /// The trial under way.
  public var trial: RulesTrial? { decisionObservers.trial }

  /// Starts or stops counting decisions outside of a trial. During a trial they are always counted.
  public func measureTraffic(_ isOn: Bool) { decisionObservers.measure(isOn) }

  /// Returns the number of decisions in the last `milliseconds` (at most 600,000) while counting was on. The period is
  /// rounded to whole seconds and includes the current one.
  public func traffic(inLastMilliseconds milliseconds: Int64) -> TrafficCount {
    decisionObservers.traffic(inLastMilliseconds: milliseconds)
  }

  /// Records a decision that was made on ``published`` outside of the engine.
  ///
  /// - Parameter decided: Evaluated only while a trial or a count is running.
  public func noteDecided(_ decided: @autoclosure () -> RecordedDecision) {
    if decisionObservers.isOn { decisionObservers.recordDecisions(RecordedDecisions(decided())) }
  }

  /// Returns the listens of one connection, and the state to decide them on. May wait for a batch that is being
  /// decided: must not run on event loops.
  public func listens(of id: ConnectionID) -> StandingListens {
    decider.engine.withLock { StandingListens(of: [id][...], in: $0, countMin: 1) }
  }
}

extension Database: SnapshotWriter {
  /// True while space is low and changes are refused, except removals by administrators and rules.
  public var isSpaceLow: Bool { decider.lowSpace.isLow }

  /// Sets whether changes are refused as ``Failure/lowSpace``, except removals by administrators and rules. Commands
  /// submitted before may still be decided under the previous setting.
  public func setSpaceLow(_ isLow: Bool) {
    guard decider.lowSpace.set(isLow) else { return }
    // Lets the engine answer the transactions that wait for their turn.
    decider.submit(.tick)
  }

  /// The free bytes inside the journal's file, which are used before the file grows; 0 when they cannot be read.
  public var reusableBytes: Int { (try? snapshots.journal.reusableBytes()) ?? 0 }

  /// The bytes still needed by a snapshot that is under way or soon due, an estimate on the high side; 0 when none is.
  public var snapshotNeedBytes: Int { snapshots.schedule.withLock { $0.neededBytes(decider.limits) } }

  /// Limits each snapshot to `bytes` from now on, counting disk space and free space inside the journal's file. A
  /// larger snapshot is abandoned, and retried when there is considerably more space or log.
  public func setSnapshotRoom(_ bytes: Int) { snapshots.setRoom(bytes) }

  /// Writes a snapshot when the present data is so much smaller than the log and the last snapshot that a new snapshot
  /// frees space in the journal's file, as after large removals. Traverses all of the data, at most once for each
  /// position, while commits continue.
  ///
  /// - Parameter sizeBytesMax: The most bytes for the snapshot, regardless of ``setSnapshotRoom(_:)``.
  public func makeRoom(sizeBytesMax: Int) { snapshots.makeRoom(sizeBytesMax: sizeBytesMax) }
}
