import HearthTree

extension Database {
  /// Takes a person out of what is kept of the past: that they wrote, and what was at given places. The present stays as it
  /// is; what is to be erased of it is deleted before, and connections of theirs are ended or signed out. Blocks for as
  /// long as reading all that is kept takes, beside what the database does; until it is done no other snapshot is written.
  ///
  /// It goes step by step. When it is interrupted, some of the past is erased and some is not, and doing it again does the
  /// rest. What is done is durable when this returns.
  ///
  /// - Parameters:
  ///   - uid: nil when only places are erased.
  ///   - places: what is at or below them is forgotten.
  ///   - isCancelled: looked at now and then: whether to end before it is done.
  /// - Throws: ``HistoryError``: ``HistoryError/cancelled``; a `.failed` of the journal when a connection still acts as the
  ///   person after a while.
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

  /// How much ``erase(uid:places:isCancelled:)`` would write anew, beside what of the present is deleted before. Changes
  /// nothing, and reads as much.
  public func erasable(
    uid: String?, places: [Path], isCancelled: () -> Bool = { false }
  ) throws(HistoryError) -> ErasureReport {
    // Nothing is pruned meanwhile.
    try history.mapping { try snapshotQueue.sync { try PastErasure(self, uid: uid, places: places).look(isCancelled) } }
  }
}
