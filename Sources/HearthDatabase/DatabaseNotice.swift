import HearthJournal

/// Something about a database that an operator should know.
public enum DatabaseNotice: Sendable {
  /// An append failed in a way that trying again does not mend: the database takes no writes and no listens until it is opened again. Reads of the last durable
  /// state go on.
  case halted(JournalError)

  /// The disk has no room: what was decided waits and is tried again, and no more writes are taken until it is stored.
  /// Said again once in a while for as long as it lasts.
  case stalled(JournalError)

  /// What waited for room on the disk is stored; the database takes writes again.
  case resumed(afterMilliseconds: Int64)

  /// A snapshot is complete; a restart begins from it.
  case snapshotWritten(position: Int64, sizeBytes: Int)

  /// A snapshot could not be written. The log is whole; another attempt follows after as many log bytes again.
  case snapshotFailed(JournalError)

  /// The journal could not be closed. What was acknowledged is durable all the same.
  case closeFailed(JournalError)
}

/// Whether a database does its work.
public enum DatabaseStatus: Sendable, Equatable {
  case running
  /// See ``DatabaseNotice/stalled(_:)``.
  case stalled(JournalError)
  /// See ``DatabaseNotice/halted(_:)``.
  case halted(JournalError)
  case closed
}

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
  /// How many connections were open that wanted something done at their end. It was done before the database was open.
  public var openSessionCount = 0
}
