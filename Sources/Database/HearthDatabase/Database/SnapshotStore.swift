import Dispatch
import HearthEngine
import HearthJournal
import HearthPages
import HearthTree
import Synchronization

/// The snapshots of a database: writes durable versions beside the log while commits go on, and prunes what neither a
/// restart nor the retained history needs.
final class SnapshotStore: Sendable {
  /// The reason for abandoning a snapshot.
  enum Interruption: Error {
    /// The database closes, or the caller has cancelled.
    case closing
    /// The snapshot would exceed the given number of bytes.
    case noRoom(Int)
  }

  let schedule: Mutex<SnapshotSchedule>
  let journal: any Journal
  let durable: DurableState
  let batches: BatchQueue
  let historyPruner: HistoryPruner
  let queue: DispatchQueue
  /// The pages of a database with checkpoints.
  private let pages: Mutex<PagedStorage?>
  /// See ``pages``; nil for a database without.
  var pagedStorage: PagedStorage? { pages.withLock(\.self) }
  /// The folder for pages; nil when the journal's storage engine has none, and for a database that follows.
  private let pageFolder: String?
  /// The work that lets the deciding queue evict pages.
  private let evictionHandler = Mutex<(@Sendable () -> Void)?>(nil)
  /// The work after each checkpoint.
  private let checkpointHandler = Mutex<(@Sendable () -> Void)?>(nil)
  private let environment: DatabaseEnvironment
  private let limits: DatabaseLimits
  /// True while a cleaning runs, which removes files itself.
  let isCleaning = Atomic(false)
  /// The last position at which ``makeRoom(sizeBytesMax:)`` examined the data.
  private let consideredPosition = Atomic<Int64>(-1)

  init(
    of name: String, in journal: any Journal, _ schedule: SnapshotSchedule, pages: PagedStorage?, pageFolder: String?,
    durable: DurableState, batches: BatchQueue, _ environment: DatabaseEnvironment, _ limits: DatabaseLimits
  ) {
    (self.journal, self.durable, self.batches) = (journal, durable, batches)
    (self.environment, self.limits) = (environment, limits)
    self.schedule = Mutex(schedule)
    self.pages = Mutex(pages)
    self.pageFolder = pageFolder
    historyPruner = HistoryPruner(limits)
    queue = DispatchQueue(label: "hearth.snapshot.\(name)", qos: .utility)
    pages?.setExcessHandler { [weak self] in self?.relieve() }
  }

  // MARK: Due snapshots

  /// Writes a checkpoint after a long replay, at once or when the database is quiet, and removes a converted snapshot.
  func opened(isConverted: Bool) {
    let (state, now) = (durable.state, now)
    let (isDue, dirtyBytes) = schedule.withLock { schedule in
      (schedule.isDue(limits, at: now) && !state.hasOpenPieces && schedule.begin(), schedule.dirtyBytes)
    }
    pagedStorage?.setDirtyBytes(dirtyBytes)
    if isConverted { queue.async { self.prune() } }
    if isDue { queue.async { self.write(state) } } else { setQuietTimer() }
  }

  /// Records an append, and writes a snapshot when one is due.
  func appended(_ sizeBytes: Int, commitCount: Int, _ state: DatabaseState, isStalled: Bool) {
    let (now, pages) = (now, pagedStorage)
    let isDue = schedule.withLock { schedule in
      schedule.appended(sizeBytes, commitCount: commitCount, at: now)
      pages?.setDirtyBytes(schedule.dirtyBytes)
      let isNeeded = pages?.needsCheckpoint == true
      guard schedule.isDue(limits, at: now, isNeeded: isNeeded), !isStalled, !state.hasOpenPieces else { return false }
      return schedule.begin()
    }
    if isDue { queue.async { self.write(state) } } else { setQuietTimer() }
  }

  /// Sets a timer for a checkpoint when the database becomes quiet.
  private func setQuietTimer() {
    guard let time = schedule.withLock({ $0.setTimer(limits) }) else { return }
    // The minimum matters after a record in pieces kept a checkpoint from being written in time.
    environment.schedule(max(limits.quietCheckpointMilliseconds, time - now)) { [weak self] in
      self?.writeIfQuiet(at: time)
    }
  }

  private func writeIfQuiet(at time: Int64) {
    let (state, isRunning, now) = (durable.state, batches.isRunning, now)
    let isDue = schedule.withLock { schedule in
      schedule.timerFired(time)
      guard isRunning, !state.hasOpenPieces, let time = schedule.quietTime(limits), time <= now else { return false }
      return schedule.begin()
    }
    if isDue { queue.async { self.write(state) } } else if isRunning { setQuietTimer() }
  }

