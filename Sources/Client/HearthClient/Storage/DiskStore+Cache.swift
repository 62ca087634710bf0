import HearthTree

extension DiskStore {
  func serverDataSizeBytes() throws -> Int {
    try read { database in
      let bytes = try database.first("SELECT bytes FROM total") { $0.integer(0) }
      return max(0, Int(clamping: (bytes ?? nil) ?? 0) + addedBytes)
    }
  }

  func serverData(at path: Path) throws -> Node { try read { try node(at: path, $0) } }

  func serverData(at path: Path, keys: Set<Key>) throws -> Node {
    try read { database in
      if let above = try record(above: path, database) {
        let whole = above.node[path.suffix(from: above.path.count)]
        return Node.empty.replacing(keys.map { (Path([$0]), whole.child($0)) })
      }
      var found: [(Path, Node)] = []
      for key in keys { found.append((Path([key]), try node(at: path.appending(key), database))) }
      return Node.empty.replacing(found)
    }
  }

  func replaceServerData(at location: Location, with node: Node) throws {
    try change { database in
      if location.isPriority {
        try setPriority(node.scalar, at: location.path, database)
      } else {
        try replace(location.path, with: node, database)
      }
    }
  }

  func removeServerData(at path: Path, keeping: [Path]) throws {
    try change { database in
      // A path inside another kept path is kept with it.
      let locations = keeping.filter { location in
        path.contains(location) && !keeping.contains { $0 != location && $0.contains(location) }
      }
      let nodes = try locations.map { try node(at: $0, database) }
      try replace(path, with: .empty, database)
      for (location, node) in zip(locations, nodes) where !node.isEmpty { try replace(location, with: node, database) }
    }
  }

  // MARK: Reading

  private func node(at path: Path, _ database: SQLiteConnection) throws -> Node {
    if let above = try record(above: path, database) { return above.node[path.suffix(from: above.path.count)] }
    let storedPath = StoredPath(path)
    var tree = StoredTree(at: storedPath)
    try database.forEachRow(
      "SELECT path, node FROM cache WHERE path >= ? AND path < ? ORDER BY path", [storedPath.value, storedPath.end]
    ) { row in
      let isAdded = row.withBlob(0) { path in row.withBlob(1) { text in tree.add(path, text) } }
      guard isAdded == true else { throw damaged("a record of the cache cannot be read") }
    }
    return tree.finish()
  }

  /// Returns the record strictly above a path, whose subtree includes it.
  private func record(above path: Path, _ database: SQLiteConnection) throws -> (path: Path, node: Node)? {
    for count in 0..<path.count {
      if let node = try record(at: path.prefix(count), database) { return (path.prefix(count), node) }
    }
    return nil
  }

  private func record(atOrAbove path: Path, _ database: SQLiteConnection) throws -> (path: Path, node: Node)? {
    if let above = try record(above: path, database) { return above }
    return try record(at: path, database).map { (path, $0) }
  }

  private func record(at path: Path, _ database: SQLiteConnection) throws -> Node? {
    try database.first("SELECT node FROM cache WHERE path = ?", StoredPath(path).value) { row in
      guard let text = row.blob(0), let node = Node(stored: text) else {
        throw damaged("a record of the cache cannot be read")
      }
      return node
    }
  }

  /// Returns true when there are rows below a path in addition to its own priority.
  private func hasRows(below path: Path, _ database: SQLiteConnection) throws -> Bool {
    let storedPath = StoredPath(path)
    let found: Void? = try database.first(
      "SELECT 1 FROM cache WHERE path >= ? AND path < ? AND path <> ? LIMIT 1", storedPath.value, storedPath.end,
      storedPath.priority.value
    ) { _ in }
    return found != nil
  }

  // MARK: Writing

  /// Sets a priority; does nothing where there is no data.
  private func setPriority(_ priority: Scalar?, at path: Path, _ database: SQLiteConnection) throws {
    if let (recordPath, node) = try record(atOrAbove: path, database) {
      let rest = path.suffix(from: recordPath.count)
      let changed = node[rest]
      guard !changed.isEmpty else { return }
      return try store(node.replacing(rest, with: changed.with(priority: priority)), at: recordPath, database)
    }
    let storedPath = StoredPath(path).priority
    try remove(from: storedPath.value, to: storedPath.end, database)
    guard let priority, try hasRows(below: path, database) else { return }
    try insert(storedPath, Node(priority), database)
  }

  private func replace(_ path: Path, with node: Node, _ database: SQLiteConnection) throws {
    if let above = try record(above: path, database) {
      return try store(above.node.replacing(path.suffix(from: above.path.count), with: node), at: above.path, database)
    }
    try store(node, at: path, database)
  }

  /// Replaces all rows at a path and below with a node; there must be no record above the path.
  private func store(_ node: Node, at path: Path, _ database: SQLiteConnection) throws {
    let storedPath = StoredPath(path)
    try remove(from: storedPath.value, to: storedPath.end, database)
    if node.isEmpty { return try removeBarePriorities(above: path, database) }
    try insert(node, at: storedPath, database)
  }

  /// Removes the priorities of ancestors that lost their last child: an empty location has no priority.
  private func removeBarePriorities(above path: Path, _ database: SQLiteConnection) throws {
    for count in stride(from: path.count - 1, through: 0, by: -1) {
      let above = path.prefix(count)
      if try hasRows(below: above, database) { return }
      let priority = StoredPath(above).priority
      try remove(from: priority.value, to: priority.end, database)
    }
  }

  /// Inserts a node. Recursive to the depth of the data, which is limited.
  private func insert(_ node: Node, at path: StoredPath, _ database: SQLiteConnection) throws {
    guard node.isInterior, node.heldBytes(upTo: Self.recordBytesMax) > Self.recordBytesMax else {
      return try insert(path, node, database)
    }
    if let priority = node.priority { try insert(path.priority, Node(priority), database) }
    for (key, child) in node.children { try insert(child, at: path.child(key), database) }
  }

  private func insert(_ storedPath: StoredPath, _ node: Node, _ database: SQLiteConnection) throws {
    let text = node.json()
    try database.run("INSERT OR REPLACE INTO cache VALUES (?, ?)", storedPath.value, .blob(text))
    addedBytes += storedPath.bytes.count + text.count
  }

  private func remove(from start: SQLiteValue, to end: SQLiteValue, _ database: SQLiteConnection) throws {
    let sum = try database.first(
      "SELECT SUM(LENGTH(path) + LENGTH(node)) FROM cache WHERE path >= ? AND path < ?", start, end
    ) { $0.integer(0) }
    guard let bytes = sum ?? nil, bytes > 0 else { return }
    try database.run("DELETE FROM cache WHERE path >= ? AND path < ?", start, end)
    addedBytes -= Int(clamping: bytes)
  }
}

extension Node {
  /// Reads the node of a record; nil when it is malformed.
  fileprivate init?(stored text: [UInt8]) {
    let node = text.withUnsafeBytes { bytes -> Node? in
      var reader = JSONReader(bytes)
      guard let node = try? reader.receivedValue(), (try? reader.end()) != nil else { return nil }
      return node
    }
    guard let node else { return nil }
    self = node
  }
}

extension Path {
  /// Returns the path without its first keys.
  fileprivate func suffix(from count: Int) -> Path { Path(Array(keys.dropFirst(count))) }
}
