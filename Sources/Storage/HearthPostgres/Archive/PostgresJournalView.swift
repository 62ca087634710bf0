import HearthCrypto
import HearthJournal
import Synchronization

/// A journal's rows in one read transaction.
final class PostgresJournalView: JournalView {
  let head: JournalHead
  let snapshot: SnapshotInfo?

  private let identifier: Int64
  private let transaction: Mutex<PostgresReadTransaction?>
  private let file: String
  private let whenClosed: @Sendable () -> Void

  /// - Parameters:
  /// - name: The name in the table.
  /// - whenClosed: Called once.
  /// - Throws: `.notAJournal` when the journal is missing; `.corrupt`, `.inputOutput`.
  init(
    _ name: String, at transaction: PostgresReadTransaction, _ address: PostgresAddress,
    whenClosed: @escaping @Sendable () -> Void
  ) throws(JournalError) {
    self.transaction = Mutex(transaction)
    self.whenClosed = whenClosed
    file = "\(address) \(name)"
    let place = JournalError.Place(file: file)
    let action = "inspecting the journal"
    let found = try transaction.run(action, [PostgresStatement(JournalSQL.find, [.text(name)])])[0]
    guard let identifier = found.integer(0, 0) else {
      throw JournalError(.notAJournal, "unknown journal \(name)", at: place)
    }
    self.identifier = identifier
    let journal = [PostgresStatement.Parameter.integer(identifier)]
    let ends = try transaction.run(
      action,
      [
        PostgresStatement(BatchSQL.tail, journal), PostgresStatement(SnapshotSQL.all, journal),
        PostgresStatement(BatchSQL.epoch, journal),
      ])
    snapshot = try SnapshotInfo.all(ends[1], place).last
    let epoch = ends[2].integer(0, 0) ?? 0
    guard !ends[0].rows.isEmpty else {
      head = JournalHead(epoch: epoch, position: 0, runningHash: .empty)
      return
    }
    guard let position = ends[0].integer(0, 1), position >= 0, let hash = ends[0].integer(0, 3) else {
      throw JournalError(.corrupt, "the log's last row cannot be read", at: place)
    }
    head = JournalHead(epoch: epoch, position: position, runningHash: RunningHash(stored: hash))
  }

  deinit { close() }

  func forEachChunk(_ body: ([UInt8]) throws -> Void) throws {
    guard let snapshot else { return }
    for index in 0..<snapshot.chunkCount { try body(try chunk(index, of: snapshot)) }
  }

  private func chunk(_ index: Int, of snapshot: SnapshotInfo) throws(JournalError) -> [UInt8] {
    let found = try run(
      "reading a snapshot", statement(SnapshotSQL.chunk, snapshot.identifier, Int64(index)))
    guard let payload = found.bytes(0, 1) else {
      throw error(.corrupt, "chunk \(index) of the snapshot is missing", snapshot.position)
    }
    guard Digest(sha256: payload).bytes == found.bytes(0, 0) else {
      throw error(.corrupt, "chunk \(index) of the snapshot does not match its checksum", snapshot.position)
    }
    return payload
  }

  func forEachLink(after position: Int64, _ body: (JournalLink) throws -> Bool) throws {
    var end = position
    var previous: (position: Int64, hash: RunningHash)?
    while end < head.position {
      let found = try run("reading batches", statement(BatchSQL.after, end, Int64(JournalLimits.readBytes)))
      guard !found.rows.isEmpty else { return }
      for index in found.rows.indices {
        guard var row = PostgresBatchRow(found, index),
          previous.map({ $0.position == row.batch.firstPosition - 1 }) ?? true
        else { throw error(.corrupt, "the batch cannot be read, or does not continue the one before it", end) }
        let first = row.batch.firstPosition
        try row.addParts { (part) throws(JournalError) in
          try run("reading a batch", statement(BatchSQL.part, first, part)).bytes(0, 0)
        }
        // The hash before the first batch is unknown when the log before it may be pruned.
        let before: RunningHash? = if let previous { previous.hash } else if first == 1 { .empty } else { nil }
        if let before, let finding = row.finding(after: before) { throw error(.corrupt, finding, first) }
        if before == nil, Int64(row.batch.payload.count) != row.sizeBytes {
          throw error(.corrupt, "the batch does not have its recorded size", first)
        }
        let link = JournalLink(batch: row.batch, epoch: row.epoch, runningHash: row.runningHash)
        (end, previous) = (row.batch.lastPosition, (row.batch.lastPosition, row.runningHash))
        guard try body(link) else { return }
      }
    }
  }

  func forEachEntry(_ body: (ArchivedEntry) throws -> Void) throws {
    for sql in [ArchiveSQL.entriesAfter, ArchiveSQL.deadEntriesAfter] {
      var after: [PostgresStatement.Parameter] = [.bytes([]), .integer(0), .integer(0)]
      while true {
        let found = try run(
          "reading the outbox",
          PostgresStatement(
            sql, [.integer(identifier)] + after + [.integer(Int64(JournalLimits.readBytes))]))
        guard !found.rows.isEmpty else { break }
        for row in found.rows.indices {
          guard let entry = ArchivedEntry(found, row) else {
            throw error(.corrupt, "an entry of the outbox is malformed")
          }
          after = [
            .bytes(Array(entry.queue.utf8)), .integer(entry.place.position), .integer(Int64(entry.place.ordinal)),
          ]
          try body(entry)
        }
      }
    }
  }

  func close() {
    let isFirst = transaction.withLock { transaction in
      defer { transaction = nil }
      return transaction != nil
    }
    if isFirst { whenClosed() }
  }

  private func statement(_ sql: PostgresSQL, _ parameters: Int64...) -> PostgresStatement {
    PostgresStatement(sql, ([identifier] + parameters).map { .integer($0) })
  }

  private func run(_ action: String, _ statement: PostgresStatement) throws(JournalError) -> PostgresAnswer {
    guard let transaction = transaction.withLock({ $0 }) else { throw error(.closed, "the view is closed") }
    return try transaction.run(action, [statement])[0]
  }

  private func error(_ code: JournalError.Code, _ message: String, _ position: Int64? = nil) -> JournalError {
    JournalError(code, message, at: JournalError.Place(file: file, position: position))
  }
}

extension ArchivedEntry {
  /// Reads a row of `ArchiveSQL.entriesAfter`; nil when it is malformed.
  fileprivate init?(_ found: PostgresAnswer, _ row: Int) {
    guard let position = found.integer(row, 0), let ordinal = found.integer(row, 1).flatMap({ Int32(exactly: $0) }),
      let time = found.integer(row, 2), let count = found.integer(row, 3), let end = found.integer(row, 4),
      let queue = found.text(row, 5), let lane = found.text(row, 6), let content = found.bytes(row, 7)
    else { return nil }
    self.init(
      queue: queue, place: OutboxPlace(position: position, ordinal: ordinal), lane: lane, milliseconds: time,
      attemptCount: Int(clamping: count), content: content,
      state: found.text(row, 8).map { .dead(reason: $0, milliseconds: end) } ?? .waits(dueMilliseconds: end))
  }
}
