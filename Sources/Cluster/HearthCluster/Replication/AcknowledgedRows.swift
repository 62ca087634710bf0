import HearthJournal

/// The last acknowledged rows of a log: an owner's own, and those that owners sent to a replica once they were durable.
///
/// With them, a node detects that a store lost acknowledged rows, for example when a failover promotes a server that
/// lacks the last commits. As long as no later row follows the shorter log, the lost rows are appended to it again.
package struct AcknowledgedRows: Sendable {
  private struct Remembered {
    var row: LogRow
    var since: MonotonicInstant
  }

  /// The head after the last row.
  package private(set) var head: JournalHead
  /// The head before the first remembered row.
  private var base: JournalHead
  private var rows: [Remembered] = []
  private var sizeBytes = 0
  private let timing: ClusterTiming

  /// Creates an empty list from a known head, such as that of a snapshot.
  init(from head: JournalHead, timing: ClusterTiming) {
    self.head = head
    base = head
    self.timing = timing
  }

  /// Appends the next row.
  mutating func append(_ row: LogRow, at now: MonotonicInstant) {
    rows.append(Remembered(row: row, since: now))
    sizeBytes += row.batch.payload.count
    head = row.head
  }

  /// Removes rows that are too old or too many.
  mutating func forget(at now: MonotonicInstant) {
    var (count, kept) = (0, sizeBytes)
    for remembered in rows {
      guard
        kept > ClusterLimits.rememberedBytesMax
          || now.isAtLeast(timing.memoryMilliseconds, after: remembered.since)
      else { break }
      kept -= remembered.row.batch.payload.count
      count += 1
    }
    // Removes many at a time, because removal moves the rest of the array.
    guard count > rows.count / 8 else { return }
    base = rows[count - 1].row.head
    sizeBytes = kept
    rows.removeFirst(count)
  }

  /// Returns the rows after a head; nil when they are not remembered, or the head does not belong to this log.
  private func rows(after head: JournalHead) -> [LogRow]? {
    if head == base { return rows.map(\.row) }
    guard let index = rows.lastIndex(where: { $0.row.head == head }) else { return nil }
    return rows[(index + 1)...].map(\.row)
  }

  /// The result of comparing a log with the remembered rows.
  package enum Comparison: Equatable {
    /// The log continues with these rows, each of which follows the one before it.
    case continues([LogRow])
    /// The log ends too early: it lacks these acknowledged rows; nil when not all of them are remembered.
    case lacks([LogRow]?)
    /// The log differs: different rows are in the place of acknowledged ones; or it is damaged.
    case differs(DataLoss)
  }

  /// Compares the remembered rows with the result of reading the log at ``head``.
  package func compare(_ reading: LogReading) -> Comparison {
    guard let start = reading.start else {
      // In a later epoch, another owner's rows follow the shorter log.
      if reading.end.position < head.position, reading.end.epoch <= head.epoch {
        return .lacks(rows(after: reading.end))
      }
      return .differs(DataLoss(known: head, found: reading.end))
    }
    guard start == head else { return .differs(DataLoss(known: head, found: start)) }
    var last = head
    for row in reading.rows {
      guard row.follows(last) else { return .differs(DataLoss(known: last, found: row.head)) }
      last = row.head
    }
    return .continues(reading.rows)
  }
}

/// A loss of acknowledged rows that cannot be restored.
package struct DataLoss: Error, Sendable, Equatable, CustomStringConvertible {
  /// The acknowledged end of the log.
  package var known: JournalHead
  /// The end of the log that the store has.
  package var found: JournalHead

  package var description: String {
    """
    the log lost acknowledged rows: position \(known.position) was written in epoch \(known.epoch) with the running hash \
    \(known.runningHash), and now position \(found.position) of epoch \(found.epoch) has \(found.runningHash)
    """
  }
}
