/// The findings in a journal's file, and the part of it that a state can be restored from.
package struct SalvageReport: Sendable {
  /// Unreadable commits that were kept for reads of the past.
  package struct LostPast: Sendable {
    /// The first unreadable commit, and its place.
    package var damage: JournalRecovery.Damage
    /// The last unreadable commit: a snapshot follows, or the part that a server reads.
    package var lastPosition: Int64

    /// Creates the description of an unreadable part.
    package init(damage: JournalRecovery.Damage, lastPosition: Int64) {
      (self.damage, self.lastPosition) = (damage, lastPosition)
    }
  }

  /// The damaged or missing content with its place. Empty for a journal that a server opens.
  package var damages: [JournalRecovery.Damage] = []
  /// The unreadable parts of the past, the oldest first. A server opens the journal all the same.
  package var lostPast: [LostPast] = []
  /// The start of the salvageable part: a snapshot; nil for the log's first batch.
  package var base: SnapshotInfo?
  /// True when nothing can be salvaged: not even the tables are readable.
  package var isLost = false
  /// The end of the salvageable part.
  package var headPosition: Int64 = 0
  /// The last batch of the salvageable part; nil when that is only a snapshot.
  package var lastBatch: JournalBatch?
  /// The positions that are known to have existed and cannot be salvaged.
  package var lostPositions: ClosedRange<Int64>?
  /// The last readable batch that cannot be salvaged, because something before it is missing.
  package var lastLostBatch: JournalBatch?
  /// The number of events that wait to be sent or were given up; nil when it is unknown.
  package var eventCount: Int?

  /// The epoch of the last owner.
  package var epoch: Int64 = 0

  /// Creates the report of an intact, empty journal.
  package init() {}

  /// True when a server opens the journal as it is.
  package var isWhole: Bool { damages.isEmpty }
}
