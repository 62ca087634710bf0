import CSQLite
import GRDB
import HearthJournal
import Synchronization

/// The open file of a journal: its connections, the owner's lock and mark, and transactions.
final class JournalFile: Sendable {
  let path: String
  /// The findings and repairs of the opening.
  let recovery: JournalRecovery
  let options: SQLiteJournal.Options
  /// The connections; nil while the file is reopened, and once it is closed.
  let connections: Mutex<SQLiteConnections?>
  /// The lock that is held while the file is reopened or closed.
  let reopening = Mutex(())
  let state: Mutex<JournalState>
  /// The owner's lock, held until the file is closed, or to the end of this object.
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
  init(path: String, options: SQLiteJournal.Options) throws(JournalError) {
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
    state = Mutex(
      JournalState(
        head: head, startPosition: recovery.snapshotPosition,
        hasOutbox: try opened.hasOutbox(path: path)))
    self.lock = Mutex(consume lock)
  }

  deinit {
    // No checkpoint is running, because it would retain this object; waiting for one could deadlock, because this may
    // run on its queue.
    if state.withLock({ !$0.isClosed }) { try? release() }
  }

  /// Closes the file.
  ///
  /// - Parameter wait: Called to wait for work on the file that began before.
  func close(after wait: () -> Void) throws(JournalError) {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    guard isFirst else { return }
    wait()
    try reopening.withLock { _ throws(JournalError) in try release() }
  }

  /// Marks a position whose commits are about to be acknowledged.
  func note(_ position: Int64) { mark.withLock { $0.note(position) } }

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
      try? open.pool.writeWithoutTransaction { try emptyLogBeforeClosing($0) }
      try open.pool.close()
    }
  }

  /// Empties SQLite's WAL, so that the file is complete and can be copied by itself. While a reader such as a backup
  /// still uses the WAL, it stays, which does no harm.
  ///
  /// After a failed sync the WAL always stays. The system may have dropped pages of the database file that SQLite
  /// considers durable; SQLite would then move only the rest of the WAL and remove it. The next opening of the journal
  /// moves all of the WAL.
  private func emptyLogBeforeClosing(_ database: Database) throws {
    if state.withLock({ $0.fault == nil }) {
      _ = try Int.fetchOne(database, sql: "PRAGMA busy_timeout = 0")
      do { return try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") } catch {}
    }
    _ = hearth_sqlite_keep_log(database.sqliteConnection)
  }

  // MARK: Transactions

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
          try JournalError.reportingFullDisk(action, path: path) {
            try database.inTransaction(.immediate) {
              value = try body(database)
              return .commit
            }
          }
          // The block above has either set the value or thrown.
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
