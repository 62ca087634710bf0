import HearthJournal

/// The outbox of a journal in PostgreSQL. Entries are written by the transaction of their batch, in the same round
/// trip.
struct PostgresOutboxStore: OutboxStore {
  let handle: JournalHandle

  // MARK: Waiting

  func queues() throws(JournalError) -> [String] {
    let found = try handle.run("listing the outbox", [handle.statement(OutboxSQL.queues)])[0]
    return found.rows.indices.compactMap { found.text($0, 0) }
  }

  func waiting(
    _ queue: String, after place: OutboxPlace?, countMax: Int
  ) throws(JournalError) -> [WaitingEntry] {
    let found = try handle.run("reading the outbox", [statement(OutboxSQL.waiting, queue, after: place, countMax)])[0]
    var entries: [WaitingEntry] = []
    for row in found.rows.indices {
      guard let place = found.place(row), let time = found.integer(row, 2), let count = found.integer(row, 3),
        let due = found.integer(row, 4), let lane = found.text(row, 5), let size = found.integer(row, 6)
      else { throw damagedEntry }
      entries.append(
        WaitingEntry(
          place: place, lane: lane, milliseconds: time, attemptCount: Int(clamping: count), dueMilliseconds: due,
          sizeBytes: Int(clamping: size)))
    }
    return entries
  }

  func contents(
    of queue: String, at places: [OutboxPlace]
  ) throws(JournalError) -> [OutboxPlace: [UInt8]] {
    guard !places.isEmpty else { return [:] }
    let found = try handle.run("reading the outbox", places.map { statement(OutboxSQL.content, queue, $0) })
    var contents: [OutboxPlace: [UInt8]] = [:]
    for (place, answer) in zip(places, found) { contents[place] = answer.bytes(0, 0) }
    return contents
  }

  func settle(
    _ changes: [(queue: String, place: OutboxPlace, change: OutboxChange)]
  ) throws(JournalError) {
    guard !changes.isEmpty else { return }
    _ = try handle.run(
      "settling the outbox",
      changes.map { queue, place, change in
        switch change {
        case .done: statement(OutboxSQL.remove, queue, place)
        case .waits(let count, let due):
          statement(OutboxSQL.postpone, queue, place, .integer(Int64(count)), .integer(due))
        case .dead(let reason, let milliseconds):
          statement(OutboxSQL.bury, queue, place, .integer(milliseconds), .utf8(reason))
        }
      })
  }

  func figures(of queue: String) throws(JournalError) -> OutboxFigures {
    let found = try handle.run("counting the outbox", [handle.statement(OutboxSQL.figures, .utf8(queue))])[0]
    var figures = OutboxFigures()
    figures.waitingCount = Int(clamping: found.integer(0, 0) ?? 0)
    figures.waitingBytes = Int(clamping: found.integer(0, 1) ?? 0)
    figures.oldestMilliseconds = found.integer(0, 2)
    figures.deadCount = Int(clamping: found.integer(0, 3) ?? 0)
    figures.deadBytes = Int(clamping: found.integer(0, 4) ?? 0)
    return figures
  }

  // MARK: Dead letters

  func dead(
    _ queue: String, after place: OutboxPlace?, countMax: Int
  ) throws(JournalError) -> [DeadEntry] {
    let found = try handle.run("reading dead letters", [statement(OutboxSQL.dead, queue, after: place, countMax)])[0]
    var entries: [DeadEntry] = []
    for row in found.rows.indices { entries.append(try deadEntry(found, row, content: [])) }
    return entries
  }

  func dead(_ queue: String, at place: OutboxPlace) throws(JournalError) -> DeadEntry? {
    let found = try handle.run("reading a dead letter", [statement(OutboxSQL.oneDead, queue, place)])[0]
    guard !found.rows.isEmpty else { return nil }
    guard let content = found.bytes(0, 7) else { throw damagedEntry }
    return try deadEntry(found, 0, content: content)
  }

