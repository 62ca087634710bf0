import HearthJournal

/// The variable state of an open journal, which its components share. Its lock is held only briefly; the writer's queue
/// keeps writes in order.
struct JournalState {
  var head: JournalHead
  /// The fault that keeps the journal from accepting writes; nil when there is none.
  var fault: JournalFault?
  /// The head after the last append if that failed with an unknown outcome; the batch may be in the file.
  var unknownHead: JournalHead?
  /// The head after a failed append that the read-back found in the file: a repetition of the same append is then
  /// acknowledged.
  var found: JournalHead?
  /// The position of the current snapshot or checkpoint; 0 without one.
  var startPosition: Int64
  var isClosed = false
  var snapshot = SnapshotProgress()
  var bytesSinceCheckpoint = 0
  var isCheckpointing = false
  /// True when the tables of the outbox exist.
  var hasOutbox = false

  /// Returns true when a failed append was found in the file, and clears ``found``.
  mutating func takeFound(_ next: JournalHead, hasEntries: Bool) -> Bool {
    guard found == next, head == next else { return false }
    (found, unknownHead, hasOutbox) = (nil, nil, hasOutbox || hasEntries)
    return true
  }

  /// Returns true when the content read back is the acknowledged one. The content may also include the last append,
  /// which was not acknowledged.
  func acknowledges(_ content: JournalReadBack.Content) -> Bool {
    let isKnown = [head, unknownHead].contains { known in
      known.map { $0.position == content.head.position && $0.runningHash == content.head.runningHash } == true
    }
    return isKnown && content.head.epoch >= head.epoch && content.startPosition >= startPosition
  }

  /// Continues with the content read back.
  mutating func reopen(with content: JournalReadBack.Content) {
    if content.head.position != head.position { found = content.head }
    (head, startPosition) = (content.head, content.startPosition)
    (fault, bytesSinceCheckpoint) = (nil, 0)
    snapshot.end()
  }
}
