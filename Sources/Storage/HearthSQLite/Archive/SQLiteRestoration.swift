import GRDB
import HearthJournal

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The restoration of a journal's file. Before ``complete(epoch:)`` nothing is durable, which makes it fast; after an
/// interruption the file is useless.
final class SQLiteRestoration: JournalRestoration {
  private let path: String
  private let queue: DatabaseQueue
  private var head = JournalHead(epoch: 0, position: 0, runningHash: .empty)
  private var snapshot: (identifier: Int64, chunkCount: Int, sizeBytes: Int)?
  private var hasBatches = false

  /// - Throws: `.inUse` when the file exists; `.permissionDenied`, `.noSpace`, `.inputOutput`.
  init(path: String) throws(JournalError) {
    guard try PosixFile.sizeBytes(of: path) == nil else {
      throw JournalError(.inUse, "the journal already exists", at: JournalError.Place(file: path))
    }
    try PosixFile.createMissing(path)
    self.path = path
    queue = try JournalError.mapping("creating the journal", path: path) {
      var configuration = Configuration()
      configuration.label = "hearth.journal.restoration"
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      try queue.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA synchronous = OFF")
        _ = try Row.fetchOne(database, sql: "PRAGMA journal_mode = OFF")
        try database.execute(sql: SQLiteSchema.creation)
      }
      return queue
    }
  }

  func begin(at position: Int64, runningHash: RunningHash) throws(JournalError) {
    guard snapshot == nil, !hasBatches, position >= 0 else {
      throw JournalError(.positionMismatch, "a snapshot must be written first", at: JournalError.Place(file: path))
    }
    let identifier = try writing { database in
      try database.execute(
        sql:
          "INSERT INTO snapshot (position, running_hash, chunk_count, size_bytes, is_complete) VALUES (?, ?, 0, 0, 0)",
        arguments: [position, runningHash.stored])
      return database.lastInsertedRowID
    }
    snapshot = (identifier, 0, 0)
    (head.position, head.runningHash) = (position, runningHash)
  }

  func append(chunk: [UInt8]) throws(JournalError) {
    guard let open = snapshot, !hasBatches else {
      throw JournalError(.snapshotAbandoned, "no snapshot was started", at: JournalError.Place(file: path))
    }
    guard chunk.count <= JournalLimits.snapshotChunkBytesMax else {
      throw JournalError(.tooLarge, "a chunk of \(chunk.count) bytes is too large", at: JournalError.Place(file: path))
    }
    try writing { try SnapshotRows(database: $0, path: path).add(chunk, open.chunkCount, to: open.identifier) }
    snapshot = (open.identifier, open.chunkCount + 1, open.sizeBytes + chunk.count)
  }

  func append(_ link: JournalLink) throws(JournalError) {
    try link.batch.validate(after: head)
    guard link.follows(head.position, head.runningHash), link.epoch >= head.epoch else {
      throw JournalError(
        .corrupt, "the batch of position \(link.batch.firstPosition) does not continue the log before it",
        at: JournalError.Place(file: path, position: link.batch.firstPosition))
    }
    try writing { database in
      try database.cachedStatement(sql: "INSERT INTO batch (\(SQLiteBatchRow.columns)) VALUES (?, ?, ?, ?, ?, ?)")
        .execute(
          arguments: [
            link.batch.firstPosition, link.batch.lastPosition, link.epoch, link.runningHash.stored,
            link.batch.payload.count, DatabaseValue.blob(link.batch.payload),
          ])
    }
    hasBatches = true
    head = JournalHead(epoch: link.epoch, position: link.batch.lastPosition, runningHash: link.runningHash)
  }

  func append(_ entry: ArchivedEntry) throws(JournalError) {
    try writing { try OutboxRows(database: $0, path: path).add(entry) }
  }

  func complete(epoch: Int64) throws(JournalError) -> JournalHead {
    let epoch = max(epoch, head.epoch)
    try writing { database in
      if let snapshot {
        try database.execute(
          sql: "UPDATE snapshot SET chunk_count = ?, size_bytes = ?, is_complete = 1 WHERE id = ?",
          arguments: [snapshot.chunkCount, snapshot.sizeBytes, snapshot.identifier])
      }
      try database.execute(sql: "UPDATE ownership SET epoch = ?", arguments: [epoch])
    }
    try JournalError.mapping("closing the journal", path: path) { try queue.close() }
    try PosixFile(path, flags: O_RDWR).synchronize()
    try PosixFile.synchronizeFolder(of: path)
    let journal = try SQLiteJournal(path: path)
    let found = journal.file.state.withLock { $0.head }
    try journal.close()
    guard found.position == head.position, found.runningHash == head.runningHash, journal.recovery.damages.isEmpty
    else {
      throw JournalError(
        .corrupt, "it ends at position \(found.position) instead of \(head.position)",
        at: JournalError.Place(file: path, position: found.position))
    }
    return found
  }

  private func writing<Value>(_ body: (Database) throws -> Value) throws(JournalError) -> Value {
    try JournalError.mapping("writing the journal", path: path) {
      try queue.writeWithoutTransaction { database in
        var value: Value?
        try JournalError.reportingFullDisk("writing the journal", path: path) { value = try body(database) }
        // The block above has either set the value or thrown.
        return value!
      }
    }
  }
}
