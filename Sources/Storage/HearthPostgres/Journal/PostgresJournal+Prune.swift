import HearthJournal

extension PostgresJournal {
  public func prune(keepingFrom position: Int64) throws(JournalError) {
    try requireOpen(forWriting: true)
    let all = try snapshots()
    guard let oldest = all.last(where: { $0.position <= position }) else { return }
    for old in all where old.position <= oldest.position && old.identifier != oldest.identifier {
      try removeSnapshot(old.identifier)
    }
    let step = statement(BatchSQL.prune, .integer(oldest.position))
    while let count = try run("pruning", [step])[0].integer(0, 0), count > 0 {}
    _ = try run("pruning", [statement(BatchSQL.emptyTail, .integer(oldest.position))])
  }

  /// Deletes a snapshot in small steps. From the first one on it is incomplete, so that readers ignore it and the next
  /// snapshot removes the remains of an interruption.
  func removeSnapshot(_ identifier: Int64) throws(JournalError) {
    let stepChunks = Int64(max(1, PostgresLimits.transactionBytes / JournalLimits.snapshotChunkBytes))
    while true {
      let removed = try run(
        "removing a snapshot",
        [
          statement(SnapshotSQL.lock), statement(SnapshotSQL.undo, .integer(identifier)),
          statement(SnapshotSQL.removeChunks, .integer(identifier), .integer(stepChunks)),
        ])
      if removed[2].integer(0, 0) ?? 0 < stepChunks { break }
    }
    _ = try run("removing a snapshot", [statement(SnapshotSQL.remove, .integer(identifier))])
  }
}
