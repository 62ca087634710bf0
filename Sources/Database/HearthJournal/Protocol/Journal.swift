/// The durable, ordered log of one database's commits, with snapshots or checkpoints that bound the length of a
/// restart's replay. A snapshot contains a state; a checkpoint states where its owner has stored one.
///
/// Batches that a snapshot or checkpoint covers may be retained for reads of the history: see ``prune(keepingFrom:)``.
/// A restart always begins at the one with the highest position, and at a checkpoint if both have the same.
///
/// The journal does not interpret its content: a batch is a range of positions and the engine's bytes for them. It
/// guarantees order and durability, and it reports damage.
///
/// One database has one owner. `acquire()` makes the caller the owner and raises the epoch; from then on the log itself
/// refuses appends of an earlier owner with `.staleEpoch`.
///
/// Calls block until they are complete, and may come from any thread. Appends belong to one owner and are sequential; a
/// snapshot may be written from another thread during appends.
public protocol Journal: AnyObject, Sendable {
  /// Makes the caller the owner, durably, and returns the end of the log.
  ///
  /// - Throws: `.inputOutput`, `.noSpace`, `.corrupt`, `.closed`.
  func acquire() throws(JournalError) -> JournalHead

  /// Appends a batch, which is durable when the call returns.
  ///
  /// - Parameters:
  /// - batch: The batch; its `firstPosition` is `head.position + 1`.
  /// - head: The result of the last `append` or `acquire`.
  /// - Returns: The new head.
  /// - Throws: `.staleEpoch` when there is a newer owner; `.positionMismatch` when the log does not end at `head` or
  ///   the batch does not start right after it; `.tooLarge`; `.noSpace`, after which nothing was written and the same
  ///   call may be repeated; `.unavailable` and `.diskFault`, after which the outcome is unknown, and the same call
  ///   with the same batch may be repeated until it succeeds; `.inputOutput`, after which the outcome is unknown until
  ///   the next start, and every later append is refused with `.failed`.
  func append(_ batch: JournalBatch, after head: JournalHead) throws(JournalError) -> JournalHead

  /// Reads batches in order, beginning with the one that contains `position + 1`.
  ///
  /// - Parameters:
  /// - position: The last position that the caller already has; such as that of the snapshot, or 0.
  /// - sizeBytesMax: The most payload bytes in total; reading stops before a batch that would exceed it, except the
  ///   first.
  /// - Returns: Batches without gaps; empty at the end of the log. A batch that straddles `position` is returned whole.
  /// - Throws: `.pruned` when that part of the log was pruned; `.corrupt`; `.inputOutput`.
  func batches(after position: Int64, sizeBytesMax: Int) throws(JournalError) -> [JournalBatch]

  /// Starts a snapshot of the state after `position`, and abandons an unfinished one.
  ///
  /// - Parameter position: The end of any durable batch, the position of a retained snapshot, or 0.
  /// - Throws: `.positionMismatch` when no batch ends there; `.inputOutput`, `.noSpace`.
  func beginSnapshot(at position: Int64) throws(JournalError) -> SnapshotTicket

  /// Adds the next chunk in a small transaction, so that appends wait for one chunk at most. An error abandons the
  /// snapshot.
  ///
  /// - Throws: `.snapshotAbandoned` when a later snapshot was started or this one was abandoned; `.tooLarge`, which
  ///   alone leaves the snapshot unchanged; `.inputOutput`, `.noSpace`.
  func appendSnapshotChunk(_ chunk: [UInt8], to ticket: SnapshotTicket) throws(JournalError)

  /// Makes the snapshot the current one, atomically and durably. Readers cannot see it before.
  ///
  /// - Throws: `.snapshotAbandoned`; `.inputOutput`, `.noSpace`.
  func completeSnapshot(_ ticket: SnapshotTicket) throws(JournalError) -> SnapshotInfo

  /// Abandons a snapshot and frees its chunks. Unknown tickets are ignored.
  func abandonSnapshot(_ ticket: SnapshotTicket) throws(JournalError)

