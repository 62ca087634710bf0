import HearthTree

extension Database {
  /// Erases a user from the retained history: their authorship of commits, and the values at the given locations. The
  /// present state stays unchanged; delete its data first, and end or sign out the user's connections. Blocks while it
  /// reads the whole retained history, beside the database's own work; no other snapshot is written until it is done.
  ///
  /// The erasure proceeds in steps. An interrupted erasure leaves some of the history unerased; a repeated call
  /// completes it. The result is durable when the call returns.
  ///
  /// - Parameters:
  ///   - uid: The user; nil when only locations are erased.
  ///   - places: The locations whose history is erased, with their descendants.
  ///   - isCancelled: Polled regularly; true ends the erasure early.
  /// - Throws: ``HistoryError``: ``HistoryError/cancelled``; a `.failed` of the journal when a connection still acts as
  ///   the user after a while.
  public func erase(
    uid: String?, places: [Path], isCancelled: () -> Bool = { false }
  ) throws(HistoryError) -> ErasureReport {
    try history.mapping {
      try snapshotQueue.sync {
        defer { history.forget() }
        return try PastErasure(self, uid: uid, places: places).run(isCancelled)
      }
    }
  }

  /// Measures how much ``erase(uid:places:isCancelled:)`` would rewrite, apart from data of the present that is deleted
  /// first. Changes nothing, and reads as much.
  public func erasable(
    uid: String?, places: [Path], isCancelled: () -> Bool = { false }
  ) throws(HistoryError) -> ErasureReport {
    // No pruning runs meanwhile.
    try history.mapping { try snapshotQueue.sync { try PastErasure(self, uid: uid, places: places).look(isCancelled) } }
  }
}
