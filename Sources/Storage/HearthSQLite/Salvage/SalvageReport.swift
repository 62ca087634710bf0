import HearthJournal

/// What was found in a journal's file, and what of it a state can be put together from.
public struct SalvageReport: Sendable {
  /// Commits that are kept for those who look back, and cannot be read.
  public struct LostPast: Sendable {
    /// The first that cannot be read, and where.
    public var damage: JournalRecovery.Damage
    /// The last commit that cannot be told because of it: a snapshot follows, or the part that a server reads.
    public var lastPosition: Int64
  }

  /// What is damaged or missing, with its place. Empty for a journal that a server opens.
  public internal(set) var damages: [JournalRecovery.Damage] = []
  /// What of the past cannot be looked at, the oldest first. A server opens the journal all the same.
  public internal(set) var lostPast: [LostPast] = []
  /// The place where what can be kept begins: a snapshot; nil for the log's first batch.
  public internal(set) var base: SnapshotInfo?
  /// Nothing can be kept: not even the tables can be read.
  public internal(set) var isLost = false
  /// The place where what can be kept ends.
  public internal(set) var headPosition: Int64 = 0
  /// The last batch of that; nil when a snapshot is all there is.
  public internal(set) var lastBatch: JournalBatch?
  /// Positions that are known to have been there and cannot be kept.
  public internal(set) var lostPositions: ClosedRange<Int64>?
  /// The last batch that can be read and cannot be kept, since something before it is missing.
  public internal(set) var lastLostBatch: JournalBatch?
  /// Events that wait to be sent, and those that were given up; nil when nobody can tell.
  public internal(set) var eventCount: Int?

  var epoch: Int64 = 0

  /// A server opens it as it is.
  public var isWhole: Bool { damages.isEmpty }
}
