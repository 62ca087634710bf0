import HearthJournal
import HearthSQLite

/// A journal that begins with a snapshot, is converted to checkpoints, and continues with them.
final class CheckpointFiles: SteppedFiles {
  private enum Step: String, CaseIterable {
    case append, snapshot
    case appendLarge = "append, large"
    case convert = "checkpoint, first"
    case prune
    case appendMore = "append, more"
    case checkpoint
    case checkpointAgain = "checkpoint, same position"
    case restart
    case pruneAgain = "prune, whole log"
    case appendLast = "append, last"
    case checkpointLarge = "checkpoint, large"
    case appendAgain = "append, again"
    case checkpointNewest = "checkpoint, newest"
    case replace = "replace an older checkpoint"
    case remove = "remove an older checkpoint"
  }

  static let steps = Step.allCases.map(\.rawValue)

  private let path: String
  private var journal: SQLiteJournal
  private var head: JournalHead

  init(folder: String) throws {
    path = folder + "/c.sqlite"
    (journal, head) = try Self.open(path)
  }

  private static func open(_ path: String) throws -> (SQLiteJournal, JournalHead) {
    let journal = try SQLiteJournal(path: path, options: SQLiteJournal.Options(checkpointBytes: 40_000))
    if let damage = journal.recovery.damages.first(where: { !$0.isUnfinishedCommit }) {
      throw JournalError(.corrupt, "damage is found: \(damage)")
    }
    return (journal, try journal.acquire())
  }

  func perform(_ step: Int) throws {
    do {
      try perform(Step.allCases[step])
    } catch let error as JournalError {
      throw StepFailure(outcome: DiskOutcome(error), reason: "\(error)")
    }
  }

  private func perform(_ step: Step) throws {
    switch step {
    case .append, .appendMore, .appendLast, .appendAgain: try append(sizeBytes: 90)
    case .appendLarge: try append(sizeBytes: 9_000)
    case .snapshot: try journal.takeSnapshot(at: head.position)
    case .convert: try complete(at: 1, sizeBytes: 100)
    case .checkpoint, .checkpointNewest: try complete(at: head.position, sizeBytes: 200)
    case .checkpointAgain: try complete(at: head.position, sizeBytes: 300)
    case .checkpointLarge: try complete(at: head.position, sizeBytes: 20_000)
    case .replace: try journal.replaceCheckpoint(at: older(), payload: [UInt8](repeating: 8, count: 400))
    case .remove: try journal.removeCheckpoint(at: older())
    case .prune, .pruneAgain: try journal.prune()
    case .restart:
      try journal.close()
      (journal, head) = try Self.open(path)
    }
  }

  private func append(sizeBytes: Int) throws {
    let position = head.position + 1
    let payload = [UInt8](repeating: UInt8(position), count: sizeBytes)
    head = try journal.append(
      JournalBatch(firstPosition: position, lastPosition: position, payload: payload), after: head)
  }

  private func complete(at position: Int64, sizeBytes: Int) throws {
    _ = try journal.completeCheckpoint(at: position, payload: [UInt8](repeating: 7, count: sizeBytes))
  }

  /// The position of the checkpoint before the current one.
  private func older() throws -> Int64 { try journal.checkpointPositions().dropLast().last ?? 0 }

  /// The state that a start recovers: its checkpoint or snapshot, and the log after it.
  func state() throws -> String {
    var (start, position) = ("nothing", Int64(0))
    if let checkpoint = try journal.currentCheckpoint() {
      (start, position) = ("a checkpoint of \(checkpoint.payload.count) bytes", checkpoint.position)
    } else if let snapshot = try journal.currentSnapshot() {
      for index in 0..<snapshot.chunkCount { _ = try journal.snapshotChunk(index, of: snapshot) }
      (start, position) = ("a snapshot", snapshot.position)
    }
    let log = try journal.batches(after: position, sizeBytesMax: .max).map { "\($0.lastPosition): \($0.payload.count)" }
    let older = try journal.checkpointPositions().dropLast().map {
      "\($0): \(try journal.checkpoint(at: $0)?.payload ?? [])"
    }
    return "\(start) at \(position), then \(log), up to \(head.position), after \(older)"
  }

  func close() { try? journal.close() }
}
