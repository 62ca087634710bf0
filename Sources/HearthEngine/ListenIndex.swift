import HearthTree

/// All listens of a database, found by path.
struct ListenIndex {
  let root = ListenNode(key: nil, parent: nil)
  private(set) var count = 0
  private var lastSerial: UInt64 = 0

  func node(at path: Path) -> ListenNode? {
    var node = root
    for key in path.keys {
      guard let child = node.children[key] else { return nil }
      node = child
    }
    return node
  }

  /// A new listen of the connection, which has none at that path.
  mutating func add(_ connection: Connection, at path: Path) -> Listen {
    let node = makeNode(at: path)
    lastSerial += 1
    count += 1
    let listen = Listen(serial: lastSerial, connection: connection, node: node, path: path)
    var above = node.parent
    while let ancestor = above {
      if connection.listen(at: ancestor) != nil { listen.shadowCount += 1 }
      above = ancestor.parent
    }
    shadow(below: node, of: connection, by: 1)
    node.insert(listen)
    node.setRecipient(listen, listen.shadowCount == 0)
    connection.listens.set(ObjectIdentifier(node), listen)
    return listen
  }

  mutating func remove(_ listen: Listen) {
    let (node, connection) = (listen.node, listen.connection)
    connection.listens.remove(ObjectIdentifier(node))
    shadow(below: node, of: connection, by: -1)
    detach(listen)
  }

  /// Removes all listens of a connection that ends.
  mutating func removeAll(of connection: Connection) {
    let listens = connection.listens.entries
    connection.listens = DenseTable()
    for (_, listen) in listens { detach(listen) }
  }

  /// Every listen, oldest first.
  func all() -> [Listen] {
    var (found, open): ([Listen], [ListenNode]) = ([], [root])
    found.reserveCapacity(count)
    while let node = open.popLast() {
      found.append(contentsOf: node.listens)
      for (_, child) in node.children.entries { open.append(child) }
    }
    return found.sorted { $0.serial < $1.serial }
  }

  private mutating func detach(_ listen: Listen) {
    listen.isLive = false
    listen.node.remove(listen)
    count -= 1
    var node = listen.node
    while node.listens.isEmpty, node.children.isEmpty, let parent = node.parent, let key = node.key {
      parent.children.remove(key)
      node = parent
    }
  }

  /// Tells the connection's listens below `node` that there is one more, or one less, above them.
  private func shadow(below node: ListenNode, of connection: Connection, by change: Int) {
    guard !node.children.isEmpty, !connection.listens.isEmpty else { return }
    let path = node.path
    for (_, listen) in connection.listens.entries where listen.node !== node && path.contains(listen.path) {
      listen.shadowCount += change
      listen.node.setRecipient(listen, listen.shadowCount == 0)
    }
  }

  private func makeNode(at path: Path) -> ListenNode {
    var node = root
    for key in path.keys {
      if let child = node.children[key] {
        node = child
      } else {
        let child = ListenNode(key: key, parent: node)
        node.children.set(key, child)
        node = child
      }
    }
    return node
  }
}
