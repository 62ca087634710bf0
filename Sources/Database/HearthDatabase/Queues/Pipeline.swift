import HearthEngine
import HearthJournal

/// The batches that wait to be stored, and the state of storing them.
struct Pipeline: Sendable {
  var status = DatabaseStatus.running
  var head: JournalHead
  var waiting: [Batch] = []
  var waitingBytes = 0
  /// True when the journal queue is running or scheduled.
  var isAwake = false
  /// True when the deciding queue waits for room.
  var isFull = false
  /// The effects that are delivered at once although earlier batches wait for free disk space.
  var early: [Effect] = []
  /// The current stall; nil while the disk accepts batches.
  var stall: Stall?
  /// True when the outcome of the last attempt is unknown: the waiting batches may be stored already.
  var isInDoubt = false
  /// The time of the last log entry about the stall, on the monotonic clock.
  var stallNoticeMonotonicMilliseconds: Int64?

  /// Appends a batch, or lets its effects precede the waiting ones.
  mutating func append(_ batch: Batch, _ turn: Stall.DeliveryOrder) {
    guard stall != nil, !batch.hasCommits else {
      waiting.append(batch)
      waitingBytes += batch.payload.count
      stall?.addRecipients(of: batch.effects)
      return
    }
    if turn == .first || turn == .unlessWaiting && stall?.includesRecipient(of: batch.effects) == false {
      early += batch.effects
    } else {
      stall?.deferDelivery(batch.effects)
      // Its effects are added to the last waiting batch, so that the number of batches stays bounded.
      if waiting.isEmpty { waiting.append(batch) } else { waiting[waiting.count - 1].effects += batch.effects }
    }
  }

  /// Removes and returns the next batches to make durable, no more than one append takes; none during a stall.
  ///
  /// - Parameter isRetry: True to retry during a stall: returns the batches of the last attempt.
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

  init(head: JournalHead) { self.head = head }

  /// Creates the pipeline of a following database, which does not track the end of the log.
  init(following start: ReplicationStart) {
    head = JournalHead(epoch: 0, position: start.position, runningHash: .empty)
  }
}
