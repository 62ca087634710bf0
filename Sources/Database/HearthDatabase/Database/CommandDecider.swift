import Dispatch
import HearthEngine
import HearthJournal
import Synchronization

/// The decisions of a database: takes commands from the mailbox, lets the engine decide them in order on a queue of its
/// own, and passes the batches on to the ``BatchWriter``.
final class CommandDecider: BatchWriterDelegate {
  let engine: Mutex<Engine>
  let mailbox: Mutex<Mailbox>
  let writer: BatchWriter
  let decisionObservers: DecisionObservers
  let lowSpace = LowSpaceFlag()
  let following: FollowerState?
  let environment: DatabaseEnvironment
  let limits: DatabaseLimits
  let queue: DispatchQueue
  let pool: LargeCommandPool
  /// The time of the last ``DatabaseNotice/pageUnreadable(_:path:)`` on the monotonic clock; nil before the first.
  private let lastPageNotice = Mutex<Int64?>(nil)

  /// The follower's interface; nil for a database that decides its own changes.
  var follower: DatabaseFollower? { following.map { DatabaseFollower(decider: self, following: $0) } }
  /// The commands that run in parallel to this queue.
  var large: LargeCommandWorker { LargeCommandWorker(decider: self, pool: pool) }
  var isRunning: Bool { writer.batches.isRunning }
  var connectionIDs: Set<ConnectionID> { engine.withLock { $0.connectionIDs } }

  init(
    of name: String, by engine: sending Engine, to writer: BatchWriter, watchedBy decisionObservers: DecisionObservers,
    following: FollowerState?, _ environment: DatabaseEnvironment, _ limits: DatabaseLimits
  ) {
    self.engine = Mutex(engine)
    mailbox = Mutex(Mailbox(limits: limits))
    (self.writer, self.decisionObservers, self.following) = (writer, decisionObservers, following)
    (self.environment, self.limits) = (environment, limits)
    queue = DispatchQueue(label: "hearth.engine.\(name)")
    pool = LargeCommandPool(limits: limits)
    writer.delegate = self
  }

  // MARK: Any thread

  /// Submits commands: see ``Database/submit(_:sizeBytes:)``.
  func submit(_ commands: [Command], sizeBytes: Int = 0) -> Bool {
    guard !commands.isEmpty else { return true }
    let arrival = environment.meters.now()
    let hasRoom = wake { $0.append(commands, sizeBytes: sizeBytes, arrivalNanoseconds: arrival) }
    return hasRoom && following?.isCrowded.load(ordering: .relaxed) != true
  }

  func submit(_ action: Command.Action) {
    _ = submit([Command(connection: ConnectionID(rawValue: 0), action: action)])
  }

  /// Ends a connection whose client has reconnected: see ``Database/end(_:before:)``.
  func end(_ old: ConnectionID, before new: ConnectionID) {
    if following == nil { pool.commands.withLock { $0.hold(new, until: old) } }
    wake { box in
      _ = box.append([Command(connection: old, action: .disconnect)], sizeBytes: 0)
      box.hold(new, until: old)
    }
  }

  /// Changes the mailbox, then wakes the deciding queue.
  @discardableResult
  func wake<Result>(_ body: (inout Mailbox) -> Result) -> Result {
    let (isWaking, result) = mailbox.withLock { box in
      let result = body(&box)
      defer { box.isAwake = true }
      return (!box.isAwake, result)
    }
    if isWaking { queue.async { self.drain() } }
    return result
  }

  /// Decides the commands in the mailbox, and those that wait for large commands. Blocks until done.
  func finish() {
    queue.sync { drain() }
    while !queue.sync(execute: { pool.isIdle }) { pool.wait() }
  }

  /// Refuses the requests that wait outside of the mailbox once the database is closed: transactions that wait for a
  /// turn, and requests to the owner of the log.
  func refuseWaiting() {
    queue.sync {
      if let follower { return follower.endRequests() }
      decide([.tick])
    }
  }

