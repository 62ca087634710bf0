import HearthJournal

/// The journals of one collection in a PostgreSQL.
public struct PostgresJournals: JournalFactory {
  private let engine: PostgresEngine
  private let collection: String

  init(_ engine: PostgresEngine, _ collection: String) { (self.engine, self.collection) = (engine, collection) }

  /// Opens the journal of that name, or makes it. Whoever owned it before goes on owning it until `acquire()`.
  public func open(_ name: String) throws(JournalError) -> OpenedJournal {
    let full = try key(name)
    let found = try engine.run(
      "opening the journal \(name)", 0,
      [
        PostgresStatement(
          PostgresSQL(
            """
            INSERT INTO journal (name, epoch, confirmed_position, last_snapshot) VALUES ($1::text, 0, 0, 0)
            ON CONFLICT DO NOTHING
            """),
          [.text(full)]),
        PostgresStatement(Self.find, [.text(full)]),
      ], isRepeatable: true)
    guard let identifier = found[1].integer(0, 0) else {
      throw JournalError(.inputOutput, "the journal \(name) was removed while it was opened")
    }
    guard engine.enter(identifier) else {
      throw JournalError(.inUse, "the journal \(name) is open in this process already")
    }
    return OpenedJournal(PostgresJournal(engine, identifier: identifier, name: full))
  }

  /// The names of the collection's journals.
  public func names() throws(JournalError) -> [String] {
    let found = try engine.run(
      "listing journals", 0,
      [
        PostgresStatement(
          PostgresSQL("SELECT name FROM journal WHERE starts_with(name, $1::text)"), [.text(collection)])
      ], isRepeatable: true)
    let start = collection.utf8.count
    return found[0].rows.compactMap { row in
      row.first.flatMap { $0 }.map { String(decoding: $0.dropFirst(start), as: UTF8.self) }
    }
  }

  /// Removes all rows of the journal of that name, in small steps. An owner elsewhere is refused from the first on.
  public func remove(_ name: String) throws(JournalError) {
    let full = try key(name)
    let action = "removing the journal \(name)"
    let found = try engine.run(action, 0, [PostgresStatement(Self.find, [.text(full)])], isRepeatable: true)
    guard let identifier = found[0].integer(0, 0) else { return }
    guard engine.enter(identifier) else {
      throw JournalError(.inUse, "the journal \(name) is open in this process")
    }
    defer { engine.leave(identifier) }
    let journal = [PostgresStatement.Parameter.integer(identifier)]
    _ = try engine.run(action, identifier, [PostgresStatement(BatchSQL.raiseEpoch, journal)], isRepeatable: true)
    for table in ["snapshot_chunk", "chunk", "snapshot", "batch_part", "batch"] {
      let statement = PostgresStatement(BatchSQL.removeAll(of: table), journal)
      while try engine.run(action, identifier, [statement], isRepeatable: true)[0].count > 0 {}
    }
    _ = try engine.run(
      action, identifier,
      [PostgresStatement(PostgresSQL("DELETE FROM journal WHERE id = $1::bigint"), journal)], isRepeatable: true)
  }

  private static let find = PostgresSQL("SELECT id FROM journal WHERE name = $1::text")

  /// The name in the table.
  private func key(_ name: String) throws(JournalError) -> String {
    // The one character that a text of PostgreSQL cannot hold.
    guard !name.isEmpty, !(collection + name).utf8.contains(0) else {
      throw JournalError(.notAJournal, "a journal's name is not empty, and has no character 0")
    }
    return collection + name
  }
}

extension PostgresEngine {
  /// The journals of one collection, such as all databases.
  ///
  /// - Parameter collection: what their names begin with in the table, as `databases/`. Any text without the character 0.
  public func journals(_ collection: String) -> PostgresJournals { PostgresJournals(self, collection) }
}
