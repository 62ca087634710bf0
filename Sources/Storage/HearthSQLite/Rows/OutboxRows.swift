import GRDB
import HearthJournal

/// The rows of the outbox, within a transaction.
struct OutboxRows {
  let database: GRDB.Database
  /// The file's path, for errors.
  let path: String

  func queues() throws -> [String] {
    try Row.fetchAll(
      database, sql: "SELECT DISTINCT queue FROM outbox UNION SELECT DISTINCT queue FROM dead_letter"
    ).compactMap { $0.text(0) }
  }

  // MARK: Waiting

  /// Adds waiting entries or dead letters.
  func add(_ entries: [OutboxEntry]) throws {
    let waiting = try database.cachedStatement(sql: OutboxSchema.add)
    for entry in entries {
      let content = DatabaseValue.blob(entry.content)
      guard let reason = entry.deadReason else {
        try waiting.execute(arguments: [
          entry.queue, entry.place.position, entry.place.ordinal, entry.lane, entry.milliseconds, content,
        ])
        continue
      }
      try database.cachedStatement(sql: OutboxSchema.addDead).execute(arguments: [
        entry.queue, entry.place.position, entry.place.ordinal, entry.lane, entry.milliseconds,
        Self.bytes(reason), content,
      ])
    }
  }

  func waiting(_ queue: String, after place: OutboxPlace?, countMax: Int) throws -> [WaitingEntry] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT position, ordinal, milliseconds, attempt_count, due_milliseconds, lane, length(content) FROM outbox
        WHERE queue = ? AND (position, ordinal) > (?, ?) ORDER BY position, ordinal LIMIT ?
        """)
    let arguments: StatementArguments = [queue, place?.position ?? 0, place?.ordinal ?? 0, countMax]
    return try Row.fetchAll(statement, arguments: arguments).map { row in
      guard let place = row.place, let time = row.integer(2), let count = row.integer(3), let due = row.integer(4),
        let lane = row.text(5), let size = row.integer(6)
      else { throw damaged }
      return WaitingEntry(
        place: place, lane: lane, milliseconds: time, attemptCount: Int(clamping: count), dueMilliseconds: due,
        sizeBytes: Int(clamping: size))
    }
  }

  func contents(_ queue: String, at places: [OutboxPlace]) throws -> [OutboxPlace: [UInt8]] {
    let statement = try database.cachedStatement(
      sql: "SELECT content FROM outbox WHERE queue = ? AND position = ? AND ordinal = ?")
    var contents: [OutboxPlace: [UInt8]] = [:]
    for place in places {
      let row = try Row.fetchOne(statement, arguments: [queue, place.position, place.ordinal])
      if let row { contents[place] = row.blob(0) }
    }
    return contents
  }

  func settle(_ queue: String, _ place: OutboxPlace, _ change: OutboxChange) throws {
    let key: StatementArguments = [queue, place.position, place.ordinal]
    switch change {
    case .done: try database.cachedStatement(sql: OutboxSchema.remove).execute(arguments: key)
    case .waits(let count, let due):
      try database.cachedStatement(
        sql: """
          UPDATE outbox SET attempt_count = ?, due_milliseconds = ? WHERE queue = ? AND position = ? AND ordinal = ?
          """
      ).execute(arguments: [count, due] + key)
    case .dead(let reason, let milliseconds):
      try database.cachedStatement(sql: OutboxSchema.bury + " WHERE queue = ? AND position = ? AND ordinal = ?")
        .execute(arguments: [milliseconds, Self.bytes(reason)] + key)
      try database.cachedStatement(sql: OutboxSchema.remove).execute(arguments: key)
    }
  }

  func giveUp(_ queue: String, reason: String, milliseconds: Int64) throws -> Int {
    try database.execute(
      sql: OutboxSchema.bury + " WHERE queue = ?", arguments: [milliseconds, Self.bytes(reason), queue])
    try database.execute(sql: "DELETE FROM outbox WHERE queue = ?", arguments: [queue])
    return database.changesCount
  }

  /// Removes the entries of commits that were cut off.
  func drop(after position: Int64) throws {
    for table in ["outbox", "dead_letter"] {
      try database.execute(sql: "DELETE FROM \(table) WHERE position > ?", arguments: [position])
    }
  }

  func figures(_ queue: String) throws -> OutboxFigures {
    var figures = OutboxFigures()
    let waiting = try Row.fetchOne(
      database, sql: "SELECT count(*), sum(length(content)), min(milliseconds) FROM outbox WHERE queue = ?",
      arguments: [queue])
    figures.waitingCount = Int(clamping: waiting?.integer(0) ?? 0)
    figures.waitingBytes = Int(clamping: waiting?.integer(1) ?? 0)
    figures.oldestMilliseconds = waiting?.integer(2)
    let dead = try Row.fetchOne(
      database, sql: "SELECT count(*), sum(length(content)) FROM dead_letter WHERE queue = ?", arguments: [queue])
    figures.deadCount = Int(clamping: dead?.integer(0) ?? 0)
    figures.deadBytes = Int(clamping: dead?.integer(1) ?? 0)
    return figures
  }

  // MARK: Copies

  /// True when the file has the tables.
  var isThere: Bool { get throws { try database.tableExists("outbox") } }

  /// Adds an entry with its former state. Creates the tables with the first.
  func add(_ entry: ArchivedEntry) throws {
    if try !isThere { try SQLiteSchema.add(OutboxSchema.creation, version: OutboxSchema.version, database) }
    let key: StatementArguments = [
      entry.queue, entry.place.position, entry.place.ordinal, entry.lane, entry.milliseconds, entry.attemptCount,
    ]
    let content = DatabaseValue.blob(entry.content)
    switch entry.state {
    case .waits(let due):
      try database.cachedStatement(sql: OutboxSchema.addKept).execute(arguments: key + [due, content])
    case .dead(let reason, let milliseconds):
      try database.cachedStatement(sql: OutboxSchema.addKeptDead)
        .execute(arguments: key + [milliseconds, Self.bytes(reason), content])
    }
  }

  /// Calls `body` with all entries, in order of queue and place: the waiting ones, then the dead letters.
  func forEach(_ body: (ArchivedEntry) throws -> Void) throws {
    guard try isThere else { return }
    for query in [OutboxSchema.allWaiting, OutboxSchema.allDead] {
      let rows = try Row.fetchCursor(database, sql: query)
      while let row = try rows.next() { try body(try kept(row)) }
    }
  }

  private func kept(_ row: Row) throws -> ArchivedEntry {
    guard let place = row.place, let time = row.integer(2), let count = row.integer(3), let end = row.integer(4),
      let queue = row.text(5), let lane = row.text(6), let content = row.blob(7)
    else { throw damaged }
    let reason = row.blob(8).map { String(decoding: $0, as: UTF8.self) }
    return ArchivedEntry(
      queue: queue, place: place, lane: lane, milliseconds: time, attemptCount: Int(clamping: count), content: content,
      state: reason.map { .dead(reason: $0, milliseconds: end) } ?? .waits(dueMilliseconds: end))
  }

  // MARK: Dead letters

  func dead(_ queue: String, after place: OutboxPlace?, countMax: Int) throws -> [DeadEntry] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT position, ordinal, milliseconds, attempt_count, dead_milliseconds, lane, CAST(reason AS BLOB) FROM dead_letter
        WHERE queue = ? AND (position, ordinal) > (?, ?) ORDER BY position, ordinal LIMIT ?
        """, arguments: [queue, place?.position ?? 0, place?.ordinal ?? 0, countMax]
    ).map { try entry($0, content: []) }
  }

  func dead(_ queue: String, at place: OutboxPlace) throws -> DeadEntry? {
    try Row.fetchOne(
      database,
      sql: """
        SELECT position, ordinal, milliseconds, attempt_count, dead_milliseconds, lane, CAST(reason AS BLOB), content
        FROM dead_letter WHERE queue = ? AND position = ? AND ordinal = ?
        """, arguments: [queue, place.position, place.ordinal]
    ).map { try entry($0, content: $0.blob(7)) }
  }

  private func entry(_ row: Row, content: [UInt8]?) throws -> DeadEntry {
    guard let place = row.place, let time = row.integer(2), let count = row.integer(3), let dead = row.integer(4),
      let lane = row.text(5), let reason = row.blob(6), let content
    else { throw damaged }
    return DeadEntry(
      place: place, lane: lane, milliseconds: time, attemptCount: Int(clamping: count), deadMilliseconds: dead,
      reason: String(decoding: reason, as: UTF8.self), content: content)
  }

  private static func bytes(_ text: String) -> DatabaseValue { .blob(Array(text.utf8)) }

  func revive(_ queue: String, at place: OutboxPlace?, countMax: Int) throws -> Int {
    var (condition, arguments): (String, StatementArguments) = (" WHERE queue = ?", [queue])
    if let place {
      condition += " AND position = ? AND ordinal = ?"
      arguments += [place.position, place.ordinal]
    } else {
      condition += """
         AND (position, ordinal) IN
          (SELECT position, ordinal FROM dead_letter WHERE queue = ? ORDER BY position, ordinal LIMIT ?)
        """
      arguments += [queue, countMax]
    }
    try database.execute(sql: OutboxSchema.revive + condition, arguments: arguments)
    try database.execute(sql: "DELETE FROM dead_letter" + condition, arguments: arguments)
    return database.changesCount
  }

  /// Removes some dead letters from before a time, and the oldest above a total size.
  func removeDead(_ queue: String, beforeMilliseconds: Int64, sizeBytesMax: Int) throws -> Int {
    let excess = try figures(queue).deadBytes - sizeBytesMax
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT position, ordinal, dead_milliseconds, length(content) FROM dead_letter WHERE queue = ?
        ORDER BY dead_milliseconds LIMIT \(SQLiteLimits.pruneStepRows)
        """, arguments: [queue])
    var (count, removedBytes) = (0, 0)
    for row in rows {
      guard let place = row.place, let time = row.integer(2), let size = row.integer(3) else { throw damaged }
      guard time < beforeMilliseconds || removedBytes < excess else { break }
      try database.execute(
        sql: "DELETE FROM dead_letter WHERE queue = ? AND position = ? AND ordinal = ?",
        arguments: [queue, place.position, place.ordinal])
      (count, removedBytes) = (count + 1, removedBytes + Int(clamping: size))
    }
    return count
  }

  private var damaged: JournalError {
    JournalError(.corrupt, "an entry of the outbox is malformed", at: JournalError.Place(file: path))
  }
}

extension Row {
  /// Returns the place in the first two columns.
  fileprivate var place: OutboxPlace? {
    guard let position = integer(0), let ordinal = integer(1).flatMap({ Int32(exactly: $0) }) else { return nil }
    return OutboxPlace(position: position, ordinal: ordinal)
  }
}
