import HearthCrypto
import HearthJournal

extension PostgresJournal {
  /// The snapshot that is being written.
  struct OpenSnapshot {
    var ticket: SnapshotTicket
    var runningHash: RunningHash
    var chunkCount = 0
    var sizeBytes = 0
  }

  public func beginSnapshot(at position: Int64) throws(JournalError) -> SnapshotTicket {
    try requireOpen(forWriting: true)
    let epoch = state.withLock { state in
      state.openSnapshot = nil
      return state.head?.epoch ?? 0
    }
    let hash = try snapshotHash(at: position)
    let unfinished = try run("looking for unfinished snapshots", [statement(SnapshotSQL.unfinished)])[0]
    for identifier in unfinished.rows.indices.compactMap({ unfinished.integer($0, 0) }) {
      try removeSnapshot(identifier)
    }
    let begun = try run(
      "starting a snapshot",
      [
        statement(SnapshotSQL.lock),
        statement(SnapshotSQL.begin, .integer(position), .hash(hash), .integer(epoch)),
      ])
    guard let identifier = begun[1].integer(0, 0) else { throw stale(epoch, begun[0].integer(0, 0) ?? 0) }
    let ticket = SnapshotTicket(identifier: identifier, position: position)
    state.withLock { $0.openSnapshot = OpenSnapshot(ticket: ticket, runningHash: hash) }
    return ticket
  }

  /// Returns the running hash of the log at the end of a batch.
  private func snapshotHash(at position: Int64) throws(JournalError) -> RunningHash {
    if let stored = try storedHash(at: position) { return stored }
    if position == 0, try oldestPosition() == 0 { return .empty }
    throw JournalError(
      .positionMismatch, "no batch ends at position \(position), so there is no state to take a snapshot of",
      at: place(position))
  }

  public func appendSnapshotChunk(_ chunk: [UInt8], to ticket: SnapshotTicket) throws(JournalError) {
    guard chunk.count <= JournalLimits.snapshotChunkBytesMax else {
      throw JournalError(
        .tooLarge, "a chunk of \(chunk.count) bytes is over the limit of \(JournalLimits.snapshotChunkBytesMax)",
        at: place(ticket.position))
    }
    let open = try requireOpenSnapshot(ticket)
    do throws(JournalError) {
      try store(chunk, open)
    } catch {
      // The counted and the written size may differ now.
      state.withLock { state in
        if state.openSnapshot?.ticket == ticket { state.openSnapshot = nil }
      }
      throw error
    }
    state.withLock { state in
      guard state.openSnapshot?.ticket == ticket else { return }
      state.openSnapshot?.chunkCount += 1
      state.openSnapshot?.sizeBytes += chunk.count
    }
  }

  /// Sends a chunk's content unless it is stored already, and adds it to the snapshot.
  private func store(_ chunk: [UInt8], _ open: OpenSnapshot) throws(JournalError) {
    let hash = Digest(sha256: chunk).bytes
    let link = statement(
      SnapshotSQL.link, .integer(open.ticket.identifier), .integer(Int64(open.chunkCount)), .bytes(hash))
    let isKept = try run("writing a snapshot", [statement(SnapshotSQL.hasChunk, .bytes(hash))])[0].integer(0, 0) == 1
    if isKept {
      // A concurrent removal may have deleted the chunk.
      let linked = try run("writing a snapshot", [statement(SnapshotSQL.lock), link], isRepeatable: false)
      if linked[1].count == 1 { return }
    }
    let linked = try run(
      "writing a snapshot",
      [statement(SnapshotSQL.lock), statement(SnapshotSQL.addChunk, .bytes(hash), .bytes(chunk)), link],
      isRepeatable: false)
    guard linked[2].count == 1 else { throw abandoned(open.ticket.position) }
  }

  public func completeSnapshot(_ ticket: SnapshotTicket) throws(JournalError) -> SnapshotInfo {
    let open = try requireOpenSnapshot(ticket)
    let completed = try run(
      "completing a snapshot",
      [
        statement(SnapshotSQL.lock),
        statement(
          SnapshotSQL.complete, .integer(ticket.identifier), .integer(Int64(open.chunkCount)),
          .integer(Int64(open.sizeBytes))),
        statement(SnapshotSQL.isComplete, .integer(ticket.identifier)),
      ])
    // A repetition after a lost answer has nothing left to do.
    guard completed[2].integer(0, 0) == 1 else { throw abandoned(ticket.position) }
    state.withLock { $0.openSnapshot = nil }
    return SnapshotInfo(
      identifier: ticket.identifier, position: ticket.position, runningHash: open.runningHash,
      chunkCount: open.chunkCount, sizeBytes: open.sizeBytes)
  }

  public func abandonSnapshot(_ ticket: SnapshotTicket) throws(JournalError) {
    state.withLock { state in
      if state.openSnapshot?.ticket == ticket { state.openSnapshot = nil }
    }
    let complete = try run("looking for a snapshot", [statement(SnapshotSQL.isComplete, .integer(ticket.identifier))])
    if complete[0].integer(0, 0) == 0 { try removeSnapshot(ticket.identifier) }
  }

  private func requireOpenSnapshot(_ ticket: SnapshotTicket) throws(JournalError) -> OpenSnapshot {
    try requireOpen(forWriting: true)
    guard let open = state.withLock({ $0.openSnapshot }), open.ticket == ticket else {
      throw abandoned(ticket.position)
    }
    return open
  }

  func abandoned(_ position: Int64) -> JournalError {
    JournalError(
      .snapshotAbandoned, "the snapshot at position \(position) was replaced or given up", at: place(position))
  }

  // MARK: Reading

  public func currentSnapshot() throws(JournalError) -> SnapshotInfo? { try snapshots().last }

  public func snapshots() throws(JournalError) -> [SnapshotInfo] {
    let found = try run("looking for snapshots", [statement(SnapshotSQL.all)])[0]
    return try SnapshotInfo.all(found, place())
  }

  public func snapshotChunk(_ index: Int, of snapshot: SnapshotInfo) throws(JournalError) -> [UInt8] {
    let found = try run(
      "reading a snapshot",
      [
        statement(SnapshotSQL.chunk, .integer(snapshot.identifier), .integer(Int64(index))),
        statement(SnapshotSQL.isComplete, .integer(snapshot.identifier)),
      ])
    guard found[1].integer(0, 0) == 1 else { throw abandoned(snapshot.position) }
    guard let payload = found[0].bytes(0, 1) else {
      throw JournalError(.corrupt, "chunk \(index) of the snapshot is missing", at: place(snapshot.position))
    }
    guard Digest(sha256: payload).bytes == found[0].bytes(0, 0) else {
      throw JournalError(
        .corrupt, "chunk \(index) of the snapshot is not what was written", at: place(snapshot.position))
    }
    return payload
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
