import HearthEngine
import HearthJournal
import HearthRules
import HearthTree

/// Brings a database back: its snapshot, then the log after it.
struct Recovery {
  private let initialRules: RuleSet
  private(set) var root = Node.empty
  private(set) var sessions = Sessions()
  private(set) var position: Int64 = 0
  private(set) var storedRules: String?
  private(set) var snapshotBytes = 0
  private var snapshotPosition: Int64?
  private var replayedCommitCount = 0
  private var replayedBytes = 0
  /// Of the record that comes in pieces.
  private var pieces: (number: Int64, count: UInt32, bytes: [UInt8]) = (0, 0, [])

  init(initialRules: RuleSet) { self.initialRules = initialRules }

  /// - Throws: `JournalError`, ``RecordError``.
  mutating func run(_ journal: any Journal, upTo head: JournalHead) throws {
    if let snapshot = try journal.currentSnapshot() { try load(snapshot, of: journal) }
    var log = self
    try journal.forEachBatch(after: position) { try log.replay($0) }
    self = log
    guard position == head.position else {
      throw RecordError(
        "the log should end at position \(head.position) and ends at \(position)", byteOffset: 0, position: position)
    }
  }

  /// What was recovered. Rules that do not compile any more deny everything: others might allow too much.
  func state() -> (Published, RecoveryReport) {
    var (rules, problem): (RuleSet, String?) = (initialRules, nil)
    if let storedRules {
      do {
        rules = try RuleSet.compile(storedRules)
      } catch {
        rules = .denyAll
        problem = error.serviceText
      }
    }
    let report = RecoveryReport(
      snapshotPosition: snapshotPosition, replayedCommitCount: replayedCommitCount, replayedBytes: replayedBytes,
      position: position, rulesProblem: problem, openSessionCount: sessions.count)
    var state = Published(root: root, rules: rules, position: position, storedRules: storedRules)
    state.sessions = sessions
    return (state, report)
  }

  private mutating func load(_ snapshot: SnapshotInfo, of journal: any Journal) throws {
    var reader = SnapshotReader()
    try journal.forEachChunk(of: snapshot) { try reader.read($0) }
    guard let root = reader.root, let sessions = reader.sessions, reader.position == snapshot.position else {
      throw RecordError("it is not complete", byteOffset: snapshot.sizeBytes)
    }
    self.root = root
    self.sessions = Sessions(sessions)
    position = snapshot.position
    snapshotPosition = snapshot.position
    storedRules = reader.storedRules
    snapshotBytes = snapshot.sizeBytes
  }

  private mutating func replay(_ batch: JournalBatch) throws {
    let records: [CommitRecord]
    do {
      records = try CommitRecord.decode(batch.payload)
    } catch {
      throw RecordError(error.message, byteOffset: error.byteOffset, position: batch.firstPosition)
    }
    guard Int64(records.count) == batch.lastPosition - batch.firstPosition + 1 else {
      throw RecordError(
        "it has \(records.count) records for the positions up to \(batch.lastPosition)", byteOffset: 0,
        position: batch.firstPosition)
    }
    replayedBytes += batch.payload.count
    for (offset, record) in records.enumerated() where batch.firstPosition + Int64(offset) > position {
      try apply(record.content, at: batch.firstPosition + Int64(offset))
      replayedCommitCount += 1
      position = batch.firstPosition + Int64(offset)
    }
  }

  private mutating func apply(_ content: CommitRecord.Content, at position: Int64) throws {
    switch content {
    case .changes(let changes): root = CommitRecord.apply(changes, to: root)
    case .rules(let source): storedRules = source
    case .sessions(let changes): sessions.apply(changes)
    case .piece(let number, let bytes):
      if number == position { pieces = (number, 0, []) }
      guard number == pieces.number else {
        throw RecordError("a piece of the record \(number) without its first", byteOffset: 0, position: position)
      }
      pieces.count += 1
      pieces.bytes += bytes
    case .joined(let number, let count): try join(number, count, at: position)
    }
  }

  private mutating func join(_ number: Int64, _ count: UInt32, at position: Int64) throws {
    guard number == pieces.number, count == pieces.count else {
      throw RecordError("not all pieces of the record \(number) are there", byteOffset: 0, position: position)
    }
    let records: [CommitRecord]
    do {
      records = try CommitRecord.decode(pieces.bytes)
    } catch {
      throw RecordError(error.message, byteOffset: error.byteOffset, position: number)
    }
    pieces = (0, 0, [])
    guard records.count == 1, case .changes(let changes) = records[0].content else {
      throw RecordError("the pieces are not one record of changes", byteOffset: 0, position: number)
    }
    root = CommitRecord.apply(changes, to: root)
  }
}