  /// Records rows of a followed log.
  ///
  /// - Returns: True when a snapshot is due, which the log's owner orders.
  func followed(_ sizeBytes: Int) -> Bool {
    schedule.withLock { schedule in
      schedule.appended(sizeBytes)
      return schedule.isDue(limits) && !schedule.isWriting
    }
  }

  /// Writes a snapshot of a followed log for its owner, unless another one is being written.
  ///
  /// - Parameter members: See ``ReplicationEvent/snapshot(members:)``.
  func write(_ state: DatabaseState, for members: [UInt8]) {
    guard batches.isRunning, !state.hasOpenPieces, schedule.withLock({ $0.begin() }) else { return }
    queue.async { self.write(state, members: members) }
  }

  /// Limits the size of snapshots: see ``Database/setSnapshotRoom(_:)``.
  func setRoom(_ bytes: Int) {
    let (state, isRunning) = (durable.state, batches.isRunning)
    let isDue = schedule.withLock { schedule in
      guard schedule.setRoom(bytes, limits), isRunning, !state.hasOpenPieces else { return false }
      return schedule.begin()
    }
    if isDue { queue.async { self.write(state) } }
  }

  /// Writes a snapshot that makes room in the journal's file: see ``Database/makeRoom(sizeBytesMax:)``.
  func makeRoom(sizeBytesMax: Int) {
    let state = durable.state
    guard consideredPosition.exchange(state.position, ordering: .relaxed) != state.position, !state.hasOpenPieces else {
      return
    }
    let sizeBytes = state.root.heldBytes(upTo: sizeBytesMax)
    guard sizeBytes <= sizeBytesMax, batches.isRunning else { return }
    let isDue = schedule.withLock { schedule in
      guard !schedule.isPaged else { return false }  // Its file has no snapshots.
      let storedBytes = schedule.log.bytes + schedule.snapshotBytes
      guard schedule.log.bytes > 0, storedBytes / 2 >= max(sizeBytes, limits.snapshotIntervalBytes / 16) else {
        return false
      }
      return schedule.begin(reserveBytes: sizeBytesMax)
    }
    if isDue { queue.async { self.write(state) } }
  }

  /// Writes a final snapshot that shortens the replay at the next start, if it is due and can be completed by `end`.
  /// Waits for a snapshot that is already under way.
  func writeLast(endingAt end: Int64) {
    let (state, isRunning) = (durable.state, batches.isRunning)
    let isDue = schedule.withLock { schedule in
      schedule.endMonotonicMilliseconds = end
      guard isRunning, !state.hasOpenPieces, schedule.isDueAtEnd(limits) else { return false }
      return schedule.begin()
    }
    queue.sync { if isDue { write(state) } }
  }

  // MARK: The snapshot queue

  /// Writes the snapshot that was begun in ``schedule``.
  ///
  /// - Parameter members: See ``ReplicationEvent/snapshot(members:)``; nil for a database with a log of its own.
  func write(_ state: DatabaseState, members: [UInt8]? = nil) { _ = tryWrite(state, members: members) }

  /// Writes the snapshot that was begun in ``schedule``: see ``write(_:members:)``.
  ///
  /// - Returns: True when it is complete.
  func tryWrite(_ state: DatabaseState, members: [UInt8]? = nil) -> Bool {
    var outcome = SnapshotSchedule.Outcome.failed
    do {
      if members == nil, let pages = try storage(for: state) {
        outcome = try storeCheckpoint(of: state, in: pages)
        schedule.withLock { $0.indexBytes.stored = state.indexes.addedBytes }
      } else {
        let info = try store(state, members: members)
        outcome = .written(sizeBytes: info.sizeBytes)
        environment.notice(.snapshotWritten(position: info.position, sizeBytes: info.sizeBytes))
      }
      if !isTimeOver { prune() }
    } catch let interruption as Interruption {
      if case .noRoom(let roomBytes) = interruption { outcome = .tooLarge(roomBytes: roomBytes) }
    } catch let error as PageError where error.code == .failed {
      halt(JournalError(error))
    } catch {
      let failure = (error as? PageError).map { JournalError($0) } ?? error as? JournalError
      environment.notice(.snapshotFailed(failure ?? JournalError(.failed, "\(error)")))
    }
    let shouldReportShortage = schedule.withLock { $0.end(outcome, limits) }
    if shouldReportShortage, case .tooLarge(let roomBytes) = outcome {
      environment.notice(.snapshotTooLarge(roomBytes: roomBytes))
    }
    if let pagedStorage {
      pagedStorage.setDirtyBytes(schedule.withLock { $0.dirtyBytes })
      if isOutOfMemory { setRetryTimer() }
      relieve()  // There may be no command that causes it.
    }
    setQuietTimer()
    switch outcome {
    case .checkpointed:
      checkpointHandler.withLock(\.self)?()
      return true
    case .written: return true
    case .failed, .tooLarge, .abandoned: return false
    }
  }

