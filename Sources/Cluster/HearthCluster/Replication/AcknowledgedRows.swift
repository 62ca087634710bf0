import HearthJournal

/// The last acknowledged rows of a log: an owner's own, and those that owners sent to a replica once they were durable.
///
/// They show that a store lost acknowledged rows, such as when a failover promotes a server that lacked the last
/// commits. Until a later row builds on the shorter log, they are appended to it again.
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

  /// An empty memory from a known head, such as that of a snapshot.
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
    // Removes a good part at a time, because the rest is moved.
    guard count > rows.count / 8 else { return }
    base = rows[count - 1].row.head
    sizeBytes = kept
    rows.removeFirst(count)
  }

  /// Returns the rows after a head; nil when they are not remembered, or the log never had that head.
  private func rows(after head: JournalHead) -> [LogRow]? {
    if head == base { return rows.map(\.row) }
    guard let index = rows.lastIndex(where: { $0.row.head == head }) else { return nil }
    return rows[(index + 1)...].map(\.row)
  }

  /// The result of comparing a log with the remembered rows.
  package enum Comparison: Equatable {
    /// The log continues with these rows, each of which follows the one before it.
    case continues([LogRow])
    /// The log ends early and lacks these acknowledged rows; nil when they are not remembered, or the log ends before
    /// the first remembered one.
    case lacks([LogRow]?)
    /// The log differs: acknowledged rows are missing and others are in their place; or it is damaged.
    case differs(DataLoss)
  }

  /// Compares a reading that was requested at ``head``.
  package func compare(_ reading: LogReading) -> Comparison {
    guard let start = reading.start else {
      // In a later epoch, rows of another owner build on the shorter log.
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
