import HearthJournal

/// What opening a database found.
public struct RecoveryReport: Sendable, Equatable {
  /// The position of the snapshot that was loaded; nil when there was none.
  public var snapshotPosition: Int64?
  /// How many commits of the log were applied on top of it.
  public var replayedCommitCount: Int
  /// How many bytes of the log they were.
  public var replayedBytes: Int
  /// The last commit; 0 for a new database.
  public var position: Int64
  /// What is wrong with the rules that were stored, when they do not compile any more: the database then denies all
  /// reads and writes until rules are deployed.
  public var rulesProblem: String?
  /// The number of connections that were open that wanted something done at their end. It was done before the database
  /// was open.
  public var openSessionCount = 0
  /// What its journal had to cut off.
  public var damages: [JournalRecovery.Damage] = []
}
