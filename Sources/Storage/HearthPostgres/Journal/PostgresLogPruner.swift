import HearthJournal

/// The removal of batches and snapshots that are needed only for states before a position.
struct PostgresLogPruner {
  let handle: JournalHandle
  let snapshots: PostgresSnapshotStore

  func prune(keepingFrom position: Int64) throws(JournalError) {
    try handle.requireOpen(forWriting: true)
    let all = try snapshots.all()
    guard let oldest = all.last(where: { $0.position <= position }) else { return }
    for old in all where old.position <= oldest.position && old.identifier != oldest.identifier {
      try snapshots.remove(old.identifier)
    }
    let step = handle.statement(BatchSQL.prune, .integer(oldest.position))
    while let count = try handle.run("pruning", [step])[0].integer(0, 0), count > 0 {}
    _ = try handle.run("pruning", [handle.statement(BatchSQL.emptyTail, .integer(oldest.position))])
  }
}
