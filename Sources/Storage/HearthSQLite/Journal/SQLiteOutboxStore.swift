import GRDB
import HearthJournal

/// The outbox of a journal in SQLite. Its tables are created with the first entry.
struct SQLiteOutboxStore: OutboxStore {
  let file: JournalFile
  let checkpointer: LogCheckpointer

  func queues() throws(JournalError) -> [String] {
    try reading("listing the outbox", or: []) { try $0.queues() }
  }

  func waiting(
    _ queue: String, after place: OutboxPlace?, countMax: Int
  ) throws(JournalError) -> [WaitingEntry] {
    try reading("reading the outbox", or: []) { try $0.waiting(queue, after: place, countMax: countMax) }
  }

  func contents(
    of queue: String, at places: [OutboxPlace]
  ) throws(JournalError) -> [OutboxPlace: [UInt8]] {
    try reading("reading the outbox", or: [:]) { try $0.contents(queue, at: places) }
  }

  func settle(
    _ changes: [(queue: String, place: OutboxPlace, change: OutboxChange)]
  ) throws(JournalError) {
    guard !changes.isEmpty else { return }
    try writing("settling the outbox", or: ()) { rows in
      for (queue, place, change) in changes { try rows.settle(queue, place, change) }
    }
    checkpointer.noteWritten(changes.count * SQLiteLimits.settledEntryBytes)
  }

  func figures(of queue: String) throws(JournalError) -> OutboxFigures {
    try reading("counting the outbox", or: OutboxFigures()) { try $0.figures(queue) }
  }

  func dead(
    _ queue: String, after place: OutboxPlace?, countMax: Int
  ) throws(JournalError) -> [DeadEntry] {
    try reading("reading dead letters", or: []) { try $0.dead(queue, after: place, countMax: countMax) }
  }

  func dead(_ queue: String, at place: OutboxPlace) throws(JournalError) -> DeadEntry? {
    try reading("reading a dead letter", or: nil) { try $0.dead(queue, at: place) }
  }

  func revive(_ queue: String, at place: OutboxPlace?, countMax: Int) throws(JournalError) -> Int {
    try writing("replaying dead letters", or: 0) { try $0.revive(queue, at: place, countMax: countMax) }
  }

  func giveUp(_ queue: String, reason: String, milliseconds: Int64) throws(JournalError) -> Int {
    try writing("abandoning a queue", or: 0) {
      try $0.giveUp(queue, reason: reason, milliseconds: milliseconds)
    }
  }

  func removeDead(
    _ queue: String, beforeMilliseconds: Int64, sizeBytesMax: Int
  ) throws(JournalError) -> Int {
    try writing("removing dead letters", or: 0) {
      try $0.removeDead(queue, beforeMilliseconds: beforeMilliseconds, sizeBytesMax: sizeBytesMax)
    }
  }

  // MARK: In transactions of the log

  /// Adds waiting entries, and creates the tables before the first one.
  func add(_ entries: [OutboxEntry], _ database: GRDB.Database) throws {
    if !hasOutbox, try !database.tableExists("outbox") {
      try SQLiteSchema.add(OutboxSchema.creation, version: OutboxSchema.version, database)
    }
    try OutboxRows(database: database, path: file.path).add(entries)
  }

  /// Removes the entries of commits that were cut off as damaged.
  func dropEntries(after position: Int64, _ database: GRDB.Database) throws {
    if hasOutbox { try OutboxRows(database: database, path: file.path).drop(after: position) }
  }

  private var hasOutbox: Bool { file.state.withLock { $0.hasOutbox } }

  private func reading<Value>(
    _ action: String, or nothing: Value, _ body: (OutboxRows) throws -> Value
  ) throws(JournalError) -> Value {
    guard hasOutbox else { return nothing }
    return try file.reading(action) { try body(OutboxRows(database: $0, path: file.path)) }
  }

  private func writing<Value>(
    _ action: String, or nothing: Value, _ body: (OutboxRows) throws -> Value
  ) throws(JournalError) -> Value {
    guard hasOutbox else { return nothing }
    return try file.writing(action) { try body(OutboxRows(database: $0, path: file.path)) }
  }
}
