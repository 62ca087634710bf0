import HearthEngine
import HearthJournal
import HearthRules
import HearthTree

/// Recovers a database: its snapshot or checkpoint, then the log after it.
struct Recovery {
  private let initialRules: RuleSet
  private(set) var root = Node.empty
  private(set) var sessions = OnDisconnectSessions()
  /// The indexes of the checkpoint, which follow the log.
  private var indexes = IndexReplay()
  private(set) var position: Int64 = 0
  private(set) var storedRules: String?
  private(set) var snapshotBytes = 0
  /// See ``SnapshotReader/members``.
  private(set) var members: [UInt8]?
  private var snapshotPosition: Int64?
  private var replayedCommitCount = 0
  /// The part of the log that was replayed.
  private(set) var replayed = SnapshotSchedule.Log()
  /// The part of it whose pages were stored, although no checkpoint names them.
  private(set) var storedLog = SnapshotSchedule.Log()

  init(initialRules: RuleSet) { self.initialRules = initialRules }

  /// - Parameter pages: The pages of the journal's checkpoint; nil when it has none.
  /// - Throws: `JournalError`, also when a page cannot be read; ``RecordError``.
  mutating func run(
    _ journal: any Journal, upTo head: JournalHead,
    from pages: (storage: PagedStorage, content: PagedStorage.Content)? = nil
  ) throws {
    if let content = pages?.content {
      (root, sessions, storedRules) = (content.root, OnDisconnectSessions(content.sessions), content.storedRules)
      (position, snapshotPosition) = (content.position, content.position)
      pages?.storage.ignoringFailure { indexes = IndexReplay(content.indexes, of: root) }
    } else if let snapshot = try journal.currentSnapshot() {
      try load(snapshot) { try journal.forEachChunk(of: snapshot, $0) }
    }
    var (log, recovered, unstored) = (LogReader(), self, SnapshotSchedule.Log())
    try journal.forEachBatch(after: position) { batch in
      let commitCount = recovered.replayedCommitCount
      let failedCount = recovered.indexes.failedCount
      let faults = try FaultScope.run(.install) {
        try log.read(batch, after: recovered.position) { recovered.apply($1, at: $0) }
      }.faults
      // An index that cannot be read is built again; the data is complete.
      if faults.failed > 0, faults.failed == recovered.indexes.failedCount - failedCount {
        pages?.storage.clearFailure()
      }
      recovered.replayed.bytes += batch.payload.count
      recovered.replayed.batchCount += 1
      guard let storage = pages?.storage else { return }
      unstored.bytes += batch.payload.count
      unstored.commitCount += recovered.replayedCommitCount - commitCount
      do throws(PageError) {
        try recovered.indexes.replace { indexes throws(PageError) in
          try storage.relieve(&recovered.root, recovered.sessions.tree, &indexes, &unstored)
        }
      } catch {
        throw JournalError(error)
      }
    }
    self = recovered
    replayed.commitCount = replayedCommitCount
    if pages != nil {
      storedLog.bytes = replayed.bytes - unstored.bytes
      storedLog.commitCount = replayed.commitCount - unstored.commitCount
    }
    try pages?.storage.requireComplete()
    guard position == head.position else {
      throw RecordError(
        "the log should end at position \(head.position) and ends at \(position)", byteOffset: 0, position: position)
    }
  }

  /// Recovers from a read-only view of a journal that another process owns. Checks every batch against the running hash
  /// before it.
  ///
  /// - Throws: `JournalError`, ``RecordError``.
  mutating func run(_ view: any JournalView) throws {
    var hash = RunningHash.empty
    if let snapshot = view.snapshot {
      try load(snapshot, view.forEachChunk)
      hash = snapshot.runningHash
    }
    var (log, recovered) = (LogReader(), self)
    try view.forEachLink(after: position) { link in
      guard link.follows(recovered.position, hash) else {
        throw JournalError(
          .corrupt, "the batch does not continue the log before it",
          at: JournalError.Place(position: link.batch.firstPosition))
      }
      try log.read(link.batch, after: recovered.position) { recovered.apply($1, at: $0) }
      hash = link.runningHash
      return true
    }
    self = recovered
    guard position == view.head.position, hash == view.head.runningHash else {
      throw JournalError(
        .corrupt, "the log should end at position \(view.head.position) and ends at \(position)",
        at: JournalError.Place(position: position))
    }
  }

  /// Returns the recovered state. Rules that no longer compile are replaced by rules that deny everything: the previous
  /// rules might allow too much.
  func state() -> (DatabaseState, RecoveryReport) {
    var (rules, problem): (RuleSet, String?) = (initialRules, nil)
    if let storedRules {
      do {
        rules = try RuleSet.recompile(storedRules)
      } catch {
        rules = .denyAll
        problem = error.uploadErrorText
      }
    }
    let report = RecoveryReport(
      snapshotPosition: snapshotPosition, replayedCommitCount: replayedCommitCount, replayedBytes: replayed.bytes,
      position: position, rulesProblem: problem, openSessionCount: sessions.count)
    var state = DatabaseState(root: root, rules: rules, position: position, storedRules: storedRules)
    (state.sessions, state.indexes) = (sessions, indexes.indexes)
    return (state, report)
  }

  /// Loads a snapshot.
  ///
  /// - Parameter forEachChunk: Calls its argument with each chunk in order.
  mutating func load(_ snapshot: SnapshotInfo, _ forEachChunk: (([UInt8]) throws -> Void) throws -> Void) throws {
    var reader = SnapshotReader()
    try forEachChunk { try reader.read($0) }
    guard let root = reader.root, let sessions = reader.sessions, reader.position == snapshot.position else {
      throw RecordError("it is not complete", byteOffset: snapshot.sizeBytes)
    }
    self.root = root
    self.sessions = OnDisconnectSessions(sessions)
    position = snapshot.position
    snapshotPosition = snapshot.position
    storedRules = reader.storedRules
    snapshotBytes = snapshot.sizeBytes
    members = reader.members
  }

  private mutating func apply(_ record: CommitRecord, at position: Int64) {
    for part in record.parts {
      switch part.content {
      case .changes(let changes):
        let old = root
        root = CommitRecord.apply(changes, to: old)
        indexes.apply(changes, from: old, to: root)
      case .rules(let source): storedRules = source
      case .sessions(let changes): sessions.apply(changes)
      case .piece, .lastPiece, .note, .joint: break
      }
    }
    replayedCommitCount += 1
    self.position = position
  }
}
