import Dispatch
import HearthEngine
import HearthJournal
import HearthRules
import HearthTree
import Synchronization

/// One database: the engine, its mailbox, and the journal that makes its batches durable.
///
/// Commands from any thread enter the mailbox; one queue decides them in order, another makes batches durable and
/// releases their effects, so that the next batch is decided while the last one is on its way to the disk. Batches that
/// wait for the disk together share one append and one sync.
public final class Database: Sendable {
  /// The database's name, for logs.
  public let name: String

  /// The report on the recovery at opening.
  public let recovery: RecoveryReport

  let environment: DatabaseEnvironment
  let limits: DatabaseLimits
  let journal: any Journal
  let engine: Mutex<Engine>
  let mailbox: Mutex<Mailbox>
  let largeWrites: Mutex<LargeWriteQueue>
  let pipeline: Mutex<Pipeline>
  let durable: DurableState
  let watch = DecisionWatch()
  /// The counter of commits at watched locations.
  public let pulse = CommitPulse()
  /// The state that ``setSpaceLow(_:)`` sets.
  let lowSpace = LowSpace()
  /// The retained history of states.
  public let history: DatabaseHistory
  let keeper: HistoryKeeper
  let outboxes: OutboxHolder
  let decidingQueue: DispatchQueue
  let largeWriteQueue: DispatchQueue
  let largeReadQueue: DispatchQueue
  let journalQueue: DispatchQueue
  let snapshotQueue: DispatchQueue
  /// Signalled when the pipeline takes batches again.
  let room = DispatchSemaphore(value: 0)
  let following: Following?
  /// The follower's interface; nil for a database that decides its own changes.
  package var follower: DatabaseFollower? { following.map { DatabaseFollower(database: self, following: $0) } }
  /// True when the database follows a log written elsewhere: its state may be slightly behind the newest one.
  public var isFollowing: Bool { following != nil }

  /// Opens a database: takes the journal over, loads its snapshot and replays the log after it. Executes the
  /// on-disconnect writes of connections that were open at the last stop. Blocks until all of it is durable.
  ///
  /// - Parameters:
  ///   - name: The name of the database and its journal, also for logs.
  ///   - journals: The factory that opens the journal; ``close()`` closes that.
  ///   - initialRules: The rules in force until a deployment; not stored.
  /// - Throws: `JournalError`, or ``RecordError`` for an unreadable record.
  public init(
    name: String, journals: any JournalFactory, initialRules: RuleSet, environment: DatabaseEnvironment,
    limits: DatabaseLimits = DatabaseLimits()
  ) throws {
    let limits = limits.evaluatingBeside
    let opened = try journals.open(name)
    let journal = opened.journal
    var head = try journal.acquire()
    var found = Recovery(initialRules: initialRules)
    try found.run(journal, upTo: head)
    var (state, report) = found.state()
    report.damages = opened.damages
    recovery = report
    outboxes = OutboxHolder(journal: journal as? any OutboxJournal, environment.outbox)
    following = nil
    var engine = Engine(state: state, limits: limits.engine)
    engine.tapChanges(outboxes.tap)
    var log = found.replayed
    let effects = try LeftoverSessions.end(in: &engine, journal, &head, &log, environment, outboxes)
    self.name = name
    self.environment = environment
    self.limits = limits
    self.journal = journal
    let durable = DurableState(engine.state)
    self.durable = durable
    history = DatabaseHistory(journal, limits: limits.lookingBack) { durable.state }
    keeper = HistoryKeeper(limits.history)
    self.engine = Mutex(engine)
    mailbox = Mutex(Mailbox(limits: limits))
    largeWrites = Mutex(LargeWriteQueue(limits: limits))
    pipeline = Mutex(
      Pipeline(head: head, snapshots: SnapshotSchedule(log: log, snapshotBytes: found.snapshotBytes)))
    (decidingQueue, largeWriteQueue, largeReadQueue, journalQueue, snapshotQueue) = DatabaseQueues.make(for: name)
    if !effects.isEmpty { journalQueue.async { environment.deliver(effects, 0) } }
  }

