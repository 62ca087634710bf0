import CSQLite
import Dispatch
import GRDB
import HearthJournal
import HearthRows
import Synchronization

/// The embedded journal: one SQLite file in WAL mode, every commit synced.
///
/// A group commit is one row, so SQLite's cost is paid for each batch and not for each write. The files beside it are
/// SQLite's `-wal` and `-shm`; `.lock`, which locks the journal for its owner; and `.mark`, see `HighWaterMark`.
public final class SQLiteJournal: Journal {
  /// The options for opening a journal.
  public struct Options: Sendable {
    /// The handling of damage.
    public var recovery: JournalRecovery.Mode

    /// The maximum size of the database file in bytes; nil for no limit. Appends above it fail with `.noSpace`.
    public var sizeBytesMax: Int?

    /// The size of SQLite's `-wal` file in bytes at which its content is moved into the database file.
    public var checkpointBytes: Int

    /// The default options, or others.
    public init(
      recovery: JournalRecovery.Mode = .truncateTornTail, sizeBytesMax: Int? = nil,
      checkpointBytes: Int = 16 << 20
    ) {
      self.recovery = recovery
      self.sizeBytesMax = sizeBytesMax
      self.checkpointBytes = checkpointBytes
    }
  }

  /// The path of the database file.
  public let path: String

  /// The findings and repairs of the opening.
  public let recovery: JournalRecovery

  let options: Options
  /// The connections; nil while the journal is reopened, and once it is closed.
  let connections: Mutex<SQLiteConnections?>
  /// The lock that is held while the journal is reopened or closed.
  let reopening = Mutex(())
  let checkpointQueue: DispatchQueue
  let state: Mutex<JournalState>
  /// The owner's lock, held until `close()` or the end of this object.
  private let lock: Mutex<OwnerLock?>
  private let mark: Mutex<HighWaterMark>

  /// Opens the journal at `path`, which is created when it is missing, verifies it and takes its lock.
  ///
  /// - Parameters:
  ///   - path: The database file. Its folder exists.
  ///   - options: The options for opening it.
  /// - Throws: `.inUse` when another process has it open; `.corrupt` when it is damaged, or ends before the
  ///   acknowledged position, in a way that `options.recovery` does not allow to cut off; `.notAJournal`,
  ///   `.unsupportedFormat`, `.permissionDenied`, `.noSpace`, `.inputOutput`.
  public init(path: String, options: Options = Options()) throws(JournalError) {
    let lock = try OwnerLock(journalPath: path)
    var damages: [JournalRecovery.Damage] = []
    try JournalFileCheck.requireWhole(path)
    if let damage = try JournalFileCheck.inspectLog(path, mode: options.recovery) { damages.append(damage) }
    let reading = try HighWaterMark.read(journalPath: path)
    if let damage = try HighWaterMark.compare(reading, path: path, mode: options.recovery) { damages.append(damage) }
    try WriteAheadLog.writeBack(databasePath: path)
    try PosixFile.createMissing(path)
    let opened = try SQLiteConnections.open(path, options: options)
    let head: JournalHead
    (head, recovery) = try JournalVerification(path: path, mode: options.recovery).run(
      opened.pool, damages: damages)
    connections = Mutex(opened)
    mark = Mutex(try HighWaterMark(journalPath: path, position: head.position, after: reading))
    self.path = path
    self.options = options
    checkpointQueue = DispatchQueue(label: "hearth.journal.checkpoint")
    state = Mutex(
      JournalState(
        head: head, snapshotPosition: recovery.snapshotPosition,
        hasOutbox: try opened.hasOutbox(path: path)))
    self.lock = Mutex(consume lock)
  }

  deinit {
    // No checkpoint is running, because it would retain this object; and this may be its queue.
    if state.withLock({ !$0.isClosed }) { try? release() }
  }

  public func acquire() throws(JournalError) -> JournalHead {
    try writing("taking ownership", as: .owner) { database in
      var head = state.withLock { $0.head }
      let epoch = try Int64.fetchOne(database, sql: "SELECT epoch FROM ownership") ?? 0
      guard epoch < .max else {
        throw JournalError(.corrupt, "the stored epoch cannot grow any more", at: JournalError.Place(file: path))
      }
      head.epoch = epoch + 1
      try database.execute(sql: "UPDATE ownership SET epoch = ?", arguments: [head.epoch])
      try dropEntries(after: head.position, database)
      return head
    } committed: { head in
      state.withLock { $0.head = head }
    }
  }

  public func append(_ batch: JournalBatch, after head: JournalHead) throws(JournalError) -> JournalHead {
    try append(batch, with: [], after: head)
  }

  public func append(
    _ batch: JournalBatch, with entries: [OutboxEntry], after head: JournalHead
  ) throws(JournalError) -> JournalHead {
    try batch.validate(after: head)
    let hash = head.runningHash.appending(batch, epoch: head.epoch)
    let next = JournalHead(epoch: head.epoch, position: batch.lastPosition, runningHash: hash)
    try requireWritable(as: .owner)
    if state.withLock({ $0.takeFound(next, hasEntries: !entries.isEmpty) }) {
      mark.withLock { $0.note(next.position) }
      return next
    }
    try write(batch, with: entries, from: head, to: next)
    noteWritten(entries.reduce(batch.payload.count) { $0 + $1.content.count })
    return next
  }

