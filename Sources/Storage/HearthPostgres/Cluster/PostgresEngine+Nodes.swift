import HearthJournal

extension PostgresEngine {
  /// Returns the nodes of a cluster that have valid leases, and so use the tables.
  ///
  /// - Throws: `.unavailable`, `.inputOutput`.
  public func livingNodes() throws(JournalError) -> [String] {
    let found = try run("looking for nodes", 0, [PostgresStatement(ClusterSQL.living)], isRepeatable: true)[0]
    return found.rows.indices.compactMap { found.text($0, 0) }
  }
}