  /// Makes a checkpoint the current one, atomically and durably. One at the same position is replaced; older ones, and
  /// snapshots, stay until they are pruned or removed.
  ///
  /// After an error with an unknown outcome, the call may be repeated, and is refused until the owner's next append.
  ///
  /// - Parameters:
  /// - position: The end of any durable batch after the current snapshot and checkpoint, the position of one of them,
  ///   or 0.
  /// - payload: 1 to ``JournalLimits/checkpointBytesMax`` bytes in the format of the owner.
  /// - Throws: `.positionMismatch` when no batch ends there, or the current start is newer; `.tooLarge`; `.unsupported`
  ///   when the storage engine has no checkpoints; `.inputOutput`, `.diskFault`, `.noSpace`.
  func completeCheckpoint(at position: Int64, payload: [UInt8]) throws(JournalError) -> Checkpoint

  /// Returns the checkpoint that a restart loads; nil when it loads a snapshot, or begins with the first batch.
  ///
  /// - Throws: `.corrupt`, `.inputOutput`.
  func currentCheckpoint() throws(JournalError) -> Checkpoint?

  /// Returns the positions of the retained checkpoints, oldest first.
  ///
  /// - Throws: `.corrupt`, `.inputOutput`.
  func checkpointPositions() throws(JournalError) -> [Int64]

  /// Returns the retained checkpoint at a position; nil when there is none.
  ///
  /// - Throws: `.corrupt`, `.inputOutput`.
  func checkpoint(at position: Int64) throws(JournalError) -> Checkpoint?

  /// Replaces the content of a retained checkpoint, atomically and durably. Has no effect when there is none at that
  /// position.
  ///
  /// - Throws: `.tooLarge`; `.corrupt`, `.inputOutput`, `.noSpace`.
  func replaceCheckpoint(at position: Int64, payload: [UInt8]) throws(JournalError)

  /// Removes a retained checkpoint other than the current one. Has no effect when there is none at that position.
  ///
  /// - Throws: `.positionMismatch` for the current one; `.corrupt`, `.inputOutput`, `.noSpace`.
  func removeCheckpoint(at position: Int64) throws(JournalError)

  /// Returns the snapshot that a restart loads, or nil before the first one.
  ///
  /// - Throws: `.unsupported` when it loads a checkpoint; `.corrupt`, `.inputOutput`.
  func currentSnapshot() throws(JournalError) -> SnapshotInfo?

  /// Returns the retained snapshots, oldest first; the last one is the current unless a restart loads a checkpoint.
  ///
  /// - Throws: `.corrupt`, `.inputOutput`.
  func snapshots() throws(JournalError) -> [SnapshotInfo]

  /// Returns the oldest position whose state can be reconstructed: that of the oldest retained snapshot or
  /// checkpoint, or 0 when the log is complete from its first batch.
  ///
  /// - Throws: `.corrupt`, `.inputOutput`.
  func oldestPosition() throws(JournalError) -> Int64

  /// Returns the approximate disk usage in bytes of the batches that end after `position` and at or before `last`:
  /// their payloads, with an overhead for each. The time grows with the number of batches.
  ///
  /// - Throws: `.inputOutput`.
  func logBytes(after position: Int64, through last: Int64) throws(JournalError) -> Int

  /// Returns one chunk of a completed snapshot, verified against the hash that was stored with it.
  ///
  /// - Parameter index: The chunk's index, from 0 up to `snapshot.chunkCount`.
  /// - Throws: `.corrupt`; `.snapshotAbandoned` when the snapshot was pruned; `.inputOutput`.
  func snapshotChunk(_ index: Int, of snapshot: SnapshotInfo) throws(JournalError) -> [UInt8]

  /// Removes data that only states before a position need: snapshots and checkpoints older than the newest one at or
  /// before it, and the batches that this one covers. The data for a restart stays. Works in small steps, so that
  /// appends continue meanwhile; may be interrupted at any point and called again.
  ///
  /// - Parameter position: The first state to retain; `Int64.max` retains only the data for restarts.
  /// - Throws: `.inputOutput`, `.noSpace`.
  func prune(keepingFrom position: Int64) throws(JournalError)

