import HearthJournal

extension PostgresEngine {
  /// Removes a journal: first its name in one transaction, so that no caller finds an incomplete journal, then its rows
  /// in small transactions.
  ///
  /// - Throws: `.inUse` when it is open in this process; `.inputOutput`, after which ``removeLeftovers()`` removes the
  ///   rest.
  func remove(_ name: String, _ action: String) throws(JournalError) {
    let found = try run(action, 0, [PostgresStatement(JournalSQL.find, [.text(name)])], isRepeatable: true)
    guard let identifier = found[0].integer(0, 0) else { return }
    guard markOpen(identifier) else { throw JournalError(.inUse, "the journal \(name) is open in this process") }
    defer { markClosed(identifier) }
    let journal = [PostgresStatement.Parameter.integer(identifier)]
    _ = try run(
      action, identifier,
      [PostgresStatement(BatchSQL.raiseEpoch, journal), PostgresStatement(JournalSQL.hide, journal)], isRepeatable: true
    )
    try clear(identifier, action)
  }

  /// Removes the remains of journals whose removal was interrupted.
  ///
  /// - Throws: `.inputOutput`.
  public func removeLeftovers() throws(JournalError) {
    let action = "removing remains of journals"
    let found = try run(action, 0, [PostgresStatement(JournalSQL.removed)], isRepeatable: true)[0]
    for identifier in found.rows.indices.compactMap({ found.integer($0, 0) }) { try clear(identifier, action) }
  }

  private func clear(_ identifier: Int64, _ action: String) throws(JournalError) {
    let journal = [PostgresStatement.Parameter.integer(identifier)]
    for table in JournalSQL.tables {
      let step = [PostgresStatement(JournalSQL.removeSome(of: table), journal)]
      while try run(action, identifier, step, isRepeatable: true)[0].count > 0 {}
    }
    _ = try run(action, identifier, [PostgresStatement(JournalSQL.remove, journal)], isRepeatable: true)
  }
}