  private func write(
    _ batch: JournalBatch, with entries: [OutboxEntry], from head: JournalHead, to next: JournalHead
  ) throws(JournalError) {
    let payload = DatabaseValue.blob(batch.payload)
    let hash = next.runningHash
    do {
      try writing("appending a batch", as: .owner) { database in
        try requireCurrent(head)
        let statement = try database.cachedStatement(sql: SQLiteSchema.append)
        try statement.execute(arguments: [
          batch.firstPosition, batch.lastPosition, head.epoch, Int64(bitPattern: hash.rawValue), batch.payload.count,
          payload, head.position,
        ])
        guard database.changesCount == 1 else { throw try refusal(of: head, database) }
        if !entries.isEmpty { try add(entries, database) }
      } committed: { _ in
        state.withLock { state in
          (state.head, state.inDoubt) = (next, nil)
          if !entries.isEmpty { state.hasOutbox = true }
        }
        mark.withLock { $0.note(next.position) }
      }
    } catch {
      if error.leavesOutcomeUnknown { state.withLock { $0.inDoubt = next } }
      throw error
    }
  }

  /// Refuses a head that is not this journal's last.
  private func requireCurrent(_ head: JournalHead) throws(JournalError) {
    let current = state.withLock { $0.head }
    guard current != head else { return }
    if head.epoch < current.epoch { throw .staleEpoch(head.epoch, current: current.epoch, path: path) }
    throw .positionMismatch(head, current: current, path: path)
  }

  /// Returns the reason that the log refused an append.
  private func refusal(of head: JournalHead, _ database: Database) throws -> JournalError {
    let epoch = try Int64.fetchOne(database, sql: "SELECT epoch FROM ownership") ?? 0
    if epoch != head.epoch { return .staleEpoch(head.epoch, current: epoch, path: path) }
    let position = try Int64.fetchOne(database, sql: SQLiteSchema.tail) ?? 0
    return .positionMismatch(
      head, current: JournalHead(epoch: epoch, position: position, runningHash: head.runningHash), path: path)
  }

  public func close() throws(JournalError) {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    guard isFirst else { return }
    // Waits for a running checkpoint.
    checkpointQueue.sync {}
    try reopening.withLock { _ throws(JournalError) in try release() }
  }

  /// Closes the connections and releases the lock.
  private func release() throws(JournalError) {
    defer { lock.withLock { $0 = nil } }
    try disconnect()
    try mark.withLock { mark throws(JournalError) in try mark.synchronize() }
  }

  /// Closes the connections.
  func disconnect() throws(JournalError) {
    let open = connections.withLock { connections in
      defer { connections = nil }
      return connections
    }
    guard let open else { return }
    try JournalError.mapping("closing the journal", path: path) {
      try open.checkpointer.close()
      try? open.pool.writeWithoutTransaction { try settleLog($0) }
      try open.pool.close()
    }
  }

  /// Empties SQLite's log, so that the file is complete and can be copied by itself. While a reader such as a backup
  /// still uses the log, it stays, which does no harm.
  ///
  /// After a failed sync the log always stays. The system may have dropped pages of the database file, and SQLite takes
  /// for durable what it had moved there before: it would move the rest alone, and remove the log. The next opening of
  /// the journal moves all of it.
  private func settleLog(_ database: Database) throws {
    if state.withLock({ $0.fault == nil }) {
      _ = try Int.fetchOne(database, sql: "PRAGMA busy_timeout = 0")
      do { return try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") } catch {}
    }
    _ = hearth_sqlite_keep_log(database.sqliteConnection)
  }
}

extension SQLiteJournal {
  /// Runs one transaction on the writer connection.
  ///
  /// - Parameters:
  ///   - writer: The kind of the write: the owner's appends reopen the journal after a fault; other writes are refused
  ///     until then.
  ///   - committed: Called on the writer's queue once the transaction is durable: a commit may fail although its
  ///     statements succeeded.
  func writing<Value>(
    _ action: String, as writer: Writer = .other, _ body: (Database) throws -> Value,
    committed: (Value) -> Void = { _ in }
  ) throws(JournalError) -> Value {
    try requireWritable(as: writer)
    do {
      return try JournalError.mapping(action, path: path) {
        try pool.writeWithoutTransaction { database in
          var value: Value?
          try JournalError.tellingFullDisks(action, path: path) {
            try database.inTransaction(.immediate) {
              value = try body(database)
              return .commit
            }
          }
          // The block above either set it or threw.
          let done = value!
          committed(done)
          return done
        }
      }
    } catch {
      throw noted(error, of: writer)
    }
  }

  /// Runs `body` on a reader connection, in parallel to appends.
  func reading<Value>(_ action: String, _ body: (Database) throws -> Value) throws(JournalError) -> Value {
    if state.withLock(\.isClosed) { throw closedError }
    do {
      return try JournalError.mapping(action, path: path) { try pool.read(body) }
    } catch {
      throw beingReopened(error)
    }
  }

  var closedError: JournalError { JournalError(.closed, "the journal is closed", at: JournalError.Place(file: path)) }
}
