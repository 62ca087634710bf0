import HearthJournal

/// The report on opening a database.
public struct RecoveryReport: Sendable, Equatable {
  /// The position of the loaded snapshot or checkpoint; nil when there was none.
  public var snapshotPosition: Int64?
  /// The number of commits that were replayed on top of it.
  public var replayedCommitCount: Int
  /// The bytes of the replayed log.
  public var replayedBytes: Int
  /// The last commit; 0 for a new database.
  public var position: Int64
  /// The compile error of the stored rules; nil when they compile. With an error the database denies all reads and
  /// writes until rules are deployed.
  public var rulesProblem: String?
  /// The number of open connections with on-disconnect writes, which were executed while it was opened.
  public var openSessionCount = 0
  /// The damaged parts that the journal cut off.
  public var damages: [JournalRecovery.Damage] = []
}
