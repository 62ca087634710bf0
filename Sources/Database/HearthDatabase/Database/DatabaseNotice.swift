import HearthJournal

/// Something about a database that an operator should know.
public enum DatabaseNotice: Sendable {
  /// An append failed in a way that trying again does not mend: the database takes no writes and no listens until it is opened again. Reads of the last durable
  /// state go on.
  case halted(JournalError)

  /// The disk has no room or does not work, or the journal's engine cannot be reached: what was decided waits and is tried again, and no more
  /// writes are taken until it is stored. Said again once in a while for as long as it lasts.
  case stalled(JournalError)

  /// What waited is stored; the database takes writes again.
  case resumed(afterMilliseconds: Int64)

  /// A snapshot is complete; a restart begins from it.
  case snapshotWritten(position: Int64, sizeBytes: Int)

  /// A snapshot could not be written. The log is whole; another attempt follows after as many log bytes again.
  case snapshotFailed(JournalError)

  /// A snapshot would have taken more than those bytes, and there is no more room for it: the log grows, and a restart
  /// replays it. Said once, until a snapshot is complete.
  case snapshotTooLarge(roomBytes: Int)

  /// The past takes more bytes than it may, so that less of it is kept than was asked for: states before that position are
  /// gone. Said once, until all that was asked for has room again.
  case historyShortened(oldestPosition: Int64, sizeBytesMax: Int)

  /// What nobody wants to look back to could not be removed. It is tried again with the next snapshot.
  case pruningFailed(JournalError)

  /// The journal could not be closed. What was acknowledged is durable all the same.
  case closeFailed(JournalError)
}