  // MARK: The deciding queue

  func drain() {
    if let follower { return follower.drain() }
    while true {
      let wasReleased = large.decideReleased()
      let isPending = engine.withLock { $0.hasPendingRedecisions }
      let (commands, arrival) = mailbox.withLock { box in
        let commands = box.take(limits.engine.batchCommandsMax)
        box.isAwake = !commands.isEmpty || wasReleased || isPending
        return (commands, box.takenArrivalNanoseconds)
      }
      guard !commands.isEmpty || wasReleased || isPending else { return }
      prefetchPages(for: commands[...])
      decide(commands.isEmpty && isPending ? [.tick] : commands[...], arrivalNanoseconds: arrival)
    }
  }

  /// Decides commands in order, except those that wait for a large command.
  ///
  /// - Parameter arrivalNanoseconds: The arrival time of the first command; 0 when unknown.
  func decide(
    _ commands: ArraySlice<Command>, from source: LargeCommandScheduler.Source = .mailbox,
    arrivalNanoseconds: UInt64 = 0
  ) {
    if let follower { return follower.settle(commands, from: source) }
    var rest = large.admitted(commands, from: source)
    while !rest.isEmpty {
      let before = rest
      let large = decideInline(&rest, settingAside: true, arrivalNanoseconds: arrivalNanoseconds)
      pool.commands.withLock { $0.decided(before[before.startIndex..<rest.startIndex]) }
      guard let large else {
        guard !rest.isEmpty else { return }
        // The rest returns to its origin, so that commands of other connections that arrived meanwhile may precede it.
        if source != .mailbox { return pool.commands.withLock { $0.putBack(rest, from: source) } }
        if mailbox.withLock({ $0.putBack(rest, arrivalNanoseconds: arrivalNanoseconds) }) { return }
        continue
      }
      self.large.begin(large, from: source)
      rest = self.large.admitted(rest, from: source)
    }
  }

  /// Decides the first commands, as many as fit a batch; only the first one while the disk is full.
  ///
  /// - Returns: The large command to run in the background, if any: the last command of the batch, or an earlier
  ///   request that it had to follow.
  func decideInline(
    _ rest: inout ArraySlice<Command>, settingAside: Bool, arrivalNanoseconds: UInt64 = 0
  ) -> LargeCommand? {
    writer.batches.waitForRoom()
    writer.snapshots.waitForCheckpoint()
    let status = writer.batches.status
    let instant = environment.clock()
    if case .stalled = status {
      StalledDecision.decide(&rest, at: instant, by: self)
      return nil
    }
    let isRunning = status == .running
    let batch = decide(at: instant, arrivalNanoseconds: arrivalNanoseconds) { engine in
      if isRunning { engine.setStalled(nil) } else { engine.halt() }
      engine.setSpaceLow(lowSpace.isLow || writer.snapshots.isOutOfMemory)
      engine.observeCommits(writer.outboxes.commitObserver)
      engine.locationRecorder.isOn = writer.commitCounter.isWatched
      return engine.decide(rest, at: instant, settingAside: settingAside && isRunning)
    }
    rest = rest.dropFirst(batch.commandCount)
    return batch.largeCommand
  }

  /// Lets the engine make a batch, and passes it on: to the metrics, to the accounting of each connection's share, to
  /// the journal and to the timer.
  @discardableResult
  func decide(at instant: Instant, arrivalNanoseconds: UInt64 = 0, _ body: (inout Engine) -> Batch) -> Batch {
    let start = environment.meters.now()
    let deliveriesWaiting = environment.deliveriesWaiting() + writer.batches.waitingEffectCount
    var (batch, deadline) = engine.withLock { engine in
      engine.recordDecisions(decisionObservers.detail)
      engine.setDeliveriesWaiting(deliveriesWaiting)
      return (body(&engine), engine.nextDeadlineMonotonicMilliseconds)
    }
    environment.meters.decided(batch, since: start)
    charge(batch.work, inBackground: batch.backgroundWork)
    batch.arrivalNanoseconds = arrivalNanoseconds
    enqueue(batch)
    setTimer(deadline, at: instant)
    evictPages()
    return batch
  }

