import HearthJournal

/// Batches on their way to the disk, and how the disk is doing.
struct Pipeline: Sendable {
  var status = DatabaseStatus.running
  var head: JournalHead
  var waiting: [Batch] = []
  var waitingBytes = 0
  /// The journal queue is at work, or about to be.
  var isAwake = false
  /// The deciding queue waits for room.
  var isFull = false
  var bytesSinceSnapshot: Int
  var snapshotBytes: Int
  var isWritingSnapshot = false

  init(head: JournalHead, bytesSinceSnapshot: Int, snapshotBytes: Int) {
    self.head = head
    self.bytesSinceSnapshot = bytesSinceSnapshot
    self.snapshotBytes = snapshotBytes
  }
}