  private func deadEntry(
    _ found: PostgresAnswer, _ row: Int, content: [UInt8]
  ) throws(JournalError) -> DeadEntry {
    guard let place = found.place(row), let time = found.integer(row, 2), let count = found.integer(row, 3),
      let dead = found.integer(row, 4), let lane = found.text(row, 5), let reason = found.text(row, 6)
    else { throw damagedEntry }
    return DeadEntry(
      place: place, lane: lane, milliseconds: time, attemptCount: Int(clamping: count), deadMilliseconds: dead,
      reason: reason, content: content)
  }

  func revive(_ queue: String, at place: OutboxPlace?, countMax: Int) throws(JournalError) -> Int {
    let revival =
      place.map { statement(OutboxSQL.revive, queue, $0) }
      ?? handle.statement(OutboxSQL.reviveSome, .utf8(queue), .integer(Int64(countMax)))
    // Not repeatable: a repeated statement would count no entries.
    return try handle.run("replaying dead letters", [revival], isRepeatable: false)[0].count
  }

  func giveUp(_ queue: String, reason: String, milliseconds: Int64) throws(JournalError) -> Int {
    let burial = handle.statement(OutboxSQL.buryAll, .utf8(queue), .integer(milliseconds), .utf8(reason))
    return try handle.run("abandoning a queue", [burial])[0].count
  }

  func removeDead(
    _ queue: String, beforeMilliseconds: Int64, sizeBytesMax: Int
  ) throws(JournalError) -> Int {
    let removal = handle.statement(
      OutboxSQL.removeDead, .utf8(queue), .integer(beforeMilliseconds), .integer(Int64(sizeBytesMax)))
    return try handle.run("removing dead letters", [removal])[0].count
  }

  // MARK: Statements

  private func statement(
    _ sql: PostgresSQL, _ queue: String, _ place: OutboxPlace, _ parameters: PostgresStatement.Parameter...
  ) -> PostgresStatement {
    PostgresStatement(
      sql,
      [.integer(handle.identifier), .utf8(queue), .integer(place.position), .integer(Int64(place.ordinal))] + parameters
    )
  }

  private func statement(
    _ sql: PostgresSQL, _ queue: String, after place: OutboxPlace?, _ countMax: Int
  ) -> PostgresStatement {
    statement(
      sql, queue, place ?? OutboxPlace(position: 0, ordinal: 0), .integer(Int64(max(0, countMax))))
  }

  private var damagedEntry: JournalError {
    JournalError(.corrupt, "an entry of the outbox is malformed", at: handle.place())
  }
}

extension OutboxSQL {
  /// Returns the statements that add entries in a batch's transaction.
  ///
  /// - Parameters:
  ///   - head: The log's head after the batch.
  ///   - journal: The journal's number.
  static func adding(
    _ entries: [OutboxEntry], to batch: JournalBatch, _ head: JournalHead, _ journal: PostgresStatement.Parameter
  ) -> [PostgresStatement] {
    entries.map { entry in
      let parameters: [PostgresStatement.Parameter] = [
        journal, .integer(batch.firstPosition), .integer(head.epoch), .hash(head.runningHash), .utf8(entry.queue),
        .integer(entry.place.position), .integer(Int64(entry.place.ordinal)), .utf8(entry.lane),
        .integer(entry.milliseconds), .bytes(entry.content),
      ]
      guard let reason = entry.deadReason else { return PostgresStatement(add, parameters) }
      return PostgresStatement(addDead, parameters + [.utf8(reason)])
    }
  }
}

extension PostgresStatement.Parameter {
  /// Returns a string as UTF-8 bytes, because PostgreSQL's `text` cannot contain U+0000.
  fileprivate static func utf8(_ text: String) -> Self { .bytes(Array(text.utf8)) }
}

extension PostgresAnswer {
  /// Returns the entry's place from the first two columns.
  fileprivate func place(_ row: Int) -> OutboxPlace? {
    guard let position = integer(row, 0), let ordinal = integer(row, 1).flatMap({ Int32(exactly: $0) }) else {
      return nil
    }
    return OutboxPlace(position: position, ordinal: ordinal)
  }
}
