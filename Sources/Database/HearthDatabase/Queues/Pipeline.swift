import HearthEngine
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
  /// The time when the next snapshot is written.
  var snapshots: SnapshotSchedule
  /// What is told at once although batches before it wait for room on the disk.
  var early: [Effect] = []
  /// How waiting for room goes; nil while the disk takes batches.
  var stall: Stall?
  /// Of batches that wait nobody knows whether they are stored.
  var isInDoubt = false
  /// When the log was last told that there is no room, on the monotonic clock.
  var stallNoticeMonotonicMilliseconds: Int64?

  /// Takes a batch in behind the others, or lets its effects go before them.
  mutating func append(_ batch: Batch, _ turn: Stall.Turn) {
    guard stall != nil, !batch.hasCommits else {
      waiting.append(batch)
      waitingBytes += batch.payload.count
      stall?.hold(batch.effects)
      return
    }
    if turn == .first || turn == .ifNotHeld && stall?.holds(batch.effects) == false {
      early += batch.effects
    } else {
      stall?.deferTelling(batch.effects)
      // Together with the last one, so that however many come they are no more batches.
      if waiting.isEmpty { waiting.append(batch) } else { waiting[waiting.count - 1].effects += batch.effects }
    }
  }

  /// Batches to make durable next, no more than one append takes together; none while there is no room for them.
  ///
  /// - Parameter isRetry: Whether it is tried all the same: then those that the last try had.
  mutating func take(sizeBytesMax: Int, isRetry: Bool = false) -> [Batch] {
    guard isRetry || stall == nil else { return [] }
    var (count, sizeBytes) = (0, 0)
    let countMax = min(waiting.count, stall?.groupCount ?? .max)
    while count < countMax, count == 0 || sizeBytes + waiting[count].payload.count <= sizeBytesMax {
      sizeBytes += waiting[count].payload.count
      count += 1
    }
    let batches = Array(waiting.prefix(count))
    waiting.removeFirst(count)
    waitingBytes -= sizeBytes
    return batches
  }

  /// Puts batches back that were not written.
  mutating func putBack(_ batches: [Batch]) {
    waiting.insert(contentsOf: batches, at: 0)
    waitingBytes += batches.reduce(0) { $0 + $1.payload.count }
  }

  init(head: JournalHead, snapshots: SnapshotSchedule) { (self.head, self.snapshots) = (head, snapshots) }

  /// That of a database that follows: where the log ends is not its business.
  init(following start: FollowedStart) {
    head = JournalHead(epoch: 0, position: start.position, runningHash: .empty)
    snapshots = SnapshotSchedule(log: .init(), snapshotBytes: start.snapshotBytes)
  }
}
