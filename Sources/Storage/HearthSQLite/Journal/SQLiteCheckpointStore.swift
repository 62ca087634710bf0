import GRDB
import HearthJournal

/// The checkpoints of a journal.
struct SQLiteCheckpointStore {
  let file: JournalFile
  let checkpointer: LogCheckpointer

  func complete(at position: Int64, payload: [UInt8]) throws(JournalError) -> Checkpoint {
    let checkpoint = try file.writing("completing a checkpoint") { database in
      let rows = SnapshotRows(database: database, path: file.path)
      let current = try rows.current()
      try Checkpoint.validate(payload, at: position, current: current?.position ?? 0, file: file.path)
      let hash = try BatchRows(database: database, path: file.path).runningHash(at: position)
      let checkpoint = Checkpoint(position: position, runningHash: hash, payload: payload)
      try CheckpointRows.add(checkpoint, database)
      if let current, current.isCheckpoint, current.position == position {
        _ = try rows.removeStep(current.identifier)
      }
      return checkpoint
    } committed: { checkpoint in
      file.state.withLock { $0.startPosition = max($0.startPosition, checkpoint.position) }
    }
    checkpointer.noteWritten(payload.count)
    return checkpoint
  }

  func current() throws(JournalError) -> Checkpoint? {
    try file.reading("looking for a checkpoint") { database in
      guard let current = try SnapshotRows(database: database, path: file.path).current(), current.isCheckpoint else {
        return nil
      }
      return try CheckpointRows(database, path: file.path).checkpoint(current)
    }
  }

  func checkpoint(at position: Int64) throws(JournalError) -> Checkpoint? {
    try file.reading("reading a checkpoint") { database in
      guard let info = try SnapshotRows(database: database, path: file.path).checkpoint(at: position) else {
        return nil
      }
      return try CheckpointRows(database, path: file.path).checkpoint(info)
    }
  }

  func replace(at position: Int64, payload: [UInt8]) throws(JournalError) {
    try Checkpoint.validateSize(of: payload, at: position, file: file.path)
    try file.writing("replacing a checkpoint") { database in
      guard let info = try SnapshotRows(database: database, path: file.path).checkpoint(at: position) else { return }
      let checkpoint = Checkpoint(position: position, runningHash: info.runningHash, payload: payload)
      try CheckpointRows.replace(info.identifier, with: checkpoint, database)
    }
    checkpointer.noteWritten(payload.count)
  }

  func remove(at position: Int64) throws(JournalError) {
    try file.writing("removing a checkpoint") { database in
      let rows = SnapshotRows(database: database, path: file.path)
      guard let info = try rows.checkpoint(at: position) else { return }
      guard try rows.current()?.identifier != info.identifier else {
        throw JournalError.currentStart(at: position, file: file.path)
      }
      _ = try rows.removeStep(info.identifier)
    }
  }
}
