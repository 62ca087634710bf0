import HearthEngine
import HearthJournal

/// The times of the commits in a journal: stored in the records, and ascending unless the clock was set back.
public struct HistoryTimes {
  private let journal: any Journal

  /// Creates a lookup of the times in a journal.
  public init(_ journal: any Journal) { self.journal = journal }

  /// Returns the time of a commit, in milliseconds since 1970; nil when its record is gone. A record without a time has
  /// the time of the nearest earlier record with one.
  ///
  /// - Throws: `JournalError`, ``RecordError``.
  public func milliseconds(of position: Int64) throws -> Int64? {
    var position = position
    while position > 0, let batch = try batch(of: position) {
      let time = try RecordScan.time(ofRecord: Int(position - batch.firstPosition), in: batch.payload)
      if let time { return time }
      position = batch.firstPosition - 1
    }
    return nil
  }

  /// Returns the batch that contains a commit; nil when it is gone.
  private func batch(of position: Int64) throws(JournalError) -> JournalBatch? {
    do throws(JournalError) {
      let batch = try journal.batches(after: position - 1, sizeBytesMax: 0).first
      return batch.flatMap { $0.firstPosition <= position && position <= $0.lastPosition ? $0 : nil }
    } catch {
      guard error.code == .pruned else { throw error }
      return nil
    }
  }

  /// Returns the last position whose commit was made at that time or before, found by binary search: about twenty reads
  /// for a million commits. After the clock was set back several positions may match, and this is one of them.
  ///
  /// - Parameters:
  ///   - milliseconds: The time since 1970.
  ///   - last: The end of the log.
  /// - Returns: The position; nil when the time is before the retained history.
  /// - Throws: `JournalError`, ``RecordError``.
  public func position(atMilliseconds milliseconds: Int64, last: Int64) throws -> Int64? {
    let oldest = try journal.oldestPosition()
    // A log that begins with the first commit has the empty state before it.
    var before: Int64? = try isAfter(oldest, milliseconds) ? nil : oldest
    var (low, after) = (oldest, last + 1)
    while low + 1 < after {
      let middle = low + (after - low) / 2
      if try isAfter(middle, milliseconds) {
        after = middle
      } else {
        (low, before) = (middle, middle)
      }
    }
    // Without a record for it, the time of the oldest position is unknown: only a later commit that is not too late
    // proves that it is early enough.
    if let before, oldest > 0, try self.milliseconds(of: before) == nil { return nil }
    return before
  }

  private func isAfter(_ position: Int64, _ milliseconds: Int64) throws -> Bool {
    try self.milliseconds(of: position).map { $0 > milliseconds } ?? false
  }
}
