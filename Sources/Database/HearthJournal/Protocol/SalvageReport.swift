/// The findings in a journal's file, and the part of it from which a state can be restored.
package struct SalvageReport: Sendable {
  /// A range of unreadable commits that were retained only for reads of the history.
  package struct LostPast: Sendable {
    /// The first unreadable commit, and its place.
    package var damage: JournalRecovery.Damage
    /// The last unreadable commit. After it comes a snapshot, or the part of the log that a server reads at its start.
    package var lastPosition: Int64

    /// Creates the description of an unreadable part.
    package init(damage: JournalRecovery.Damage, lastPosition: Int64) {
      (self.damage, self.lastPosition) = (damage, lastPosition)
    }
  }

  /// The damaged or missing content with its place. Empty for a journal that a server can open.
  package var damages: [JournalRecovery.Damage] = []
  /// The unreadable parts of the history, the oldest first. A server can still open the journal.
  package var lostPast: [LostPast] = []
  /// The snapshot or checkpoint with which the salvageable part begins; nil when it begins with the log's first batch.
  package var base: SnapshotInfo?
  /// True when nothing can be salvaged: not even the tables are readable.
  package var isLost = false
  /// True when a checkpoint has pages that cannot be read, whether the salvageable part begins with it or not.
  package var hasUnreadablePages = false
  /// The number of parts of that checkpoint's state that cannot be read; the first ones are in ``damages``.
  package var unreadableCount = 0
  /// The end of the salvageable part.
  package var headPosition: Int64 = 0
  /// The last batch of the salvageable part; nil when that part is only a snapshot.
  package var lastBatch: JournalBatch?
  /// The positions that are known to have existed and cannot be salvaged.
  package var lostPositions: ClosedRange<Int64>?
  /// The last readable batch that cannot be salvaged, because something before it is missing.
  package var lastLostBatch: JournalBatch?
  /// The number of trigger events in the outbox, waiting or dead; nil when it is unknown.
  package var eventCount: Int?

  /// The epoch of the last owner.
  package var epoch: Int64 = 0

  /// Creates the report of an intact, empty journal.
  package init() {}

  /// True when a server can open the journal without a repair.
  package var isWhole: Bool { damages.isEmpty }
}