  /// - Parameter isCancelled: Returns true when the caller no longer waits for the snapshot.
  /// - Throws: ``Interruption``, after which no part of the snapshot is left.
  func store(
    _ state: DatabaseState, members: [UInt8]? = nil, isCancelled: () -> Bool = { false }
  ) throws -> SnapshotInfo {
    let roomBytes = try room(for: state)
    let ticket = try journal.beginSnapshot(at: state.position)
    do {
      try SnapshotFormat.write(state, members: members, chunkBytes: JournalLimits.snapshotChunkBytes) { chunk in
        if isCancelled() { throw Interruption.closing }
        try take(chunk.count, of: roomBytes)
        try journal.appendSnapshotChunk(chunk, to: ticket)
      }
    } catch {
      try? journal.abandonSnapshot(ticket)
      throw error
    }
    return try journal.completeSnapshot(ticket)
  }

  /// Returns the bytes that a snapshot may take. When that is less than the estimated size, measures the data, up to
  /// that many bytes.
  ///
  /// - Throws: ``Interruption`` when the room does not suffice.
  private func room(for state: DatabaseState) throws -> Int {
    let (roomBytes, estimatedBytes) = schedule.withLock { ($0.allowedBytes, $0.estimatedBytes) }
    guard estimatedBytes > roomBytes, state.root.heldBytes(upTo: roomBytes) > roomBytes else { return roomBytes }
    throw Interruption.noRoom(roomBytes)
  }

  /// Takes a part of the room for a snapshot.
  ///
  /// - Throws: ``Interruption``.
  private func take(_ sizeBytes: Int, of roomBytes: Int) throws {
    guard batches.isRunning, !isTimeOver else { throw Interruption.closing }
    guard schedule.withLock({ $0.take(sizeBytes) }) else { throw Interruption.noRoom(roomBytes) }
  }

  /// The time on the monotonic clock.
  private var now: Int64 { environment.clock().monotonicMilliseconds }

  /// True when the database closes, and its time for snapshots is over.
  private var isTimeOver: Bool {
    schedule.withLock { $0.endMonotonicMilliseconds }.map { now >= $0 } ?? false
  }

  /// True when states before the newest snapshot or checkpoint are retained.
  var retainsHistory: Bool { limits.history.ageMilliseconds > 0 }

  /// Prunes the batches, snapshots and checkpoints that neither a restart nor the retained history needs.
  func pruneKept() throws {
    let shortened = try historyPruner.prune(
      journal, last: durable.state.position, nowMilliseconds: environment.clock().wallMilliseconds,
      checkpointLogBytes: checkpointLogBytes, releasedBytes: pagedStorage?.files.releasedSizes ?? [:])
    guard let shortened else { return }
    environment.notice(.historyShortened(oldestPosition: shortened, sizeBytesMax: limits.history.sizeBytesMax))
  }

  /// The bytes of log before a checkpoint that stay for backups, so that these continue the one before: as many as between
  /// snapshots, and an eighth of a large database; nil for a database without checkpoints.
  private var checkpointLogBytes: Int? {
    pagedStorage.map { max(limits.snapshotIntervalBytes, $0.counts.fileBytes / 8) }
  }

  private func prune() {
    do {
      try pruneKept()
      try removeExpiredSegments()
    } catch let error as JournalError {
      environment.notice(.pruningFailed(error))
    } catch let error as PageError {
      environment.notice(.pruningFailed(JournalError(error)))
    } catch {
      environment.notice(.pruningFailed(JournalError(.corrupt, "\(error)")))
    }
  }
}

// MARK: Checkpoints

