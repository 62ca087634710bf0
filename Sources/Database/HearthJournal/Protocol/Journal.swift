/// The durable, ordered log of one database's commits, with snapshots that bound how much of it a restart replays.
///
/// What a snapshot covers may be kept all the same, for as long as somebody wants to look back: see
/// ``prune(keepingFrom:)``. A restart begins at the current snapshot, whatever is kept before it.
///
/// The journal knows nothing of what it stores: a batch is a run of positions and the bytes that the engine wrote for
/// them. What it promises is order, durability and honesty about damage.
///
/// One database has one owner. `acquire()` makes the caller that owner and raises the epoch; whoever owned it before
/// has its appends refused with `.staleEpoch` from then on, by the log itself.
///
/// Calls block until they are done, and may come from any thread. Appends are one owner's and come one after another;
/// a snapshot may be written from another thread while appends go on.
public protocol Journal: AnyObject, Sendable {
  /// Makes the caller the owner, durably, and returns where the log stands.
  ///
  /// - Throws: `.inputOutput`, `.noSpace`, `.corrupt`, `.closed`.
  func acquire() throws(JournalError) -> JournalHead

  /// Appends a batch; it is durable when the call returns.
  ///
  /// - Parameters:
  ///   - batch: Its `firstPosition` is `head.position + 1`.
  ///   - head: What the last `append` or `acquire` returned.
  /// - Returns: The new head.
  /// - Throws: `.staleEpoch` when there is a newer owner; `.positionMismatch` when the log does not end at `head` or
  ///   the batch does not start right after it; `.tooLarge`; `.noSpace`, after which nothing was written and the same
  ///   call may be tried again; `.unavailable` and `.diskFault`, after which it is not known whether the batch is there, and the same call,
  ///   with the same batch, may be tried again until that is known; `.inputOutput`, after which nobody knows whether the batch will be there at the next
  ///   start: every later append is refused with `.failed`.
  func append(_ batch: JournalBatch, after head: JournalHead) throws(JournalError) -> JournalHead

  /// Reads batches in order, beginning with the one that holds `position + 1`.
  ///
  /// - Parameters:
  ///   - position: The last position the caller already has; that of the snapshot, or 0.
  ///   - sizeBytesMax: The reading stops before a batch that would pass this many payload bytes in total; the first
  ///     batch is returned whatever its size.
  /// - Returns: Batches without a gap between them; empty at the end of the log. A batch that straddles `position` is
  ///   returned whole.
  /// - Throws: `.pruned` when that part of the log was pruned; `.corrupt`; `.inputOutput`.
  func batches(after position: Int64, sizeBytesMax: Int) throws(JournalError) -> [JournalBatch]

  /// Starts a snapshot of the state after `position`, and abandons one that was under way.
  ///
  /// - Parameter position: Where a durable batch ends (not only the last), where a kept snapshot stands, or 0.
  /// - Throws: `.positionMismatch` when no batch ends there; `.inputOutput`, `.noSpace`.
  func beginSnapshot(at position: Int64) throws(JournalError) -> SnapshotTicket

  /// Adds the next chunk, in a small transaction of its own, so that appends wait for one chunk at most. When it
  /// throws, the snapshot is given up.
  ///
  /// - Throws: `.snapshotAbandoned` when a later snapshot was begun or this one was given up; `.tooLarge`, which alone
  ///   leaves the snapshot as it was; `.inputOutput`, `.noSpace`.
  func appendSnapshotChunk(_ chunk: [UInt8], to ticket: SnapshotTicket) throws(JournalError)

  /// Makes the snapshot the current one: all of it, durably, in one step. Before that it does not exist for a reader.
  ///
  /// - Throws: `.snapshotAbandoned`; `.inputOutput`, `.noSpace`.
  func completeSnapshot(_ ticket: SnapshotTicket) throws(JournalError) -> SnapshotInfo

  /// Gives a snapshot up and frees its chunks. Unknown tickets are ignored.
  func abandonSnapshot(_ ticket: SnapshotTicket) throws(JournalError)

  /// The snapshot that a restart loads; nil before the first one.
  func currentSnapshot() throws(JournalError) -> SnapshotInfo?

  /// The completed snapshots that are kept, oldest first; the last one is the current.
  ///
  /// - Throws: `.corrupt`, `.inputOutput`.
  func snapshots() throws(JournalError) -> [SnapshotInfo]

