import HearthJournal

/// The journals of one collection in PostgreSQL.
public struct PostgresJournals: JournalFactory {
  let engine: PostgresEngine
  private let collection: String

  init(_ engine: PostgresEngine, _ collection: String) { (self.engine, self.collection) = (engine, collection) }

  /// Opens the journal of that name, or creates it. A previous owner stays the owner until `acquire()`.
  public func open(_ name: String) throws(JournalError) -> OpenedJournal {
    let full = try key(name)
    let identifier = try identifier(of: name)
    guard engine.markOpen(identifier) else {
      throw JournalError(.inUse, "the journal \(name) is already open in this process")
    }
    return OpenedJournal(PostgresJournal(engine, identifier: identifier, name: full))
  }

  /// Returns the number of the journal of that name, which is created when it is missing.
  func identifier(of name: String) throws(JournalError) -> Int64 {
    let full = try key(name)
    let found = try engine.run(
      "opening the journal \(name)", 0,
      [
        PostgresStatement(JournalSQL.make, [.text(full)]),
        PostgresStatement(JournalSQL.find, [.text(full)]),
      ], isRepeatable: true)
    guard let identifier = found[1].integer(0, 0) else {
      throw JournalError(.inputOutput, "the journal \(name) was removed while it was opened")
    }
    return identifier
  }

  /// Returns the names of the collection's journals.
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

  /// Removes the journal's name in one transaction, then its rows in small ones. Appends of an owner elsewhere are
  /// refused from the first transaction on.
  public func remove(_ name: String) throws(JournalError) {
    try engine.remove(key(name), "removing the journal \(name)")
  }

  /// Returns the journal's name in the `journal` table.
  func key(_ name: String) throws(JournalError) -> String {
    // U+0000 is the only character that PostgreSQL's `text` cannot contain.
    guard !name.isEmpty, !(collection + name).utf8.contains(0) else {
      throw JournalError(.notAJournal, "a journal's name cannot be empty or contain a NUL character")
    }
    return collection + name
  }
}

extension PostgresEngine {
  /// Returns the journals of one collection, such as all databases.
  ///
  /// - Parameter collection: The prefix of their names in the table, as `databases/`. Any text without the character 0.
  public func journals(_ collection: String) -> PostgresJournals { PostgresJournals(self, collection) }
}
