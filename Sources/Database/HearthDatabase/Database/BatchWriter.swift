import Dispatch
import HearthEngine
import HearthJournal
import Synchronization

/// The recipient of a ``BatchWriter``'s reports.
protocol BatchWriterDelegate: AnyObject, Sendable {
  /// The connections that were announced and have not ended.
  var connectionIDs: Set<ConnectionID> { get }

  /// Submits an action of the database itself.
  func submit(_ action: Command.Action)
}

/// The writer of a database: makes batches durable on the journal queue, then releases their effects.
final class BatchWriter: Sendable {
  private struct Recipient {
    weak var delegate: (any BatchWriterDelegate)?
  }

  let batches: BatchQueue
  let snapshots: SnapshotStore
  let durable: DurableState
  let outboxes: OutboxHolder
  /// The counter of commits at watched locations.
  let commitCounter = CommitCounter()
  let environment: DatabaseEnvironment
  let queue: DispatchQueue
  private let journal: any Journal
  private let recipient = Mutex(Recipient())

  init(
    of name: String, to journal: any Journal, from batches: BatchQueue, snapshots: SnapshotStore,
    durable: DurableState, outboxes: OutboxHolder, _ environment: DatabaseEnvironment
  ) {
    (self.batches, self.snapshots, self.durable, self.outboxes) = (batches, snapshots, durable, outboxes)
    (self.journal, self.environment) = (journal, environment)
    queue = DispatchQueue(label: "hearth.journal.\(name)")
    snapshots.setEvictionHandler { [weak self] in self?.delegate?.submit(.tick) }
  }

  /// The recipient of reports; not retained.
  var delegate: (any BatchWriterDelegate)? {
    get { recipient.withLock { $0.delegate } }
    set { recipient.withLock { $0.delegate = newValue } }
  }

  /// The time on the monotonic clock.
  var now: Int64 { environment.clock().monotonicMilliseconds }

  /// Queues a batch: see ``BatchQueue/append(_:_:)``. A batch without records and effects has nothing to write.
  func append(_ batch: Batch, _ turn: Stall.DeliveryOrder = .last) {
    guard batch.hasCommits || !batch.effects.isEmpty else { return environment.meters.written([batch]) }
    var batch = batch
    // Both retain old versions of the tree, which the writer does not need.
    (batch.largeCommand, batch.liveQuery, batch.decided) = (nil, nil, nil)
    if batches.append(batch, turn) { queue.async { self.writeWaiting() } }
  }

  /// Makes the waiting batches durable, including those that wait for free disk space. Blocks until done.
  func flush() {
    queue.sync {
      writeWaiting()
      AppendRetry.storeWaiting(of: self)
    }
  }

  // MARK: The journal queue

  func writeWaiting() {
    while true {
      let (early, batches, status, isInDoubt) = batches.take()
      guard !batches.isEmpty || !early.isEmpty else { return }
      deliver(early)
      guard !batches.isEmpty else { continue }
      guard status == .running else {
        environment.meters.lost(batches)
        deliver(batches.flatMap { $0.effects.refused(isUnknown: isInDoubt) })
        continue
      }
      do throws(JournalError) {
        try store(batches)
        deliver(batches)
      } catch {
        if error.isTransient { AppendRetry.begin(batches, error, of: self) } else { halt(batches, error) }
      }
    }
  }

  /// Group commit: batches that waited together share one append and one sync.
  func store(_ batches: [Batch]) throws(JournalError) {
    guard let state = batches.last?.state else { return }
    var (payload, firstPosition): ([UInt8], Int64?) = ([], nil)
    for batch in batches where batch.hasCommits {
      firstPosition = firstPosition ?? batch.firstPosition
      if payload.isEmpty { payload = batch.payload } else { payload.append(contentsOf: batch.payload) }
    }
    guard let firstPosition else { return environment.meters.written(batches) }
    let batch = JournalBatch(firstPosition: firstPosition, lastPosition: state.position, payload: payload)
    let start = environment.meters.now()
    let newHead = try outboxes.append(
      batch, of: batches.flatMap(\.changes), to: journal, after: self.batches.pipeline.withLock { $0.head })
    environment.meters.stored(batches, bytes: payload.count, since: start)
    environment.meters.written(batches)
    durable.replace(state)
    for batch in batches { commitCounter.note(batch.places) }
    let isStalled = self.batches.pipeline.withLock { pipeline in
      pipeline.head = newHead
      return pipeline.stall != nil
    }
    // Its version may have pages that were evicted from the engine's since then.
    if snapshots.pagedStorage?.isExceeded == true { delegate?.submit(.tick) }
    snapshots.appended(
      payload.count, commitCount: Int(clamping: state.position - firstPosition + 1), state, isStalled: isStalled)
  }

  /// Stops all writing. The given batches may or may not be on the disk; later ones are not.
  func halt(_ batches: [Batch], _ error: JournalError) {
    self.batches.end(as: .halted(error))
    environment.meters.lost(batches)
    environment.notice(.halted(error))
    deliver(batches.flatMap { $0.effects.refused(isUnknown: error.leavesOutcomeUnknown) })
  }

  /// Releases the effects of durable batches. First tells the engine which transaction turns begin, since a client may
  /// use its turn at once.
  func deliver(_ batches: [Batch]) {
    if let turn = batches.last(where: { $0.turn != nil })?.turn { delegate?.submit(.turnsDelivered(upTo: turn)) }
    let arrival = batches.lazy.map(\.arrivalNanoseconds).filter { $0 > 0 }.min() ?? 0
    deliver(batches.count == 1 ? batches[0].effects : batches.flatMap(\.effects), arrivalNanoseconds: arrival)
  }

  /// - Parameter arrivalNanoseconds: The arrival time of the oldest command behind the effects; 0 when unknown.
  func deliver(_ effects: [Effect], arrivalNanoseconds: UInt64 = 0) {
    if !effects.isEmpty { environment.deliver(effects, arrivalNanoseconds) }
  }
}