  /// Creates a database that follows a log, from a state that was read: see ``DatabaseFollower/take(_:)``.
  ///
  /// - Parameters:
  ///   - journal: The reader of the log, which another owner writes; ``close()`` closes it.
  ///   - makeSession: Draws an unguessable session number.
  package init(
    name: String, following line: any OwnerLine, of journal: any Journal, from start: FollowedStart,
    environment: DatabaseEnvironment, limits: DatabaseLimits = DatabaseLimits(),
    makeSession: @escaping @Sendable () -> UInt64
  ) {
    let limits = limits.evaluatingBeside
    following = Following(line, makeSession: makeSession)
    recovery = start.report
    // The owner stores entries with their commits; all followers look at them.
    outboxes = OutboxHolder(journal: journal as? any OutboxJournal, environment.outbox)
    (self.name, self.environment, self.limits, self.journal) = (name, environment, limits, journal)
    let engine = Engine(following: start.state, limits: limits.engine)
    let durable = DurableState(engine.state)
    (self.durable, keeper) = (durable, HistoryKeeper(limits.history))
    history = DatabaseHistory(journal, limits: limits.lookingBack) { durable.state }
    self.engine = Mutex(engine)
    mailbox = Mutex(Mailbox(limits: limits))
    largeWrites = Mutex(LargeWriteQueue(limits: limits))
    pipeline = Mutex(Pipeline(following: start))
    (decidingQueue, largeWriteQueue, largeReadQueue, journalQueue, snapshotQueue) = DatabaseQueues.make(for: name)
  }

  /// The last durable state. Holding it costs the memory of later changes.
  public var published: Published { durable.state }

  /// The state of accepting commands. A stalled database recovers by itself; a halted one must be opened again.
  public var status: DatabaseStatus { follower?.lackOfRoom ?? pipeline.withLock { $0.status } }

  /// Submits commands. Those of one connection are decided in submission order; connections take turns when one of them
  /// has more than a few.
  ///
  /// - Parameter sizeBytes: The approximate memory of the commands: the bytes they were parsed from.
  /// - Returns: False when so many commands wait, of all connections or of this one, that the caller should stop
  ///   reading from the connection until it receives effects. The commands are accepted all the same.
  @discardableResult
  public func submit(_ commands: [Command], sizeBytes: Int = 0) -> Bool {
    guard !commands.isEmpty else { return true }
    let arrival = environment.meters.now()
    let (isWaking, hasRoom) = mailbox.withLock { box in
      let hasRoom = box.append(commands, sizeBytes: sizeBytes, arrivalNanoseconds: arrival)
      defer { box.isAwake = true }
      return (!box.isAwake, hasRoom)
    }
    if isWaking { decidingQueue.async { self.drain() } }
    return hasRoom && following?.isCrowded.load(ordering: .relaxed) != true
  }

  /// Ends a connection whose client has reconnected: before any command of the new connection that is submitted after
  /// this, and after all commands of the old one.
  public func end(_ old: ConnectionID, before new: ConnectionID) {
    if following == nil { largeWrites.withLock { $0.hold(new, until: old) } }
    let isWaking = mailbox.withLock { box in
      _ = box.append([Command(connection: old, action: .disconnect)], sizeBytes: 0)
      box.hold(new, until: old)
      defer { box.isAwake = true }
      return !box.isAwake
    }
    if isWaking { decidingQueue.async { self.drain() } }
  }

  /// Decides the commands in the mailbox, makes them durable, releases their effects, and closes the journal. Blocks
  /// until done; must not be called from `deliver`. Later commands are answered as unavailable.
  ///
  /// - Parameter snapshotsEnd: The deadline of the final snapshot, on the environment's monotonic clock. The snapshot
  ///   is written when the next start would otherwise replay for long, and abandoned when incomplete by then.
  public func close(snapshotsEnd: Int64 = .min) {
    decidingQueue.sync { drain() }
    // Settles the large commands under way, and decides the commands that waited for them.
    while !decidingQueue.sync(execute: { largeWrites.withLock { $0.isIdle } }) {
      largeWriteQueue.sync {}
      largeReadQueue.sync {}
    }
    journalQueue.sync {
      writeWaiting()
      storeWaiting()
    }
    if snapshotsEnd > .min, following == nil { writeLastSnapshot(endingAt: snapshotsEnd) }
    pipeline.withLock { line in
      line.status = .closed
      line.stall = nil
    }
    // Transactions that wait for a turn are refused like commands that arrive now.
    decidingQueue.sync {
      if let follower { return follower.endQuestions() }
      decide([Command(connection: ConnectionID(rawValue: 0), action: .tick)])
    }
    // Work under way when the status changed is finished first; batches still without room are refused.
    journalQueue.sync { writeWaiting() }
    snapshotQueue.sync {}
    do {
      try journal.close()
    } catch {
      environment.notice(.closeFailed(error))
    }
  }
}