  /// Removes data that only states before a position need, like ``prune(keepingFrom:)``, but of the batches only those
  /// that end at or before another position: later ones stay for backups.
  ///
  /// - Throws: `.inputOutput`, `.noSpace`.
  func prune(keepingFrom position: Int64, batchesThrough last: Int64) throws(JournalError)

  /// Returns the free bytes within the file, as after pruning, which are reused before the file grows.
  ///
  /// - Throws: `.inputOutput`, `.closed`.
  func reusableBytes() throws(JournalError) -> Int

  /// Replaces the content of retained batches that end at or before a position, which no restart reads. Their positions
  /// stay the same, and so do all other batches, snapshots, and the head with its running hash. The earlier content is
  /// lost. Works in small steps, so that appends continue meanwhile; may be interrupted at any point and called again.
  /// It must not run at the same time as pruning or the writing of snapshots.
  ///
  /// - Parameters:
  /// - position: The last position, at or before that of the current snapshot or checkpoint.
  /// - body: Called with each batch in order; may read other batches of this journal. When it throws, the batches since
  ///   the last complete one stay unchanged.
  /// - Throws: `.positionMismatch` for a later position; `.corrupt` for a damaged batch, which stays unchanged;
  ///   `.inputOutput`, `.noSpace`; any error of `body`.
  func rewrite(through position: Int64, _ body: (JournalBatch) throws -> BatchRewrite) throws

  /// Removes one completed snapshot other than the current one.
  ///
  /// - Throws: `.positionMismatch` for the current one; `.inputOutput`, `.noSpace`.
  func removeSnapshot(_ snapshot: SnapshotInfo) throws(JournalError)

  /// Releases files and ownership. Later calls fail with `.closed`.
  func close() throws(JournalError)
}

extension Journal {
  /// Removes all batches that no start needs, which is right for a storage engine without checkpoints.
  public func prune(keepingFrom position: Int64, batchesThrough last: Int64) throws(JournalError) {
    try prune(keepingFrom: position)
  }

  /// Returns 0, which is right for a journal without a file.
  public func reusableBytes() throws(JournalError) -> Int { 0 }

  /// Refuses a checkpoint, which is right for a storage engine that has none.
  public func completeCheckpoint(at position: Int64, payload: [UInt8]) throws(JournalError) -> Checkpoint {
    throw JournalError(
      .unsupported, "the storage engine of this journal has no checkpoints", at: JournalError.Place(position: position))
  }

  /// Returns nil, which is right for a storage engine without checkpoints.
  public func currentCheckpoint() throws(JournalError) -> Checkpoint? { nil }

  /// Returns no position, which is right for a storage engine without checkpoints.
  public func checkpointPositions() throws(JournalError) -> [Int64] { [] }

  /// Returns nil, which is right for a storage engine without checkpoints.
  public func checkpoint(at position: Int64) throws(JournalError) -> Checkpoint? { nil }

  /// Does nothing, which is right for a storage engine without checkpoints.
  public func replaceCheckpoint(at position: Int64, payload: [UInt8]) throws(JournalError) {}

  /// Does nothing, which is right for a storage engine without checkpoints.
  public func removeCheckpoint(at position: Int64) throws(JournalError) {}

  /// Removes the batches, snapshots and checkpoints that the current start makes redundant.
  ///
  /// - Throws: The errors of ``prune(keepingFrom:)``.
  public func prune() throws(JournalError) { try prune(keepingFrom: .max) }

  /// Calls `body` with every batch after `position`, with a bounded number of bytes in memory at a time.
  ///
  /// - Throws: The errors of `batches(after:sizeBytesMax:)` and of `body`.
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
  /// - Throws: The errors of `snapshotChunk(_:of:)` and of `body`.
  public func forEachChunk(of snapshot: SnapshotInfo, _ body: ([UInt8]) throws -> Void) throws {
    for index in 0..<snapshot.chunkCount {
      try body(snapshotChunk(index, of: snapshot))
    }
  }
}
