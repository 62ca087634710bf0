import Dispatch
import HearthEngine
import HearthJournal
import HearthPages
import HearthTree

/// An erasure of a user from a database's retained history: see ``Database/erase(uid:places:isCancelled:)``.
struct HistoryErasure {
  /// The most rounds of one erasure, when the user still writes while it runs.
  private static let roundsMax = 3
  /// The time that an erasure waits until no connection of the user has on-disconnect writes left.
  private static let sessionsWait: Duration = .seconds(10)

  private let snapshotStore: SnapshotStore
  private let uid: String?
  private let places: [Path]
  private let erasure: RecordErasure
  private var journal: any Journal { snapshotStore.journal }

  init(in snapshots: SnapshotStore, uid: String?, places: [Path]) {
    (snapshotStore, self.uid, self.places) = (snapshots, uid, places)
    erasure = RecordErasure(uid: uid, places: places)
  }

  /// Runs the erasure.
  ///
  /// - Parameter cleaner: The cleaner of a database with page files; then it runs on the caller's thread. nil for a
  ///   database without, on the snapshot queue.
  func run(by cleaner: SegmentCleaner? = nil, _ isCancelled: () -> Bool) throws -> ErasureReport {
    var report = ErasureReport()
    for _ in 0..<Self.roundsMax {
      if let cleaner {
        try erasePages(by: cleaner, &report, isCancelled)
      } else {
        try erase(&report, isCancelled)
      }
      if try !hasWritten(after: report.position) { break }
    }
    return report
  }

  /// Erases from a database with page files: retained checkpoints get pages without the data, then cleaning overwrites
  /// what no checkpoint refers to.
  private func erasePages(
    by cleaner: SegmentCleaner, _ report: inout ErasureReport, _ isCancelled: () -> Bool
  ) throws {
    // Checkpoints before this one have the user's data and sessions; later ones do not.
    _ = try stateWithoutUser(isCancelled)
    try cleaner.forgetDeleted(places)
    try cleaner.completeCheckpoint(isCancelled)
    let replacements = try snapshotStore.queue.sync {
      try snapshotStore.pruneKept()
      return try eraseCheckpoints(isCancelled)
    }
    if !replacements.isEmpty {
      // A start removes what is behind the extent in the newest checkpoint.
      try cleaner.completeCheckpoint(isCancelled)
      try snapshotStore.queue.sync {
        for (position, checkpoint) in replacements {
          try journal.replaceCheckpoint(at: position, payload: checkpoint.bytes)
        }
        snapshotStore.historyPruner.forgetCheckpoints()
      }
      report.snapshotCount += replacements.count
    }
    _ = try cleaner.clean(.erasing, isCancelled)
    try snapshotStore.queue.sync {
      guard let current = try journal.currentCheckpoint() else { return }
      report.position = current.position
      try eraseBefore(current.position, &report, isCancelled)
    }
  }

  /// Stores the pages of retained checkpoints without the data, the oldest first.
  ///
  /// - Returns: The new content of the checkpoints that are to be replaced, by position.
  private func eraseCheckpoints(
    _ isCancelled: () -> Bool
  ) throws -> [(position: Int64, checkpoint: PageCheckpoint)] {
    guard let storage = snapshotStore.pagedStorage else { return [] }
    var replacements: [(position: Int64, checkpoint: PageCheckpoint)] = []
    for position in try journal.checkpointPositions().dropLast() {
      try checkContinues(isCancelled)
      guard let found = try journal.checkpoint(at: position) else { continue }
      let replacement = try storage.replacement(of: try PageCheckpoint(found.payload)) { erasure.erased($0) }
      if let replacement { replacements.append((position, replacement)) }
    }
    return replacements
  }

  /// Returns the number of retained checkpoints from which something would be erased.
  private func countCheckpoints(_ isCancelled: () -> Bool) throws -> Int {
    guard let storage = snapshotStore.pagedStorage else { return 0 }
    var count = 0
    for position in try journal.checkpointPositions().dropLast() {
      try checkContinues(isCancelled)
      guard let found = try journal.checkpoint(at: position) else { continue }
      let roots = try storage.roots(of: try PageCheckpoint(found.payload))
      let (isFound, faults) = FaultScope.run(.stream) {
        erasure.erased(roots.data) != nil || !roots.sessions.isEmpty
      }
      try storage.requireComplete(faults)
      if isFound { count += 1 }
    }
    return count
  }

  /// Measures how much there is to erase.
  func measure(_ isCancelled: () -> Bool) throws -> ErasureReport {
    var report = ErasureReport()
    report.position = snapshotStore.durable.state.position
    report.snapshotCount = try countCheckpoints(isCancelled)
    for snapshot in try journal.snapshots() where try erased(snapshot, isCancelled) != nil {
      report.snapshotCount += 1
    }
    var log = LogErasure(erasure, of: journal)
    try journal.forEachBatch(after: try journal.oldestPosition()) { batch in
      try checkContinues(isCancelled)
      if try log.rewrite(batch).payload != nil { report.batchCount += 1 }
    }
    return report
  }

