import HearthJournal

/// The last acknowledged rows of a log, as a node knows them: an owner's own, and what owners sent to a replica, which
/// they do only when a row is durable.
///
/// With these it is seen that a store lost what it had acknowledged, such as when its failover brings back a server that
/// lacked the last commits; and as long as nobody has built on the shorter log, they are appended to it again.
package struct RowMemory: Sendable {
  private struct Remembered {
    var row: LogRow
    var since: MonotonicInstant
  }

  /// The last row's end.
  package private(set) var head: JournalHead
  /// The place where the log stood before the first row that is remembered.
  private var base: JournalHead
  private var rows: [Remembered] = []
  private var sizeBytes = 0
  private let timing: ClusterTiming

  /// Nothing behind a head that is known, such as a snapshot's.
  init(from head: JournalHead, timing: ClusterTiming) {
    self.head = head
    base = head
    self.timing = timing
  }

  /// Takes note of the next row.
  mutating func append(_ row: LogRow, at now: MonotonicInstant) {
    rows.append(Remembered(row: row, since: now))
    sizeBytes += row.batch.payload.count
    head = row.head
  }

  /// Lets go of rows that are old, or too many.
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
    // A good part at a time: the rest moves.
    guard count > rows.count / 8 else { return }
    base = rows[count - 1].row.head
    sizeBytes = kept
    rows.removeFirst(count)
  }

  /// The rows that come after a head; nil when the memory does not reach back to it, or the log never stood there.
  private func rows(after head: JournalHead) -> [LogRow]? {
    if head == base { return rows.map(\.row) }
    guard let index = rows.lastIndex(where: { $0.row.head == head }) else { return nil }
    return rows[(index + 1)...].map(\.row)
  }

  /// What a log is to what is remembered of it.
  package enum Comparison: Equatable {
    /// It goes on with these rows, each of which follows the one before it.
    case continues([LogRow])
    /// It ends early. These rows were acknowledged and are missing; nil when they are not remembered, or the log ends
    /// elsewhere than they began.
    case lacks([LogRow]?)
    /// It is another log: acknowledged rows are missing, and others are in their place; or it is damaged.
    case differs(DataLoss)
  }

  /// Compares a reading that was asked for at ``head``.
  package func compare(_ reading: LogReading) -> Comparison {
    guard let start = reading.start else {
      // In a later epoch somebody has built on the shorter log.
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

/// The store lost what it had acknowledged, and it cannot be put back.
package struct DataLoss: Error, Sendable, Equatable, CustomStringConvertible {
  /// What was acknowledged.
  package var known: JournalHead
  /// What is there.
  package var found: JournalHead

  package var description: String {
    """
    the log lost acknowledged rows: position \(known.position) was written in epoch \(known.epoch) with the running hash \
    \(known.runningHash), and now position \(found.position) of epoch \(found.epoch) has \(found.runningHash)
    """
  }
}
