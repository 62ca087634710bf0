import HearthJournal

/// Whether a database does its work.
public enum DatabaseStatus: Sendable, Equatable {
  /// It takes commands.
  case running
  /// See ``DatabaseNotice/stalled(_:)``.
  case stalled(JournalError)
  /// See ``DatabaseNotice/halted(_:)``.
  case halted(JournalError)
  /// ``Database/close()`` was called.
  case closed
}
