import HearthJournal

extension PostgresEngine {
  /// Moves all journals of one collection to another one, in one step: other clients see all of them there, or none.
  /// None may be open.
  ///
  /// - Throws: `.inUse` when a name is taken there, and `.inputOutput`; nothing has changed then.
  public func rename(_ collection: String, to other: String) throws(JournalError) {
    let action = "naming the journals"
    let found = try run(
      action, 0, [PostgresStatement(JournalSQL.taken, [.text(collection), .text(other)])], isRepeatable: true)[0]
    if let name = found.text(0, 0) { throw JournalError(.inUse, "the journal \(name) already exists") }
    // A repetition finds none.
    _ = try run(
      action, 0, [PostgresStatement(JournalSQL.renameAll, [.text(collection), .text(other)])], isRepeatable: true)
  }
}
