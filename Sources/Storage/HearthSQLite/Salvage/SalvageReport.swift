import HearthJournal

/// The findings in a journal's file, and the part of it that a state can be restored from.
public struct SalvageReport: Sendable {
  /// Unreadable commits that were kept for reads of the past.
  public struct LostPast: Sendable {
    /// The first unreadable commit, and its place.
    public var damage: JournalRecovery.Damage
    /// The last unreadable commit: a snapshot follows, or the part that a server reads.
    public var lastPosition: Int64
  }

  /// The damaged or missing content with its place. Empty for a journal that a server opens.
  public internal(set) var damages: [JournalRecovery.Damage] = []
  /// The unreadable parts of the past, the oldest first. A server opens the journal all the same.
  public internal(set) var lostPast: [LostPast] = []
  /// The start of the salvageable part: a snapshot; nil for the log's first batch.
  public internal(set) var base: SnapshotInfo?
  /// True when nothing can be salvaged: not even the tables are readable.
  public internal(set) var isLost = false
  /// The end of the salvageable part.
  public internal(set) var headPosition: Int64 = 0
  /// The last batch of the salvageable part; nil when that is only a snapshot.
  public internal(set) var lastBatch: JournalBatch?
  /// The positions that are known to have existed and cannot be salvaged.
  public internal(set) var lostPositions: ClosedRange<Int64>?
  /// The last readable batch that cannot be salvaged, because something before it is missing.
  public internal(set) var lastLostBatch: JournalBatch?
  /// The number of events that wait to be sent or were given up; nil when it is unknown.
  public internal(set) var eventCount: Int?

  var epoch: Int64 = 0

  /// True when a server opens the journal as it is.
  public var isWhole: Bool { damages.isEmpty }
}