  /// Reads the pages that commands need, if some of the last ones were not in memory.
  private func prefetchPages(for commands: ArraySlice<Command>) {
    guard commands.count > 1, let pages = writer.snapshots.pagedStorage, pages.takeHasLoaded() else { return }
    let root = engine.withLock { $0.state.root }
    charge(PagePrefetcher.shared.run(commands, in: root))
  }

  /// Evicts pages from the state while there are too many in memory. The next batch makes the smaller version durable;
  /// on a quiet database it replaces the version that is.
  private func evictPages() {
    guard let pages = writer.snapshots.pagedStorage else { return }
    let (state, hasChanged) = engine.withLock { engine in
      let hasChanged = pages.evict(
        { engine.evict(by: &$0, sizeBytes: $1) }, release: { engine.releaseVersions() })
      return (engine.state, hasChanged)
    }
    let hasNewIndexes = writer.snapshots.hasNewIndexes(state)
    if hasChanged || hasNewIndexes { writer.durable.replace(withSame: state) }
    if hasNewIndexes { writer.snapshots.noteIndexes(of: state) }
    if hasChanged { submit(.tick) }
  }

  /// Charges connections for the steps of their commands, which delays those with many. Background work is not charged
  /// here, because it delays no command on this queue.
  private func charge(_ work: [ConnectionWork], inBackground backgroundWork: [ConnectionWork] = []) {
    if !work.isEmpty { mailbox.withLock { $0.charge(work) } }
    let work = work + backgroundWork
    if !work.isEmpty { environment.charge(work) }
  }

  /// Passes a batch on to the observers and the journal. An unsound batch is refused, and the database stops.
  ///
  /// - Parameter turn: See ``BatchQueue/append(_:_:)``.
  func enqueue(_ batch: Batch, _ turn: Stall.DeliveryOrder = .last) {
    if batch.isUnsound {
      writer.snapshots.haltAfterFailedRead()
      var batch = batch
      batch.effects = batch.effects.withoutDecisions
      return writer.append(batch, turn)
    }
    noticeFailedRead(by: batch)
    if let decided = batch.decided { decisionObservers.recordDecisions(decided) }
    if let query = batch.liveQuery { large.evaluate(query) }
    if let follower { follower.passOn(batch.effects) }
    writer.append(batch, turn)
  }

  /// Reports a page that could not be read, at most one in ``DatabaseLimits/pageNoticeSeconds``.
  private func noticeFailedRead(by batch: Batch) {
    guard let pages = writer.snapshots.pagedStorage, let failure = pages.failure, isRunning else { return }
    let now = writer.now
    let isDue = lastPageNotice.withLock { last in
      if let last, now - last < limits.pageNoticeSeconds * 1_000 { return false }
      last = now
      return true
    }
    guard isDue else { return }
    pages.clearFailure()
    environment.notice(.pageUnreadable(JournalError(failure), path: batch.unreadPath))
  }

  /// Arms the timer so that a tick arrives at the deadline. A timer that fires too early or twice does no harm.
  func setTimer(_ deadline: Int64?, at instant: Instant) {
    guard let deadline else { return }
    let isEarlier = mailbox.withLock { box in
      if let armed = box.armedMonotonicMilliseconds, armed <= deadline { return false }
      box.armedMonotonicMilliseconds = deadline
      return true
    }
    guard isEarlier else { return }
    environment.schedule(max(0, deadline - instant.monotonicMilliseconds)) { [weak self] in
      guard let self else { return }
      mailbox.withLock { box in
        if box.armedMonotonicMilliseconds == deadline { box.armedMonotonicMilliseconds = nil }
      }
      submit(.tick)
    }
  }
}