extension SnapshotStore {
  /// Returns the pages in which a state is stored; nil for a database that stays in memory.
  ///
  /// - Throws: `PageError`.
  private func storage(for state: DatabaseState) throws -> PagedStorage? {
    if let pagedStorage { return pagedStorage }
    guard let cache = environment.pages, let pageFolder,
      state.root.heldBytes() >= limits.pagedBytesMin,
      batches.isRunning  // Otherwise the files may have another owner already.
    else { return nil }
    do throws(PageError) {
      let opened = try PagedStorage(folder: pageFolder, cache: cache, checkpoint: nil)
      pages.withLock { $0 = opened }
      opened.setExcessHandler { [weak self] in self?.relieve() }
      return opened
    } catch {
      // The data stays in memory on a file system that page files do not support.
      guard error.code == .unsupported else { throw error }
      return nil
    }
  }

  /// Stores what is not stored yet of a state, and completes a checkpoint.
  ///
  /// - Throws: ``Interruption``; `PageError`, `JournalError`, after which the next attempt stores the rest.
  private func storeCheckpoint(of state: DatabaseState, in pages: PagedStorage) throws -> SnapshotSchedule.Outcome {
    let (begin, roomBytes) = (now, schedule.withLock { $0.allowedBytes })
    let stored = try pages.store(state) { [self] in try take($0, of: roomBytes) }
    _ = try journal.completeCheckpoint(at: state.position, payload: stored.payload)
    environment.notice(
      .checkpointWritten(position: state.position, pageCount: stored.pageCount, sizeBytes: stored.sizeBytes))
    return .checkpointed(sizeBytes: stored.sizeBytes, begin: begin, end: now)
  }

  // MARK: The page cache

  /// Sets the work that lets the deciding queue evict pages. It must not block.
  func setEvictionHandler(_ work: @escaping @Sendable () -> Void) { evictionHandler.withLock { $0 = work } }

  /// Sets the work after each checkpoint. It must not block.
  func setCheckpointHandler(_ work: @escaping @Sendable () -> Void) { checkpointHandler.withLock { $0 = work } }

  /// Returns true when indexes were built since the last call of ``noteIndexes(of:)``.
  func hasNewIndexes(_ state: DatabaseState) -> Bool {
    schedule.withLock { $0.indexBytes.added != state.indexes.addedBytes }
  }

  /// Records the bytes of indexes that were built, which the next checkpoint of this state stores.
  func noteIndexes(of state: DatabaseState) {
    schedule.withLock { $0.indexBytes.added = state.indexes.addedBytes }
    pagedStorage?.setDirtyBytes(schedule.withLock { $0.dirtyBytes })
    relieve()
    setQuietTimer()
  }

  /// Evicts pages, or writes a checkpoint, when there are too many in memory.
  private func relieve() {
    guard batches.isRunning, let pagedStorage else { return }
    if pagedStorage.needsCheckpoint { writeNeeded() }
    if pagedStorage.isExceeded { evictionHandler.withLock(\.self)?() }
  }

  /// Writes a checkpoint although none is due.
  ///
  /// - Parameter isRetry: True to repeat a failed one.
  private func writeNeeded(isRetry: Bool = false) {
    let state = durable.state
    let isBegun = schedule.withLock { schedule in
      !state.hasOpenPieces && (isRetry || !schedule.hasFailed) && schedule.begin()
    }
    if isBegun { queue.async { self.write(state) } }
  }

  /// Blocks the deciding queue until a checkpoint has stored pages, when too many are not stored. Does not block after
  /// a failed one: see ``isOutOfMemory``.
  func waitForCheckpoint() {
    guard let pagedStorage, pagedStorage.isFull, batches.isRunning else { return }
    writeNeeded()
    if schedule.withLock({ $0.isWriting }) { queue.sync {} }
  }

  /// True when too many pages are not stored, and the last checkpoint has failed: then changes are refused as for low
  /// disk space.
  var isOutOfMemory: Bool {
    guard let pagedStorage, pagedStorage.isFull else { return false }
    return schedule.withLock { $0.hasFailed }
  }

  /// Repeats a failed checkpoint after a while: there may be no commit that causes it.
  private func setRetryTimer() {
    environment.schedule(limits.appendRetryMillisecondsMax) { [weak self] in
      guard let self, batches.isRunning, isOutOfMemory else { return }
      writeNeeded(isRetry: true)
    }
  }

  /// Stops the database because its newest decisions were made without data that could not be read.
  func haltAfterFailedRead() {
    halt(pagedStorage?.failure.map { JournalError($0) } ?? JournalError(.inputOutput, "a page cannot be read"))
  }

  private func halt(_ error: JournalError) {
    if batches.halt(error) { environment.notice(.halted(error)) }
  }

  /// Closes the pages, once nothing more is written.
  func closePages() { pagedStorage?.close() }
}
