import GRDB
import HearthJournal

extension SQLiteJournal: OutboxJournal {
  public func outboxQueues() throws(JournalError) -> [String] {
    try readingOutbox("listing the outbox", or: []) { try $0.queues() }
  }

  public func waitingEntries(
    of queue: String, after place: OutboxPlace?, countMax: Int
  ) throws(JournalError) -> [WaitingEntry] {
    try readingOutbox("reading the outbox", or: []) { try $0.waiting(queue, after: place, countMax: countMax) }
  }

  public func waitingContents(
    of queue: String, at places: [OutboxPlace]
  ) throws(JournalError) -> [OutboxPlace: [UInt8]] {
    try readingOutbox("reading the outbox", or: [:]) { try $0.contents(queue, at: places) }
  }

  public func settle(
    _ changes: [(queue: String, place: OutboxPlace, change: OutboxChange)]
  ) throws(JournalError) {
    guard !changes.isEmpty else { return }
    try writingOutbox("settling the outbox", or: ()) { rows in
      for (queue, place, change) in changes { try rows.settle(queue, place, change) }
    }
    noteWritten(changes.count * SQLiteLimits.settledEntryBytes)
  }

  public func outboxFigures(of queue: String) throws(JournalError) -> OutboxFigures {
    try readingOutbox("counting the outbox", or: OutboxFigures()) { try $0.figures(queue) }
  }

  public func deadEntries(
    of queue: String, after place: OutboxPlace?, countMax: Int
  ) throws(JournalError) -> [DeadEntry] {
    try readingOutbox("reading dead letters", or: []) { try $0.dead(queue, after: place, countMax: countMax) }
  }

  public func deadEntry(of queue: String, at place: OutboxPlace) throws(JournalError) -> DeadEntry? {
    try readingOutbox("reading a dead letter", or: nil) { try $0.dead(queue, at: place) }
  }

  public func revive(_ queue: String, at place: OutboxPlace?, countMax: Int) throws(JournalError) -> Int {
    try writingOutbox("replaying dead letters", or: 0) { try $0.revive(queue, at: place, countMax: countMax) }
  }

  public func giveUp(_ queue: String, reason: String, milliseconds: Int64) throws(JournalError) -> Int {
    try writingOutbox("giving up a queue", or: 0) {
      try $0.giveUp(queue, reason: reason, milliseconds: milliseconds)
    }
  }

  public func removeDeadEntries(
    of queue: String, beforeMilliseconds: Int64, sizeBytesMax: Int
  ) throws(JournalError) -> Int {
    try writingOutbox("removing dead letters", or: 0) {
      try $0.removeDead(queue, beforeMilliseconds: beforeMilliseconds, sizeBytesMax: sizeBytesMax)
    }
  }

  // MARK: In transactions of the log

  /// Adds waiting entries, and creates the tables with the first.
  func add(_ entries: [OutboxEntry], _ database: GRDB.Database) throws {
    if !hasOutbox, try !database.tableExists("outbox") {
      try SQLiteSchema.add(OutboxSchema.creation, version: OutboxSchema.version, database)
    }
    try OutboxRows(database: database, path: path).add(entries)
  }

  /// Removes the entries of commits that were cut off.
  func dropEntries(after position: Int64, _ database: GRDB.Database) throws {
    if hasOutbox { try OutboxRows(database: database, path: path).drop(after: position) }
  }

  private var hasOutbox: Bool { state.withLock { $0.hasOutbox } }

  private func readingOutbox<Value>(
    _ action: String, or nothing: Value, _ body: (OutboxRows) throws -> Value
  ) throws(JournalError) -> Value {
    guard hasOutbox else { return nothing }
    return try reading(action) { try body(OutboxRows(database: $0, path: path)) }
  }

  private func writingOutbox<Value>(
    _ action: String, or nothing: Value, _ body: (OutboxRows) throws -> Value
  ) throws(JournalError) -> Value {
    guard hasOutbox else { return nothing }
    return try writing(action) { try body(OutboxRows(database: $0, path: path)) }
  }
}
