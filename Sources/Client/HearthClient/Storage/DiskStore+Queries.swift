import HearthSync
import HearthTree

extension DiskStore {
  func trackedQueries() throws -> [TrackedQuery] {
    var queries: [TrackedQuery] = []
    try read { database in
      try database.forEachRow("SELECT id, path, query, lastUse, isComplete, isActive FROM query ORDER BY id") { row in
        guard let id = row.integer(0), let path = row.blob(1), let keys = StoredPath.keys(path), let text = row.blob(2),
          let wire = JSON(parsing: text), let query = try? Query(wire: wire), let lastUse = row.integer(3),
          let isComplete = row.integer(4), let isActive = row.integer(5)
        else { throw damaged("a query cannot be read") }
        queries.append(
          TrackedQuery(
            id: Int(id), spec: QuerySpec(Path(keys), query), lastUseMilliseconds: lastUse, isComplete: isComplete != 0,
            isActive: isActive != 0))
      }
    }
    return queries
  }

  func save(_ query: TrackedQuery) throws {
    try change { database in
      try database.run(
        "INSERT OR REPLACE INTO query VALUES (?, ?, ?, ?, ?, ?)", .integer(query.id),
        StoredPath(query.spec.path).value, .blob(query.spec.query.wire.text()), .integer(query.lastUseMilliseconds),
        .bool(query.isComplete), .bool(query.isActive))
    }
  }

  func removeTrackedQuery(_ id: Int) throws {
    try change { database in
      try database.run("DELETE FROM query WHERE id = ?", .integer(id))
      try database.run("DELETE FROM queryKey WHERE id = ?", .integer(id))
    }
  }

  func keys(ofQuery id: Int) throws -> Set<Key> {
    try read { database in
      var keys: Set<Key> = []
      try database.forEachRow("SELECT key FROM queryKey WHERE id = ?", [.integer(id)]) { row in
        guard let key = row.blob(0) else { throw damaged("a key of a query cannot be read") }
        keys.insert(Key(String(decoding: key, as: UTF8.self)))
      }
      return keys
    }
  }

  func setKeys(_ keys: Set<Key>, ofQuery id: Int) throws {
    try change { database in
      try database.run("DELETE FROM queryKey WHERE id = ?", .integer(id))
      try insert(keys, id, database)
    }
  }

  func changeKeys(ofQuery id: Int, adding: Set<Key>, removing: Set<Key>) throws {
    try change { database in
      for key in removing {
        try database.run("DELETE FROM queryKey WHERE id = ? AND key = ?", .integer(id), .blob(Array(key.text.utf8)))
      }
      try insert(adding, id, database)
    }
  }

  private func insert(_ keys: Set<Key>, _ id: Int, _ database: SQLiteConnection) throws {
    for key in keys {
      try database.run("INSERT OR IGNORE INTO queryKey VALUES (?, ?)", .integer(id), .blob(Array(key.text.utf8)))
    }
  }
}
