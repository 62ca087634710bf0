import HearthJournal
import HearthTree

/// An event of a database that an operator should know.
public enum DatabaseNotice: Sendable {
  /// An append failed permanently: the database accepts no writes and no listens until it is opened again. Reads of the
  /// last durable state go on.
  case halted(JournalError)

  /// The disk is full or fails, or the journal's storage engine cannot be reached: decided batches wait and are
  /// retried, and no more writes are accepted until they are stored. Repeated at intervals while it lasts.
  case stalled(JournalError)

  /// The waiting batches are stored; the database accepts writes again.
  case resumed(afterMilliseconds: Int64)

  /// A snapshot is complete; a restart loads it and replays only the log after it.
  case snapshotWritten(position: Int64, sizeBytes: Int)

  /// A checkpoint is complete: a restart reads the pages below it when they are needed, and replays only the log after
  /// it.
  ///
  /// - Parameters:
  ///   - pageCount: The number of pages and branches that were written.
  ///   - sizeBytes: Their bytes.
  case checkpointWritten(position: Int64, pageCount: Int, sizeBytes: Int)

  /// Page files are cleaned: records that are live are stored again, and the files around them are removed.
  case cleaningBegun(deadBytes: Int)

  /// A cleaning of page files has ended.
  ///
  /// - Parameters:
  ///   - removedBytes: The bytes of the removed files.
  ///   - storedBytes: The bytes of records that were stored again.
  case cleaningEnded(removedBytes: Int, storedBytes: Int, milliseconds: Int64)

  /// A cleaning of page files waits for a reader of an old version, such as a download, before it removes files.
  case cleaningDelayed

  /// A cleaning of page files ended early. The files are intact; a later checkpoint begins it again.
  case cleaningFailed(JournalError)

  /// A page cannot be read. The commands that need it are refused as unavailable, and try to read it again.
  ///
  /// - Parameter path: The path of a refused command; nil when the data was read elsewhere.
  case pageUnreadable(JournalError, path: Path?)

  /// The conversion of a large snapshot into page files begins. Earlier versions cannot read these: the only way back
  /// is a backup.
  case conversionBegun(sizeBytes: Int, availableBytes: Int)

  /// A large snapshot was loaded into memory, because the disk has no space for its conversion into page files.
  case conversionRefused(neededBytes: Int, availableBytes: Int)

  /// A snapshot or checkpoint could not be written. The log is intact; the next attempt follows once the log has grown
  /// by the same number of bytes again.
  case snapshotFailed(JournalError)

  /// A snapshot or checkpoint would have taken more than `roomBytes`, the space available for it: the log grows, and a
  /// restart replays it. Reported once, until a snapshot is complete.
  case snapshotTooLarge(roomBytes: Int)

  /// The history exceeds its byte limit, so that less of it is retained than the configured age: states before
  /// `oldestPosition` are gone. Not reported again until the configured age has fitted once.
  case historyShortened(oldestPosition: Int64, sizeBytesMax: Int)

  /// Expired history could not be removed. The next snapshot retries it.
  case pruningFailed(JournalError)

  /// The journal could not be closed. Acknowledged commits are durable all the same.
  case closeFailed(JournalError)
}
