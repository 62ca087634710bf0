import HearthCrypto
import HearthJournal
import Synchronization

/// The snapshots of a journal, in rows. Chunks that several snapshots have in common are stored once.
final class PostgresSnapshotStore: Sendable {
  private let handle: JournalHandle
  private let log: PostgresLogReader
  private let progress = Mutex(SnapshotProgress())

  init(_ handle: JournalHandle, _ log: PostgresLogReader) { (self.handle, self.log) = (handle, log) }

  // MARK: Writing

  /// Starts a snapshot of the state after a position.
  ///
  /// - Parameter epoch: The owner's epoch; 0 for any.
  func begin(at position: Int64, epoch: Int64) throws(JournalError) -> SnapshotTicket {
    try handle.requireOpen(forWriting: true)
    progress.withLock { $0.end() }
    let hash = try runningHash(at: position)
    let unfinished = try handle.run("looking for unfinished snapshots", [handle.statement(SnapshotSQL.unfinished)])[0]
    for identifier in unfinished.rows.indices.compactMap({ unfinished.integer($0, 0) }) {
      try remove(identifier)
    }
    let begun = try handle.run(
      "starting a snapshot",
      [
        handle.statement(SnapshotSQL.lock),
        handle.statement(SnapshotSQL.begin, .integer(position), .hash(hash), .integer(epoch)),
      ])
    guard let identifier = begun[1].integer(0, 0) else {
      throw .staleEpoch(epoch, current: begun[0].integer(0, 0) ?? 0, file: handle.file)
    }
    let ticket = SnapshotTicket(identifier: identifier, position: position)
    progress.withLock { $0.begin(ticket, hash) }
    return ticket
  }

  /// Returns the running hash of the log at the end of a batch.
  private func runningHash(at position: Int64) throws(JournalError) -> RunningHash {
    if let stored = try log.storedHash(at: position) { return stored }
    if position == 0, try log.oldestPosition() == 0 { return .empty }
    throw .noState(at: position, file: handle.file)
  }

  func append(_ chunk: [UInt8], to ticket: SnapshotTicket) throws(JournalError) {
    try SnapshotProgress.validate(chunk, of: ticket, file: handle.file)
    let open = try requireOpen(ticket)
    do throws(JournalError) {
      try store(chunk, at: open.chunkCount, of: ticket)
    } catch {
      // The chunk may have been stored although the call failed, so the snapshot cannot be continued.
      progress.withLock { $0.end(ticket) }
      throw error
    }
    progress.withLock { $0.add(chunk, to: ticket) }
  }

  /// Sends a chunk's content unless it is stored already, and adds it to the snapshot.
  private func store(_ chunk: [UInt8], at index: Int, of ticket: SnapshotTicket) throws(JournalError) {
    let hash = Digest(sha256: chunk).bytes
    let link = handle.statement(
      SnapshotSQL.link, .integer(ticket.identifier), .integer(Int64(index)), .bytes(hash))
    let isKept =
      try handle.run("writing a snapshot", [handle.statement(SnapshotSQL.hasChunk, .bytes(hash))])[0].integer(0, 0) == 1
    if isKept {
      // The chunk was found, but a concurrent transaction may have removed it since.
      let linked = try handle.run(
        "writing a snapshot", [handle.statement(SnapshotSQL.lock), link], isRepeatable: false)
      if linked[1].count == 1 { return }
    }
    let linked = try handle.run(
      "writing a snapshot",
      [handle.statement(SnapshotSQL.lock), handle.statement(SnapshotSQL.addChunk, .bytes(hash), .bytes(chunk)), link],
      isRepeatable: false)
    guard linked[2].count == 1 else { throw .abandoned(ticket.position, file: handle.file) }
  }

  func complete(_ ticket: SnapshotTicket) throws(JournalError) -> SnapshotInfo {
    let open = try requireOpen(ticket)
    let completed = try handle.run(
      "completing a snapshot",
      [
        handle.statement(SnapshotSQL.lock),
        handle.statement(
          SnapshotSQL.complete, .integer(ticket.identifier), .integer(Int64(open.chunkCount)),
          .integer(Int64(open.sizeBytes))),
        handle.statement(SnapshotSQL.isComplete, .integer(ticket.identifier)),
      ])
    // When the statement is repeated after a lost answer, it has nothing left to do.
    guard completed[2].integer(0, 0) == 1 else { throw .abandoned(ticket.position, file: handle.file) }
    progress.withLock { $0.end() }
    return open.info
  }

