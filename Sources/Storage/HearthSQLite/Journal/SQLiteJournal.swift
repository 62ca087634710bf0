import HearthJournal

/// The embedded journal: one SQLite file in WAL mode, every commit synced.
///
/// A group commit is one row, so that SQLite's cost arises for each batch rather than for each write. The files beside
/// it are SQLite's `-wal` and `-shm`; `.lock`, which locks the journal for its owner; and `.mark`, see `HighWaterMark`.
public final class SQLiteJournal: OutboxStoreJournal {
  /// The options for opening a journal.
  public struct Options: Sendable {
    /// The handling of damage.
    public var recovery: JournalRecovery.Mode

    /// The maximum size of the database file in bytes; nil for no limit. Appends above it fail with `.noSpace`.
    public var sizeBytesMax: Int?

    /// The size of SQLite's `-wal` file in bytes at which its content is moved into the database file.
    public var checkpointBytes: Int

    /// Creates options; every omitted one has its default.
    public init(
      recovery: JournalRecovery.Mode = .truncateTornTail, sizeBytesMax: Int? = nil,
      checkpointBytes: Int = 16 << 20
    ) {
      self.recovery = recovery
      self.sizeBytesMax = sizeBytesMax
      self.checkpointBytes = checkpointBytes
    }
  }

  let file: JournalFile
  let checkpointer: LogCheckpointer
  private let log: SQLiteLogReader
  private let snapshotStore: SQLiteSnapshotStore
  private let checkpointStore: SQLiteCheckpointStore
  private let outbox: SQLiteOutboxStore
  private let appender: SQLiteBatchAppender

  /// Opens the journal at `path`, which is created when it is missing, verifies it and takes its lock.
  ///
  /// - Parameters:
  ///   - path: The database file. Its folder exists.
  ///   - options: The options for opening it.
  /// - Throws: `.inUse` when another process has it open; `.corrupt` when it is damaged, or ends before the
  ///   acknowledged position, in a way that `options.recovery` does not allow to cut off; `.notAJournal`,
  ///   `.unsupportedFormat`, `.permissionDenied`, `.noSpace`, `.inputOutput`.
  public init(path: String, options: Options = Options()) throws(JournalError) {
    file = try JournalFile(path: path, options: options)
    checkpointer = LogCheckpointer(file)
    log = SQLiteLogReader(file: file)
    snapshotStore = SQLiteSnapshotStore(file: file, checkpointer: checkpointer)
    checkpointStore = SQLiteCheckpointStore(file: file, checkpointer: checkpointer)
    outbox = SQLiteOutboxStore(file: file, checkpointer: checkpointer)
    appender = SQLiteBatchAppender(file: file, checkpointer: checkpointer, outbox: outbox)
  }

  /// The path of the database file.
  public var path: String { file.path }

  /// The findings and repairs of the opening.
  public var recovery: JournalRecovery { file.recovery }

  public func close() throws(JournalError) { try file.close { checkpointer.wait() } }

  // MARK: Appending

  public func acquire() throws(JournalError) -> JournalHead { try appender.acquire() }

  public func append(
    _ batch: JournalBatch, with entries: [OutboxEntry], after head: JournalHead
  ) throws(JournalError) -> JournalHead {
    try appender.append(batch, with: entries, after: head)
  }

  // MARK: Reading

  public func batches(after position: Int64, sizeBytesMax: Int) throws(JournalError) -> [JournalBatch] {
    try log.batches(after: position, sizeBytesMax: sizeBytesMax)
  }

  public func oldestPosition() throws(JournalError) -> Int64 { try log.oldestPosition() }

  public func logBytes(after position: Int64, through last: Int64) throws(JournalError) -> Int {
    try log.logBytes(after: position, through: last)
  }

  public func reusableBytes() throws(JournalError) -> Int { try log.reusableBytes() }

  // MARK: Snapshots

  public func beginSnapshot(at position: Int64) throws(JournalError) -> SnapshotTicket {
    try snapshotStore.begin(at: position)
  }

  public func appendSnapshotChunk(_ chunk: [UInt8], to ticket: SnapshotTicket) throws(JournalError) {
    try snapshotStore.append(chunk, to: ticket)
  }

  public func completeSnapshot(_ ticket: SnapshotTicket) throws(JournalError) -> SnapshotInfo {
    try snapshotStore.complete(ticket)
  }

  public func abandonSnapshot(_ ticket: SnapshotTicket) throws(JournalError) { try snapshotStore.abandon(ticket) }

  public func currentSnapshot() throws(JournalError) -> SnapshotInfo? { try snapshotStore.current() }

  public func snapshots() throws(JournalError) -> [SnapshotInfo] { try snapshotStore.all() }

  public func snapshotChunk(_ index: Int, of snapshot: SnapshotInfo) throws(JournalError) -> [UInt8] {
    try snapshotStore.chunk(index, of: snapshot)
  }

  public func removeSnapshot(_ snapshot: SnapshotInfo) throws(JournalError) { try snapshotStore.remove(snapshot) }

  // MARK: Checkpoints

  public func completeCheckpoint(at position: Int64, payload: [UInt8]) throws(JournalError) -> Checkpoint {
    try checkpointStore.complete(at: position, payload: payload)
  }

  public func currentCheckpoint() throws(JournalError) -> Checkpoint? { try checkpointStore.current() }

  public func checkpointPositions() throws(JournalError) -> [Int64] {
    try snapshotStore.starts().filter(\.isCheckpoint).map(\.position)
  }

  public func checkpoint(at position: Int64) throws(JournalError) -> Checkpoint? {
    try checkpointStore.checkpoint(at: position)
  }

  public func replaceCheckpoint(at position: Int64, payload: [UInt8]) throws(JournalError) {
    try checkpointStore.replace(at: position, payload: payload)
  }

  public func removeCheckpoint(at position: Int64) throws(JournalError) {
    try checkpointStore.remove(at: position)
  }

  // MARK: History

  public func prune(keepingFrom position: Int64) throws(JournalError) {
    try prune(keepingFrom: position, batchesThrough: .max)
  }

  public func prune(keepingFrom position: Int64, batchesThrough last: Int64) throws(JournalError) {
    try SQLiteLogPruner(file: file, checkpointer: checkpointer, snapshots: snapshotStore)
      .prune(keepingFrom: position, batchesThrough: last)
  }

  public func rewrite(through position: Int64, _ body: (JournalBatch) throws -> BatchRewrite) throws {
    try SQLiteBatchRewriter(file: file, checkpointer: checkpointer, log: log, snapshots: snapshotStore)
      .rewrite(through: position, file: path, body)
    checkpointer.emptyLog()
  }

  // MARK: Outbox

  /// The entries of the outbox.
  public var outboxStore: any OutboxStore { outbox }
}
