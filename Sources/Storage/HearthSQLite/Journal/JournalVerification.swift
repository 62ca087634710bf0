import GRDB
import HearthJournal

/// The check of a journal when it is opened.
struct JournalVerification {
  let path: String
  let mode: JournalRecovery.Mode

  /// Verifies the start and the log, cuts off damage when `mode` allows it, and returns the log's head.
  ///
  /// - Parameter damages: The damage that was found before.
  func run(
    _ pool: DatabasePool, damages: [JournalRecovery.Damage]
  ) throws(JournalError) -> (JournalHead, JournalRecovery) {
    try JournalError.mapping("verifying the journal", path: path) {
      try pool.writeWithoutTransaction { database in
        try dropUnfinishedSnapshots(database)
        let (start, damagedCheckpoints) = try start(database)
        var chain = BatchChain(after: start, path: path)
        var damages = damages
        let damage = try chain.verify(database)
        if let newest = damagedCheckpoints.first { try requireReached(newest, by: chain, damage) }
        if let damage { damages.append(try cutOff(damage, after: chain.position, database)) }
        for checkpoint in damagedCheckpoints {
          try remove(checkpoint.identifier, database)
          damages.append(
            JournalRecovery.Damage(
              place: JournalError.Place(file: path, position: checkpoint.position),
              finding: "the checkpoint at position \(checkpoint.position) does not match its checksum and was removed; "
                + "the state is read from position \(start?.position ?? 0) and the log after it"))
        }
        let epoch = try Int64.fetchOne(database, sql: "SELECT epoch FROM ownership") ?? 0
        let head = JournalHead(epoch: epoch, position: chain.position, runningHash: chain.runningHash)
        return (
          head,
          JournalRecovery(
            snapshotPosition: start?.position ?? 0, headPosition: chain.position, batchCount: chain.batchCount,
            damages: damages)
        )
      }
    }
  }

  /// Returns the newest snapshot or checkpoint, and the damaged checkpoints that are newer than it.
  private func start(_ database: Database) throws -> (start: SnapshotInfo?, damaged: [SnapshotInfo]) {
    let rows = SnapshotRows(database: database, path: path)
    let cursor = try Row.fetchCursor(database, sql: SQLiteSchema.newestSnapshots)
    var damaged: [SnapshotInfo] = []
    while let row = try cursor.next() {
      let found = try rows.snapshot(row)
      do {
        try rows.verify(found)
        return (found, damaged)
      } catch let error as JournalError where found.isCheckpoint && error.code == .corrupt {
        damaged.append(found)
      }
    }
    return (nil, damaged)
  }

  /// Refuses to open the journal unless the log from an older start covers a damaged checkpoint.
  private func requireReached(
    _ checkpoint: SnapshotInfo, by chain: BatchChain, _ damage: BatchChain.Finding?
  ) throws(JournalError) {
    guard chain.position < checkpoint.position else { return }
    throw JournalError(
      .corrupt,
      "the checkpoint at position \(checkpoint.position) does not match its checksum, and the log before it is not "
        + "retained: positions \(chain.position + 1) to \(checkpoint.position) cannot be read; restore the journal "
        + "from a backup", at: JournalError.Place(file: path, position: checkpoint.position), cause: damage?.text)
  }

  /// Removes a snapshot that was being written when the process ended.
  private func dropUnfinishedSnapshots(_ database: Database) throws {
    for identifier in try Int64.fetchAll(database, sql: "SELECT id FROM snapshot WHERE is_complete = 0") {
      try remove(identifier, database)
    }
  }

  /// Removes a snapshot or checkpoint. The removal is written to SQLite's WAL, which is emptied after every step,
  /// because a removal in a single step might not fit on a nearly full disk.
  private func remove(_ identifier: Int64, _ database: Database) throws {
    var isMore = true
    while isMore {
      try database.inTransaction(.immediate) {
        isMore = try SnapshotRows(database: database, path: path).removeStep(identifier)
        return .commit
      }
      _ = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(PASSIVE)")
    }
  }

  /// Cuts off the first damaged batch and all that follow it, if `mode` allows it; they are kept in the table
  /// `damaged_batch`.
  private func cutOff(
    _ damage: BatchChain.Finding, after position: Int64, _ database: Database
  ) throws -> JournalRecovery.Damage {
    let counts = try Row.fetchOne(
      database, sql: "SELECT count(*), max(last_position) FROM batch WHERE first_position >= ?",
      arguments: [damage.firstPosition])
    let last = counts?.integer(1) ?? damage.firstPosition
    let place = JournalError.Place(file: path, position: damage.firstPosition, byteOffset: damage.byteOffset)
    // SQLite stores a row completely or not at all, so every row in the table was committed, including the last batch.
    guard mode == .truncateAtFirstDamage else {
      let rest = counts?.integer(0) == 1 ? "" : " and batches follow it up to position \(last);"
      throw JournalError(
        .corrupt,
        "\(damage.text); it was committed, so this is not an unfinished write;\(rest) the log is intact up to position "
          + "\(position); " + JournalRecovery.remedy(path),
        at: place)
    }
    try database.inTransaction(.immediate) {
      try database.execute(
        sql: """
          INSERT INTO damaged_batch SELECT \(SQLiteBatchRow.columns) FROM batch WHERE first_position >= ?
          """, arguments: [damage.firstPosition])
      try database.execute(sql: "DELETE FROM batch WHERE first_position >= ?", arguments: [damage.firstPosition])
      return .commit
    }
    return JournalRecovery.Damage(
      place: place, finding: damage.text, lostPositions: damage.firstPosition...max(damage.firstPosition, last))
  }
}
