import HearthCluster
import HearthJournal

extension PostgresClusterStore {
  private static let nodes = PostgresSQL(
    """
    SELECT name, address, incarnation, (ended < incarnation AND lease_until >= clock_timestamp())::integer::bigint,
      CASE WHEN lease_until > '-infinity'
        THEN greatest(-1e15, extract(epoch FROM lease_until - clock_timestamp()) * 1000)::bigint ELSE -1 END
    FROM node ORDER BY name
    """)

  private static let journals = PostgresSQL(
    """
    SELECT o.name, o.epoch, o.owner, coalesce((
      SELECT last_position FROM batch b WHERE b.journal = o.id ORDER BY first_position DESC LIMIT 1), 0)
    FROM journal o ORDER BY o.name
    """)

  private static let numbers = PostgresSQL(
    "SELECT name, id FROM journal WHERE starts_with(name, $1::text)")

  /// Returns the databases of the journals in a collection, by name. Blocks.
  package func journals(_ collection: String) throws(JournalError) -> [String: DatabaseID] {
    let found = try engine.run(
      "looking for journals", 0, [PostgresStatement(Self.numbers, [.text(collection)])], isRepeatable: true)[0]
    var journals: [String: DatabaseID] = [:]
    for row in found.rows.indices {
      guard let name = found.text(row, 0), let number = found.integer(row, 1), let id = UInt32(exactly: number) else {
        continue
      }
      journals[name] = DatabaseID(rawValue: id)
    }
    return journals
  }

  /// Returns the name of a database's journal, with its collection; nil when there is none. Blocks.
  package func name(of database: DatabaseID) throws(JournalError) -> String? {
    let query = PostgresSQL("SELECT name FROM journal WHERE id = $1::bigint")
    let found = try engine.run(
      "looking for a journal", 0, [PostgresStatement(query, [.integer(Int64(database.rawValue))])], isRepeatable: true)
    return found[0].rows.isEmpty ? nil : found[0].text(0, 0)
  }

  /// Reads the overview of nodes and journals. Blocks.
  package func overview() throws(JournalError) -> ClusterOverview {
    let found = try engine.run(
      "inspecting the cluster", 0, [PostgresStatement(Self.nodes), PostgresStatement(Self.journals)],
      isRepeatable: true)
    let (nodes, journals) = (found[0], found[1])
    return ClusterOverview(
      nodes: nodes.rows.indices.compactMap { row in
        guard let name = nodes.text(row, 0), let address = nodes.text(row, 1), let run = nodes.integer(row, 2),
          let lease = nodes.integer(row, 4)
        else { return nil }
        return ClusterOverview.Node(
          name: name, address: address, run: run, isAlive: nodes.integer(row, 3) == 1, leaseMilliseconds: lease)
      },
      journals: journals.rows.indices.compactMap { row in
        guard let name = journals.text(row, 0), let epoch = journals.integer(row, 1),
          let position = journals.integer(row, 3)
        else { return nil }
        return ClusterOverview.Journal(name: name, epoch: epoch, owner: journals.text(row, 2), position: position)
      })
  }
}