  func abandon(_ ticket: SnapshotTicket) throws(JournalError) {
    progress.withLock { $0.end(ticket) }
    let complete = try handle.run(
      "looking for a snapshot", [handle.statement(SnapshotSQL.isComplete, .integer(ticket.identifier))])
    if complete[0].integer(0, 0) == 0 { try remove(ticket.identifier) }
  }

  private func requireOpen(_ ticket: SnapshotTicket) throws(JournalError) -> SnapshotProgress.Open {
    try handle.requireOpen(forWriting: true)
    return try progress.withLock { (progress) throws(JournalError) in
      try progress.require(ticket, file: handle.file)
    }
  }

  // MARK: Reading

  func all() throws(JournalError) -> [SnapshotInfo] {
    let found = try handle.run("looking for snapshots", [handle.statement(SnapshotSQL.all)])[0]
    return try SnapshotInfo.all(found, handle.place())
  }

  func chunk(_ index: Int, of snapshot: SnapshotInfo) throws(JournalError) -> [UInt8] {
    let found = try handle.run(
      "reading a snapshot",
      [
        handle.statement(SnapshotSQL.chunk, .integer(snapshot.identifier), .integer(Int64(index))),
        handle.statement(SnapshotSQL.isComplete, .integer(snapshot.identifier)),
      ])
    guard found[1].integer(0, 0) == 1 else { throw .abandoned(snapshot.position, file: handle.file) }
    guard let payload = found[0].bytes(0, 1) else {
      throw JournalError(.corrupt, "chunk \(index) of the snapshot is missing", at: handle.place(snapshot.position))
    }
    guard Digest(sha256: payload).bytes == found[0].bytes(0, 0) else {
      throw JournalError(
        .corrupt, "chunk \(index) of the snapshot does not match its checksum", at: handle.place(snapshot.position))
    }
    return payload
  }

  // MARK: Removing

  /// Removes a snapshot that is not the current one.
  func remove(_ snapshot: SnapshotInfo) throws(JournalError) {
    try handle.requireOpen(forWriting: true)
    let all = try self.all()
    guard snapshot.identifier != all.last?.identifier else {
      throw JournalError(.positionMismatch, "a restart needs this snapshot", at: handle.place(snapshot.position))
    }
    if all.contains(where: { $0.identifier == snapshot.identifier }) { try remove(snapshot.identifier) }
  }

  /// Deletes a snapshot in small steps. The first step marks it as incomplete: readers then ignore it, and after an
  /// interruption the next snapshot removes what is left.
  func remove(_ identifier: Int64) throws(JournalError) {
    let stepChunks = Int64(max(1, PostgresLimits.transactionBytes / JournalLimits.snapshotChunkBytes))
    while true {
      let removed = try handle.run(
        "removing a snapshot",
        [
          handle.statement(SnapshotSQL.lock), handle.statement(SnapshotSQL.undo, .integer(identifier)),
          handle.statement(SnapshotSQL.removeChunks, .integer(identifier), .integer(stepChunks)),
        ])
      if removed[2].integer(0, 0) ?? 0 < stepChunks { break }
    }
    _ = try handle.run("removing a snapshot", [handle.statement(SnapshotSQL.remove, .integer(identifier))])
  }
}

extension SnapshotInfo {
  /// Reads the rows of ``SnapshotSQL/all``.
  ///
  /// - Throws: `.corrupt`.
  static func all(_ found: PostgresAnswer, _ place: JournalError.Place) throws(JournalError) -> [SnapshotInfo] {
    var snapshots: [SnapshotInfo] = []
    for row in found.rows.indices {
      guard let identifier = found.integer(row, 0), let position = found.integer(row, 1), position >= 0,
        let hash = found.integer(row, 2), let count = found.integer(row, 3), count >= 0,
        let size = found.integer(row, 4), size >= 0
      else { throw JournalError(.corrupt, "the description of a snapshot cannot be read", at: place) }
      snapshots.append(
        SnapshotInfo(
          identifier: identifier, position: position, runningHash: RunningHash(stored: hash), chunkCount: Int(count),
          sizeBytes: Int(size)))
    }
    return snapshots
  }
}