  /// The oldest position whose state can be put together: where the oldest snapshot that is kept stands, or 0 when the
  /// log is there from its first batch on.
  ///
  /// - Throws: `.corrupt`, `.inputOutput`.
  func oldestPosition() throws(JournalError) -> Int64

  /// What the batches that end after one position, and not after another, take on the disk, roughly: their payloads, and
  /// something for each of them. Looks at each, so that it takes a while for many.
  ///
  /// - Throws: `.inputOutput`.
  func logBytes(after position: Int64, through last: Int64) throws(JournalError) -> Int

  /// One chunk of a completed snapshot, verified against the hash that was stored with it.
  ///
  /// - Parameter index: From 0 up to `snapshot.chunkCount`.
  /// - Throws: `.corrupt`; `.snapshotAbandoned` when the snapshot was pruned; `.inputOutput`.
  func snapshotChunk(_ index: Int, of snapshot: SnapshotInfo) throws(JournalError) -> [UInt8]

  /// Removes what only states before a position need: snapshots older than the newest one at or before it, and the
  /// batches that this one covers. The current snapshot and the log after it stay. Works in small steps, so that appends
  /// go on meanwhile; may be interrupted at any point and called again.
  ///
  /// - Parameter position: the first state that is still wanted; `Int64.max` keeps none that no restart needs.
  /// - Throws: `.inputOutput`, `.noSpace`.
  func prune(keepingFrom position: Int64) throws(JournalError)

  /// What of its file holds nothing any more, as after pruning, and is written to before the file grows; in bytes.
  ///
  /// - Throws: `.inputOutput`, `.closed`.
  func reusableBytes() throws(JournalError) -> Int

  /// Writes the content of batches anew that no restart reads: those that are kept and end at or before a position. Their
  /// positions stay, and so do all other batches, snapshots, and the head with its running hash. What they held before is
  /// not kept. Works in small steps, so that appends go on meanwhile; may be interrupted at any point and called again.
  /// Comes after or before pruning and the writing of snapshots, not beside them.
  ///
  /// - Parameters:
  ///   - position: at or before the current snapshot's.
  ///   - body: gets each batch in order, and may ask this journal for others. When it throws, the batches since the last
  ///     one that stands for itself stay as they were.
  /// - Throws: `.positionMismatch` for a later position; `.corrupt` for a batch that is not what was written, which stays as
  ///   it is; `.inputOutput`, `.noSpace`; what `body` throws.
  func rewrite(through position: Int64, _ body: (JournalBatch) throws -> BatchRewrite) throws

  /// Removes one completed snapshot that is not the current one.
  ///
  /// - Throws: `.positionMismatch` for the current one; `.inputOutput`, `.noSpace`.
  func removeSnapshot(_ snapshot: SnapshotInfo) throws(JournalError)

  /// Releases files and ownership. Later calls fail with `.closed`.
  func close() throws(JournalError)
}

extension Journal {
  /// A journal without a file has none.
  public func reusableBytes() throws(JournalError) -> Int { 0 }

  /// Removes what the current snapshot made superfluous: the batches it covers and older snapshots.
  ///
  /// - Throws: What ``prune(keepingFrom:)`` throws.
  public func prune() throws(JournalError) { try prune(keepingFrom: .max) }

  /// Calls `body` with every batch after `position`, a bounded number of bytes in memory at a time.
  ///
  /// - Throws: What `batches(after:sizeBytesMax:)` throws, and what `body` throws.
  public func forEachBatch(after position: Int64, _ body: (JournalBatch) throws -> Void) throws {
    var position = position
    while true {
      let batches = try batches(after: position, sizeBytesMax: JournalLimits.readBytes)
      guard let last = batches.last else { return }
      for batch in batches {
        try body(batch)
      }
      position = last.lastPosition
    }
  }

  /// Calls `body` with every chunk of a snapshot in order.
  ///
  /// - Throws: What `snapshotChunk(_:of:)` throws, and what `body` throws.
  public func forEachChunk(of snapshot: SnapshotInfo, _ body: ([UInt8]) throws -> Void) throws {
    for index in 0..<snapshot.chunkCount {
      try body(snapshotChunk(index, of: snapshot))
    }
  }
}