  private func erase(_ report: inout ErasureReport, _ isCancelled: () -> Bool) throws {
    guard let current = try currentSnapshot(isCancelled) else { return }
    report.position = current
    try eraseBefore(current, &report, isCancelled)
  }

  /// Erases from retained snapshots, and from the log.
  ///
  /// - Parameter current: The position of the current snapshot or checkpoint, which has nothing to erase.
  private func eraseBefore(
    _ current: Int64, _ report: inout ErasureReport, _ isCancelled: () -> Bool
  ) throws {
    // Expired history need not be rewritten, nor snapshots and log that an interrupted pruning left behind.
    try snapshotStore.pruneKept()
    let isLogForBackups = snapshotStore.pagedStorage != nil && !snapshotStore.retainsHistory
    try journal.prune(keepingFrom: isLogForBackups ? .max : try journal.oldestPosition())
    report.snapshotCount += try eraseSnapshots(before: current, isCancelled)
    var (log, batchCount) = (LogErasure(erasure, of: journal), 0)
    defer { report.batchCount += batchCount }
    try journal.rewrite(through: current) { batch in
      try checkContinues(isCancelled)
      let rewrite = try log.rewrite(batch)
      if rewrite.payload != nil { batchCount += 1 }
      return rewrite
    }
  }

  private func checkContinues(_ isCancelled: () -> Bool) throws {
    if isCancelled() { throw HistoryError.cancelled }
    guard snapshotStore.batches.isRunning else { throw JournalError(.closed, "the database accepts no writes") }
  }

  /// Ensures that a restart reads nothing that is rewritten, with a snapshot of the present state, in which the user
  /// has no session.
  ///
  /// - Returns: The snapshot's position; nil for an empty journal.
  private func currentSnapshot(_ isCancelled: () -> Bool) throws -> Int64? {
    let state = try stateWithoutUser(isCancelled)
    guard state.position > 0 else { return nil }
    if let current = try journal.currentSnapshot(), current.position == state.position { return current.position }
    return try store(state, unless: isCancelled).position
  }

  /// Returns the present state, once the user has no session in it.
  private func stateWithoutUser(_ isCancelled: () -> Bool) throws -> DatabaseState {
    var state = snapshotStore.durable.state
    let end = ContinuousClock.now + Self.sessionsWait
    // No snapshot is possible until the last piece of a record in pieces is stored, which takes a moment.
    while state.hasOpenPieces || uid.map(state.sessions.hasUser) ?? false {
      try checkContinues(isCancelled)
      guard ContinuousClock.now < end || state.hasOpenPieces else {
        throw JournalError(.failed, "a connection of the user is still open and has onDisconnect writes")
      }
      _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(20))
      state = snapshotStore.durable.state
    }
    return state
  }

  private func store(_ state: DatabaseState, unless isCancelled: () -> Bool) throws -> SnapshotInfo {
    do {
      return try snapshotStore.store(state, isCancelled: isCancelled)
    } catch SnapshotStore.Interruption.noRoom(let bytes) {
      throw JournalError(.noSpace, "a snapshot needs more than the \(bytes) bytes of free disk space")
    } catch SnapshotStore.Interruption.closing {
      try checkContinues(isCancelled)
      throw JournalError(.closed, "the database is closing")
    }
  }

  /// Rewrites retained snapshots, the oldest first, one whole tree in memory at a time.
  private func eraseSnapshots(before position: Int64, _ isCancelled: () -> Bool) throws -> Int {
    var count = 0
    let snapshots = try journal.snapshots()
    for (index, snapshot) in snapshots.enumerated() where snapshot.position < position {
      // Already rewritten before an interruption.
      if snapshots.dropFirst(index + 1).contains(where: { $0.position == snapshot.position }) {
        try journal.removeSnapshot(snapshot)
        continue
      }
      guard let state = try erased(snapshot, isCancelled) else { continue }
      _ = try store(state, unless: isCancelled)
      try journal.removeSnapshot(snapshot)
      count += 1
    }
    return count
  }

  /// Returns a snapshot without the user and without on-disconnect writes; nil when it contains neither.
  private func erased(_ snapshot: SnapshotInfo, _ isCancelled: () -> Bool) throws -> DatabaseState? {
    var reader = SnapshotReader()
    try journal.forEachChunk(of: snapshot) { chunk in
      try checkContinues(isCancelled)
      try reader.read(chunk)
    }
    guard let root = reader.root, let sessions = reader.sessions, reader.position == snapshot.position else {
      throw RecordError("it is not complete", byteOffset: snapshot.sizeBytes)
    }
    let left = erasure.erased(root)
    guard left != nil || !sessions.isEmpty else { return nil }
    return DatabaseState(
      root: left ?? root, rules: .denyAll, position: snapshot.position, storedRules: reader.storedRules)
  }

  /// Returns true when the user wrote after a position.
  private func hasWritten(after position: Int64) throws -> Bool {
    var hasWritten = false
    try journal.forEachBatch(after: position) { batch in
      hasWritten = try hasWritten || erasure.isAuthor(of: batch.payload)
    }
    return hasWritten
  }
}
