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

  /// What opening found.
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
  /// Counts commits at places that somebody looks at.
  public let pulse = CommitPulse()
  /// See ``setSpaceLow(_:)``.
  let lowSpace = LowSpace()
  /// States as they were.
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
  /// Nil for a database that decides its own changes.
  package var follower: DatabaseFollower? { following.map { DatabaseFollower(database: self, following: $0) } }
  /// True when it follows a log that is written elsewhere: what it shows may be a little behind the newest state.
  public var isFollowing: Bool { following != nil }

  /// Opens a database: takes the journal over, loads its snapshot and replays the log after it. What connections that
  /// were open then wanted to be done at their end is done. Blocks until all that is durable.
  ///
  /// - Parameters:
  ///   - name: For logs, and of its journal.
  ///   - journals: Where its journal is; that is closed by ``close()``.
  ///   - initialRules: In force until rules are deployed; not stored.
  /// - Throws: `JournalError`, or ``RecordError`` for a record that cannot be read.
  public init(
    name: String, journals: any JournalFactory, initialRules: RuleSet, environment: DatabaseEnvironment,
    limits: DatabaseLimits = DatabaseLimits()
  ) throws {
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

  /// A database that follows a log, from a state that was read: see ``DatabaseFollower/take(_:)``.
  ///
  /// - Parameters:
  ///   - journal: reads the log, whose owner somebody else is; it is closed by ``close()``.
  ///   - makeSession: draws a number that nobody can guess.
  package init(
    name: String, following line: any OwnerLine, of journal: any Journal, from start: FollowedStart,
    environment: DatabaseEnvironment, limits: DatabaseLimits = DatabaseLimits(),
    makeSession: @escaping @Sendable () -> UInt64
  ) {
    following = Following(line, makeSession: makeSession)
    recovery = start.report
    // Entries are kept with the commits that they are of, by whoever writes these; all look at them.
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

  /// The last durable state. Holding it costs the memory of what changes meanwhile.
  public var published: Published { durable.state }

  /// The state by which the database takes commands; a stalled one will by itself, and a halted one must be opened again.
  public var status: DatabaseStatus { follower?.lackOfRoom ?? pipeline.withLock { $0.status } }

  /// Hands commands over. Those of one connection are decided in the order in which they are handed over; connections
  /// take turns when one of them has more than a few.
  ///
  /// - Parameter sizeBytes: What the commands hold in memory, roughly: the bytes that they were read from.
  /// - Returns: False when so much waits, of all connections or of this one, that the caller should read no more from
  ///   the connection until it gets effects. The commands are taken all the same.
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

  /// Ends a connection whose client has come back on a new connection, before any command of the new connection that is
  /// handed over after this; and after all commands of the old one.
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

  /// Decides what is in the mailbox, makes it durable, releases its effects, and closes the journal. Blocks until done;
  /// must not be called from `deliver`. Later commands are answered as unavailable.
  ///
  /// - Parameter snapshotsEnd: on the monotonic clock of its environment: until then a snapshot is written when the next
  ///   start would replay for long otherwise. What is not complete then is given up.
  public func close(snapshotsEnd: Int64 = .min) {
    decidingQueue.sync { drain() }
    // Large commands that are under way are settled, and what waited for them is decided.
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
    // Transactions that wait for a turn are refused like commands that come now.
    decidingQueue.sync {
      if let follower { return follower.endQuestions() }
      decide([Command(connection: ConnectionID(rawValue: 0), action: .tick)])
    }
    // What was under way when the status changed is finished first, and what found no room to the last is refused.
    journalQueue.sync { writeWaiting() }
    snapshotQueue.sync {}
    do {
      try journal.close()
    } catch {
      environment.notice(.closeFailed(error))
    }
  }
}
