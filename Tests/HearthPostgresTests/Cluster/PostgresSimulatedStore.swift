import ClusterSimulation
import HearthCluster
import HearthJournal

@testable import HearthPostgres

/// The PostgreSQL store in a simulation, which sets the clock that the store's statements read.
struct PostgresSimulatedStore: SimulatedStore {
  private let cluster: ClusterStoreClient
  private let psql: Psql
  /// The writer of each row, and the store's epoch and owner at its insertion, by the row's running hash.
  private var insertions: [RunningHash: (writer: NodeID, epoch: Int64, owner: Incarnation?)] = [:]
  private(set) var failoverCount = 0
  /// The pruned rows, followed by the first row that is still stored.
  private var pruned: [StoredRow] = []

  init(leaseMilliseconds: Int64) throws {
    let fixture = try PostgresFixture(writers: 1)
    psql = try Psql(fixture.server.url)
    try psql.run(
      """
      SET search_path = \(fixture.schema);
      CREATE SEQUENCE simulated_clock MINVALUE 0;
      CREATE FUNCTION simulated_now() RETURNS timestamptz LANGUAGE sql VOLATILE
        AS 'SELECT to_timestamp(last_value / 1000.0) FROM simulated_clock'
      """)
    cluster = try ClusterStoreClient(
      fixture, sql: ClusterSQL(clock: "simulated_now()"), leaseMilliseconds: leaseMilliseconds)
  }

  var stored: [StoredRow] {
    let rows = (try? cluster.log(after: pruned.last?.row.batch.lastPosition ?? 0)) ?? []
    return pruned
      + rows.map { row in
        let insertion = insertions[row.hash]
        return StoredRow(
          row: row, writer: insertion?.writer ?? NodeID("nobody"), epoch: insertion?.epoch ?? -1,
          owner: insertion?.owner)
      }
  }

  var epoch: Int64 { (try? cluster.owner().epoch) ?? -1 }

  private func setClock(_ time: Int64) {
    // When this fails, the store's clock stands still, and the simulation finds wrong leases.
    _ = try? psql.run("SELECT setval('simulated_clock', \(time))")
  }

  func take(_ call: NodeLease.Call, at time: Int64) -> NodeLease.Answer {
    setClock(time)
    return cluster.ask(call)
  }

  func take(_ call: StoreCall, at time: Int64) -> StoreAnswer {
    setClock(time)
    return cluster.ask(call)
  }

  /// Returns true always: the statement of `completeAppend` checks the conditions.
  func mayAppend(_ row: LogRow, after before: JournalHead, claim: Int64) -> Bool { true }

  mutating func completeAppend(_ row: LogRow, after before: JournalHead, claim: Int64, by writer: NodeID) -> Bool {
    guard cluster.ask(.append(row, after: before, claim: claim)) == .done else { return false }
    let record = try? cluster.owner()
    insertions[row.hash] = (writer, record?.epoch ?? -1, record?.owner)
    return true
  }

  mutating func prune(before position: Int64) {
    let (rows, journal) = (stored, cluster.database.rawValue)
    guard let index = rows.lastIndex(where: { $0.row.batch.lastPosition == position }), index >= pruned.count else {
      return
    }
    let first = rows[index].row.batch.firstPosition
    _ = try? psql.run("DELETE FROM batch WHERE journal = \(journal) AND first_position < \(first)")
    pruned = Array(rows[...index])
  }

  /// Removes the last rows. Pruned rows are never lost, because they cannot be restored.
  mutating func loseTail(_ count: Int, withClaims: Bool) {
    failoverCount += 1
    let all = stored
    let kept = all.dropLast(min(count, all.count - pruned.count))
    let (last, journal) = (kept.last, cluster.database.rawValue)
    var sql = "DELETE FROM batch WHERE journal = \(journal) AND first_position > \(last?.row.batch.firstPosition ?? 0);"
    if withClaims {
      let owner = last?.owner.map { "owner = '\($0.node)', owner_incarnation = \($0.number)" }
      sql += """
        UPDATE journal SET epoch = \(last?.epoch ?? 0), \(owner ?? "owner = NULL, owner_incarnation = NULL")
        WHERE id = \(journal)
        """
    }
    _ = try? psql.run(sql)
  }
}
