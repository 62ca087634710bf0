import GRDB
import HearthRows
import HearthSync
import HearthTree

extension DiskStore {
  func trackedQueries() throws -> [TrackedQuery] {
    try read { database in
      try Row.fetchAll(
        database, sql: "SELECT id, path, query, lastUse, isComplete, isActive FROM query ORDER BY id"
      ).map { row in
        guard let id = row.integer(0), let path = row.blob(1), let keys = StoredPath.keys(path), let text = row.blob(2),
          let wire = JSON(parsing: text), let query = try? Query(wire: wire), let lastUse = row.integer(3),
          let isComplete = row.integer(4), let isActive = row.integer(5)
        else { throw damaged("a query cannot be read") }
        return TrackedQuery(
          id: Int(id), spec: QuerySpec(Path(keys), query), lastUseMilliseconds: lastUse, isComplete: isComplete != 0,
          isActive: isActive != 0)
      }
    }
  }

  func save(_ query: TrackedQuery) throws {
    try change { database in
      try database.cachedStatement(sql: "INSERT OR REPLACE INTO query VALUES (?, ?, ?, ?, ?, ?)").execute(
        arguments: [
          query.id, StoredPath(query.spec.path).value, DatabaseValue.blob(query.spec.query.wire.text()),
          query.lastUseMilliseconds, query.isComplete, query.isActive,
        ])
    }
  }

  func removeTrackedQuery(_ id: Int) throws {
    try change { database in
      try database.cachedStatement(sql: "DELETE FROM query WHERE id = ?").execute(arguments: [id])
      try database.cachedStatement(sql: "DELETE FROM queryKey WHERE id = ?").execute(arguments: [id])
    }
  }

  func keys(ofQuery id: Int) throws -> Set<Key> {
    try read { database in
      let statement = try database.cachedStatement(sql: "SELECT key FROM queryKey WHERE id = ?")
      var keys: Set<Key> = []
      let rows = try Row.fetchCursor(statement, arguments: [id])
      while let row = try rows.next() {
        guard let key = row.blob(0) else { throw damaged("a key of a query cannot be read") }
        keys.insert(Key(String(decoding: key, as: UTF8.self)))
      }
      return keys
    }
  }

  func setKeys(_ keys: Set<Key>, ofQuery id: Int) throws {
    try change { database in
      try database.cachedStatement(sql: "DELETE FROM queryKey WHERE id = ?").execute(arguments: [id])
      try insert(keys, id, database)
    }
  }

  func changeKeys(ofQuery id: Int, adding: Set<Key>, removing: Set<Key>) throws {
    try change { database in
      let statement = try database.cachedStatement(sql: "DELETE FROM queryKey WHERE id = ? AND key = ?")
      for key in removing { try statement.execute(arguments: [id, DatabaseValue.blob(Array(key.text.utf8))]) }
      try insert(adding, id, database)
    }
  }

  private func insert(_ keys: Set<Key>, _ id: Int, _ database: GRDB.Database) throws {
    let statement = try database.cachedStatement(sql: "INSERT OR IGNORE INTO queryKey VALUES (?, ?)")
    for key in keys { try statement.execute(arguments: [id, DatabaseValue.blob(Array(key.text.utf8))]) }
  }
}
