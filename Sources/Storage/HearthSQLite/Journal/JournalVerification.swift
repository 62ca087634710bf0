import GRDB
import HearthJournal
import HearthRows

/// The check of a journal when it is opened.
struct JournalVerification {
  let path: String
  let mode: JournalRecovery.Mode

  /// Verifies snapshot and log, cuts off damage when `mode` allows it, and returns the log's head.
  ///
  /// - Parameter damages: The damage that was found before.
  func run(
    _ pool: DatabasePool, damages: [JournalRecovery.Damage]
  ) throws(JournalError) -> (JournalHead, JournalRecovery) {
    try JournalError.mapping("verifying the journal", path: path) {
      try pool.writeWithoutTransaction { database in
        try dropUnfinishedSnapshots(database)
        let snapshot = try SnapshotRows(database: database, path: path).verifiedCurrent()
        var chain = BatchChain(
          epoch: 0, position: snapshot?.position ?? 0, runningHash: snapshot?.runningHash ?? .empty, path: path)
        var damages = damages
        if let damage = try chain.verify(database) {
          damages.append(try cutOff(damage, after: chain.position, database))
        }
        let epoch = try Int64.fetchOne(database, sql: "SELECT epoch FROM ownership") ?? 0
        let head = JournalHead(epoch: epoch, position: chain.position, runningHash: chain.runningHash)
        return (
          head,
          JournalRecovery(
            snapshotPosition: snapshot?.position ?? 0, headPosition: chain.position, batchCount: chain.batchCount,
            damages: damages)
        )
      }
    }
  }

  /// Removes a snapshot that was being written when the process ended. The removal is written to SQLite's WAL, which is
  /// emptied after every step, because a removal in a single step might not fit on a nearly full disk.
  private func dropUnfinishedSnapshots(_ database: Database) throws {
    for identifier in try Int64.fetchAll(database, sql: "SELECT id FROM snapshot WHERE is_complete = 0") {
      var isMore = true
      while isMore {
        try database.inTransaction(.immediate) {
          isMore = try SnapshotRows(database: database, path: path).removeStep(identifier)
          return .commit
        }
        _ = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(PASSIVE)")
      }
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
