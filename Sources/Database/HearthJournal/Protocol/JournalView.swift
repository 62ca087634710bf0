/// A consistent view of a journal at one time, read while its owner continues to append; used for backups.
///
/// A view takes no lock and no ownership, and changes nothing. While it is open, the data that it reads stays on the
/// disk, so it should be closed soon. Calls block, and must be sequential.
public protocol JournalView: AnyObject, Sendable {
  /// The end of the log at the time of the view, with the owner's epoch.
  var head: JournalHead { get }

  /// The snapshot that a start would load, or a description of ``checkpoint``; nil when there is neither.
  var snapshot: SnapshotInfo? { get }

  /// The checkpoint that a start would load; nil when it loads a snapshot, or begins with the first batch.
  var checkpoint: Checkpoint? { get }

  /// Calls `body` with the chunks of the state at the position of ``snapshot`` in order, verified against the hashes that
  /// were stored with them.
  ///
  /// - Parameter body: Must not call this view.
  /// - Throws: `.unsupported` for a checkpoint, if the view does not know the files of the journal's owner; `.corrupt`,
  ///   `.inputOutput`, and any error of `body`.
  func forEachChunk(_ body: ([UInt8]) throws -> Void) throws

  /// Calls `body` with every batch that ends after `position`, in order and without gaps; only one batch is in memory
  /// at a time. The first may begin later than right after `position`, when a snapshot has replaced the log before it.
  ///
  /// - Parameter body: Must not call this view; returns false to stop.
  /// - Throws: `.corrupt`, `.inputOutput`, and any error of `body`.
  func forEachLink(after position: Int64, _ body: (JournalLink) throws -> Bool) throws

  /// Calls `body` with every entry of the outbox, one at a time: first waiting entries, then dead ones, both in order
  /// of queue and place.
  ///
  /// - Parameter body: Must not call this view.
  /// - Throws: `.corrupt`, `.inputOutput`, and any error of `body`.
  func forEachEntry(_ body: (ArchivedEntry) throws -> Void) throws

  /// Releases the retained data.
  func close()
}

extension JournalView {
  /// Returns nil, which is right for a storage engine without checkpoints.
  public var checkpoint: Checkpoint? { nil }
}

/// A batch with its epoch and running hash, which link it to the batch before.
public struct JournalLink: Sendable, Equatable {
  /// The batch.
  public var batch: JournalBatch
  /// The owner's epoch at the append.
  public var epoch: Int64
  /// The running hash after the batch.
  public var runningHash: RunningHash

  /// Creates a link.
  public init(batch: JournalBatch, epoch: Int64, runningHash: RunningHash) {
    self.batch = batch
    self.epoch = epoch
    self.runningHash = runningHash
  }

  /// Returns true when the batch continues a log that ends at `position` with the running hash `hash`.
  public func follows(_ position: Int64, _ hash: RunningHash) -> Bool {
    position < .max && batch.firstPosition == position + 1 && batch.lastPosition >= batch.firstPosition
      && hash.appending(batch, epoch: epoch) == runningHash
  }
}

/// A new journal that is restored from a copy of another one: from its snapshot, if there is one, then its batches,
/// then the entries of its outbox.
///
/// The journal must not be used before it is complete.
public protocol JournalRestoration: AnyObject {
  /// Starts with the state after `position`, whose chunks follow. Not called for a log from its beginning.
  func begin(at position: Int64, runningHash: RunningHash) throws(JournalError)

  /// Adds the next chunk of the snapshot.
  func append(chunk: [UInt8]) throws(JournalError)

  /// Adds the next batch.
  ///
  /// - Throws: `.positionMismatch` when it does not follow the one before.
  func append(_ link: JournalLink) throws(JournalError)

  /// Adds an entry of the outbox, after all batches.
  func append(_ entry: ArchivedEntry) throws(JournalError)

  /// Makes the journal durable, then verifies it by opening it as a server would.
  ///
  /// - Parameter epoch: The epoch of its last owner.
  /// - Returns: The end of the log.
  func complete(epoch: Int64) throws(JournalError) -> JournalHead
}

/// A storage engine's interface for backups of journals.
public protocol JournalArchive: Sendable {
  /// Returns the names of all journals in no order.
  func names() throws(JournalError) -> [String]

  /// Returns a view of the journal with that name.
  func view(_ name: String) throws(JournalError) -> any JournalView

  /// Starts the restoration of a journal under an unused name.
  func restoration(_ name: String) throws(JournalError) -> any JournalRestoration
}
