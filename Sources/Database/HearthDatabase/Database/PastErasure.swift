import Dispatch
import HearthEngine
import HearthJournal
import HearthTree

/// One erasure of a person from what a database keeps of its past: see ``Database/erase(uid:places:isCancelled:)``. Runs on
/// the snapshot queue.
struct PastErasure {
  /// Rounds of one erasure, where somebody still writes as the person while it goes on.
  private static let roundsMax = 3
  /// The time that an erasure waits until nobody who is connected as the person wants anything done at their end.
  private static let sessionsWait: Duration = .seconds(10)

  private let database: Database
  private let uid: String?
  private let erasure: RecordErasure
  private var journal: any Journal { database.journal }

  init(_ database: Database, uid: String?, places: [Path]) {
    (self.database, self.uid) = (database, uid)
    erasure = RecordErasure(uid: uid, places: places)
  }

  /// Erases.
  func run(_ isCancelled: () -> Bool) throws -> ErasureReport {
    var report = ErasureReport()
    for _ in 0..<Self.roundsMax {
      try erase(&report, isCancelled)
      if try !isNamed(after: report.position) { break }
    }
    return report
  }

  /// Says how much there is to erase.
  func look(_ isCancelled: () -> Bool) throws -> ErasureReport {
    var report = ErasureReport()
    report.position = database.published.position
    for snapshot in try journal.snapshots() where try erased(snapshot, isCancelled) != nil {
      report.snapshotCount += 1
    }
    var log = LogErasure(erasure, of: journal)
    try journal.forEachBatch(after: try journal.oldestPosition()) { batch in
      try goOn(isCancelled)
      if try log.rewrite(batch).payload != nil { report.batchCount += 1 }
    }
    return report
  }

  private func erase(_ report: inout ErasureReport, _ isCancelled: () -> Bool) throws {
    guard let current = try currentSnapshot(isCancelled) else { return }
    report.position = current
    // What is not kept any more need not be written anew; nor what a pruning left that was interrupted.
    try database.pruneKept()
    try journal.prune(keepingFrom: try journal.oldestPosition())
    report.snapshotCount += try eraseSnapshots(before: current, isCancelled)
    var (log, batchCount) = (LogErasure(erasure, of: journal), 0)
    defer { report.batchCount += batchCount }
    try journal.rewrite(through: current) { batch in
      try goOn(isCancelled)
      let rewrite = try log.rewrite(batch)
      if rewrite.payload != nil { batchCount += 1 }
      return rewrite
    }
  }

  private func goOn(_ isCancelled: () -> Bool) throws {
    if isCancelled() { throw HistoryError.cancelled }
    guard database.isRunning else { throw JournalError(.closed, "the database takes no writes") }
  }

  /// Sees to it that a restart reads nothing of what is written anew: a snapshot of now, in which nobody is connected as the
  /// person.
  ///
  /// - Returns: its position; nil when there is nothing at all.
  private func currentSnapshot(_ isCancelled: () -> Bool) throws -> Int64? {
    var state = database.published
    let end = ContinuousClock.now + Self.sessionsWait
    // Between the pieces of a write no snapshot can be taken. They are a moment apart.
    while state.hasOpenPieces || uid.map(state.sessions.names) ?? false {
      try goOn(isCancelled)
      guard ContinuousClock.now < end || state.hasOpenPieces else {
        throw JournalError(.failed, "somebody is still connected as the person, and wants something done at their end")
      }
      _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(20))
      state = database.published
    }
    guard state.position > 0 else { return nil }
    if let current = try journal.currentSnapshot(), current.position == state.position { return current.position }
    return try store(state, unless: isCancelled).position
  }

  private func store(_ state: Published, unless isCancelled: () -> Bool) throws -> SnapshotInfo {
    do {
      return try database.store(state, isCancelled: isCancelled)
    } catch Database.Interruption.noRoom(let bytes) {
      throw JournalError(.noSpace, "a snapshot takes more than the \(bytes) bytes that there is room for")
    } catch Database.Interruption.closing {
      try goOn(isCancelled)
      throw JournalError(.closed, "the database is closing")
    }
  }

  /// Writes kept snapshots anew, the oldest first, one whole tree in memory at a time.
  private func eraseSnapshots(before position: Int64, _ isCancelled: () -> Bool) throws -> Int {
    var count = 0
    let snapshots = try journal.snapshots()
    for (index, snapshot) in snapshots.enumerated() where snapshot.position < position {
      // One that was written anew already, before an interruption.
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

  /// What a snapshot is without the person, and without what connections wanted; nil when there is nothing of that in it.
  private func erased(_ snapshot: SnapshotInfo, _ isCancelled: () -> Bool) throws -> Published? {
    var reader = SnapshotReader()
    try journal.forEachChunk(of: snapshot) { chunk in
      try goOn(isCancelled)
      try reader.read(chunk)
    }
    guard let root = reader.root, let sessions = reader.sessions, reader.position == snapshot.position else {
      throw RecordError("it is not complete", byteOffset: snapshot.sizeBytes)
    }
    let left = erasure.erased(root)
    guard left != nil || !sessions.isEmpty else { return nil }
    return Published(
      root: left ?? root, rules: .denyAll, position: snapshot.position, storedRules: reader.storedRules)
  }

  /// Returns true when the person wrote something after a position.
  private func isNamed(after position: Int64) throws -> Bool {
    var isNamed = false
    try journal.forEachBatch(after: position) { batch in
      isNamed = try isNamed || erasure.isAuthor(of: batch.payload)
    }
    return isNamed
  }
}
