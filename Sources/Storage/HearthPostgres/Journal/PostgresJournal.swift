import HearthJournal

/// A journal in PostgreSQL: see ``PostgresSchema`` for its rows.
///
/// It relies on no clock. An append is a single statement that writes a row, or none: only for the owner and only after
/// the owner's last row. `acquire()` raises the epoch, which refuses later appends of the previous owner, and then
/// writes a claim row at the end of the log. An append of the previous owner either comes before the claim, and is then
/// part of the log that the new owner continues, or it conflicts with the claim's key and is refused.
public final class PostgresJournal: OutboxStoreJournal {
  let handle: JournalHandle
  let log: PostgresLogReader
  let appender: PostgresBatchAppender
  private let snapshotStore: PostgresSnapshotStore

  /// - Parameter isRegistered: False to read the rows of a journal that another handle in this process has open.
  init(_ engine: PostgresEngine, identifier: Int64, name: String, isRegistered: Bool = true) {
    handle = JournalHandle(engine, identifier: identifier, name: name, isRegistered: isRegistered)
    log = PostgresLogReader(handle)
    appender = PostgresBatchAppender(handle, log)
    snapshotStore = PostgresSnapshotStore(handle, log)
  }

  /// The journal's name in the table.
  public var name: String { handle.name }

  public func close() throws(JournalError) { handle.close() }

  // MARK: Appending

  /// Makes the caller the owner, in two separately committed steps.
  ///
  /// - Throws: The errors of `Journal.acquire()`; `.staleEpoch` when another server became the owner meanwhile.
  public func acquire() throws(JournalError) -> JournalHead { try appender.acquire() }

  public func append(
    _ batch: JournalBatch, with entries: [OutboxEntry], after head: JournalHead
  ) throws(JournalError) -> JournalHead {
    try appender.append(batch, with: entries, after: head)
  }

  // MARK: Reading

  public func batches(after position: Int64, sizeBytesMax: Int) throws(JournalError) -> [JournalBatch] {
    try log.rows(after: position, sizeBytesMax: sizeBytesMax).map(\.batch)
  }

  public func oldestPosition() throws(JournalError) -> Int64 { try log.oldestPosition() }

  public func logBytes(after position: Int64, through last: Int64) throws(JournalError) -> Int {
    try log.logBytes(after: position, through: last)
  }

  // MARK: Snapshots

  public func beginSnapshot(at position: Int64) throws(JournalError) -> SnapshotTicket {
    try snapshotStore.begin(at: position, epoch: appender.epoch)
  }

  public func appendSnapshotChunk(_ chunk: [UInt8], to ticket: SnapshotTicket) throws(JournalError) {
    try snapshotStore.append(chunk, to: ticket)
  }

  public func completeSnapshot(_ ticket: SnapshotTicket) throws(JournalError) -> SnapshotInfo {
    try snapshotStore.complete(ticket)
  }

  public func abandonSnapshot(_ ticket: SnapshotTicket) throws(JournalError) { try snapshotStore.abandon(ticket) }

  public func currentSnapshot() throws(JournalError) -> SnapshotInfo? { try snapshotStore.all().last }

  public func snapshots() throws(JournalError) -> [SnapshotInfo] { try snapshotStore.all() }

  public func snapshotChunk(_ index: Int, of snapshot: SnapshotInfo) throws(JournalError) -> [UInt8] {
    try snapshotStore.chunk(index, of: snapshot)
  }

  /// Removes a snapshot that is not the current one.
  public func removeSnapshot(_ snapshot: SnapshotInfo) throws(JournalError) { try snapshotStore.remove(snapshot) }

  // MARK: History

  public func prune(keepingFrom position: Int64) throws(JournalError) {
    try PostgresLogPruner(handle: handle, snapshots: snapshotStore).prune(keepingFrom: position)
  }

  /// Replaces the content of batches that no restart reads.
  public func rewrite(through position: Int64, _ body: (JournalBatch) throws -> BatchRewrite) throws {
    try PostgresBatchRewriter(handle: handle, log: log, snapshots: snapshotStore)
      .rewrite(through: position, file: handle.file, body)
  }

  // MARK: Outbox

  /// The entries of the outbox.
  public var outboxStore: any OutboxStore { PostgresOutboxStore(handle: handle) }
}
