import HearthJournal

extension PostgresEngine {
  /// Moves all journals of one collection to another one, in one step: other clients see all of them there, or none.
  /// None of them may be open.
  ///
  /// - Throws: `.inUse` when a name already exists in the other collection; `.inputOutput`. After an error nothing has
  ///   changed.
  public func rename(_ collection: String, to other: String) throws(JournalError) {
    let action = "naming the journals"
    let found = try run(
      action, 0, [PostgresStatement(JournalSQL.taken, [.text(collection), .text(other)])], isRepeatable: true)[0]
    if let name = found.text(0, 0) { throw JournalError(.inUse, "the journal \(name) already exists") }
    // A repeated statement finds no journals left to rename, so the result of the first attempt counts.
    _ = try run(
      action, 0, [PostgresStatement(JournalSQL.renameAll, [.text(collection), .text(other)])], isRepeatable: true)
  }
}
