/// What a journal held at one moment, read beside its owner, who goes on appending: for backups.
///
/// A view takes no lock and no ownership, and changes nothing. It keeps what it shows from being removed for as long as
/// it is open, which costs room on the disk: not to be kept for long. Calls block, and come one after another.
public protocol JournalView: AnyObject, Sendable {
  /// The place where the log ended. The epoch is that of its owner then.
  var head: JournalHead { get }

  /// The snapshot that a start would have loaded; nil when there was none.
  var snapshot: SnapshotInfo? { get }

  /// One chunk of the snapshot, verified against the hash that was stored with it.
  ///
  /// - Parameter index: from 0 up to the snapshot's `chunkCount`.
  /// - Throws: `.corrupt`, `.inputOutput`.
  func snapshotChunk(_ index: Int) throws(JournalError) -> [UInt8]

  /// Calls `body` with every batch that ends after `position`, in order and without a gap between them, one at a time in
  /// memory. The first may begin later than right after `position`, where a snapshot replaced the log before it.
  ///
  /// - Parameter body: asks nothing of this view.
  /// - Returns: when the log ends, or `body` returned false.
  /// - Throws: `.corrupt`, `.inputOutput`, and what `body` throws.
  func forEachLink(after position: Int64, _ body: (JournalLink) throws -> Bool) throws

  /// Calls `body` with every entry of the outbox, one at a time: those that wait, then those that were given up, both in
  /// order of queue and place.
  ///
  /// - Parameter body: asks nothing of this view.
  /// - Throws: `.corrupt`, `.inputOutput`, and what `body` throws.
  func forEachEntry(_ body: (KeptEntry) throws -> Void) throws

  /// Lets go of what it kept.
  func close()
}

/// A batch with what ties it to the one before it.
public struct JournalLink: Sendable, Equatable {
  /// The batch.
  public var batch: JournalBatch
  /// The ownership under which it was appended.
  public var epoch: Int64
  /// The running hash behind it.
  public var runningHash: RunningHash

  /// A batch in its place.
  public init(batch: JournalBatch, epoch: Int64, runningHash: RunningHash) {
    self.batch = batch
    self.epoch = epoch
    self.runningHash = runningHash
  }

  /// Returns true when it is what followed a log that ended at that position with that hash.
  public func follows(_ position: Int64, _ hash: RunningHash) -> Bool {
    position < .max && batch.firstPosition == position + 1 && batch.lastPosition >= batch.firstPosition
      && hash.appending(batch, epoch: epoch) == runningHash
  }
}

/// A journal that is made anew out of what was kept of another one: its snapshot, if there is one, then its batches, then
/// the entries of its outbox.
///
/// Nothing of it may be used before it is complete.
public protocol JournalRestoration: AnyObject {
  /// Begins with the state after `position`, whose chunks come next. Not called for a log from its beginning.
  func begin(at position: Int64, runningHash: RunningHash) throws(JournalError)

  /// Adds the next chunk of the snapshot.
  func append(chunk: [UInt8]) throws(JournalError)

  /// Adds the next batch.
  ///
  /// - Throws: `.positionMismatch` when it does not follow what is there.
  func append(_ link: JournalLink) throws(JournalError)

  /// Adds an entry of the outbox. All batches are there.
  func append(_ entry: KeptEntry) throws(JournalError)

  /// Makes all of it durable and opens it once as a server would, which verifies it.
  ///
  /// - Parameter epoch: that of its last owner.
  /// - Returns: where the log ends.
  func complete(epoch: Int64) throws(JournalError) -> JournalHead
}

/// An engine that keeps journals, seen by those who keep copies of them.
public protocol JournalArchive: Sendable {
  /// The journals that there are, in no order.
  func names() throws(JournalError) -> [String]

  /// What the journal of that name holds now.
  func view(_ name: String) throws(JournalError) -> any JournalView

  /// A new journal of a name that none has yet.
  func restoration(_ name: String) throws(JournalError) -> any JournalRestoration
}
