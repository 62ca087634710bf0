import HearthTree

/// All listens of a database by path.
struct ListenIndex {
  let root = ListenNode(key: nil, parent: nil)
  private(set) var count = 0
  /// The steps taken so far by operations that visit all listens of a connection.
  private(set) var stepsTaken = 0
  /// The number of nodes with a ``LocationQueries``.
  private(set) var queriedLocationCount = 0
  /// The number of entries of all undeclared indexes, limited by ``EngineLimits/undeclaredIndexEntriesMax``.
  var undeclaredEntries = 0
  /// The changes of stored indexes since they were last taken; nil when indexes are not stored.
  var indexChanges: [StoredIndexes.Name: ChildIndex?]?
  var results = RecentResults()
  private var lastSerial: UInt64 = 0
  /// The memory of listens, shared by the connections.
  private var shares: FairShareLimit

  init(limits: EngineLimits) {
    shares = FairShareLimit(max: limits.listensBytesMax, unit: EngineLimits.listenUnitBytes)
  }

  /// True when no commit affects a listen or an index.
  var isIdle: Bool { count == 0 && queriedLocationCount == 0 }

  /// Creates a connection for a `connect` command, with its share of the listens' memory.
  mutating func makeConnection(for command: Command) -> Connection {
    let connection = Connection(
      id: command.connection, address: command.address ?? .unknown, network: command.network)
    connection.share = shares.join(ShareClaimant(network: connection.network))
    return connection
  }

  /// Charges the memory of a connection's listens to its new user.
  mutating func identify(_ connection: Connection) {
    let principal = connection.principal
    shares.move(&connection.share, to: principal.uid, isAdministrator: principal.readsAll)
  }

  /// Returns the reason to refuse another listen of a connection, or nil when it is accepted.
  func refusal(of connection: Connection, at path: Path, query: Query? = nil, _ limits: EngineLimits) -> Failure? {
    if connection.listens.count >= limits.listensPerConnectionMax {
      return Failure(.tooManyListens, "This connection has too many listeners")
    }
    return shares.admits(EngineLimits.bytes(ofListenAt: path, query), to: connection.share)
      ? nil : Failure(.tooManyListens, "This database has too many listeners")
  }

  func node(at path: Path) -> ListenNode? {
    var node = root
    for key in path.keys {
      guard let child = node.children[key] else { return nil }
      node = child
    }
    return node
  }

  /// Returns the listen with the tag, or with the path and query when the client sent no tag; nil when there is none.
  func listen(of connection: Connection, _ path: Path, _ query: Query?, _ tag: Int32?) -> Listen? {
    if let listen = tag.flatMap({ connection.tagged[$0] }) { return listen }
    guard let node = node(at: path) else { return nil }
    if let query { return node.locationQueries?.groups[query].flatMap { connection.listen(in: $0) } }
    return tag == nil ? connection.listen(at: node) : nil
  }

  /// Adds a listen of the connection, which must have none at that path.
  mutating func add(_ connection: Connection, at path: Path) -> Listen {
    let node = makeNode(at: path)
    let listen = makeListen(connection, at: node, path)
    var above = node.parent
    while let ancestor = above {
      if connection.listen(at: ancestor) != nil { listen.shadowCount += 1 }
      above = ancestor.parent
    }
    shadow(below: node, of: connection, by: 1)
    node.audience.insert(listen)
    setRecipient(listen)
    connection.listens.set(ObjectIdentifier(node), listen)
    return listen
  }

  /// Adds a listen of the connection, which must have none in the group and none with that tag.
  mutating func add(_ connection: Connection, to group: QueryGroup, _ path: Path, tag: Int32) -> Listen {
    let listen = makeListen(connection, at: group.node, path, group, tag)
    group.audience.insert(listen)
    group.audience.setRecipient(listen, TaggedRecipient(connection: connection.id, tag: tag))
    connection.listens.set(ObjectIdentifier(group), listen)
    connection.tagged.set(tag, listen)
    return listen
  }

  /// Gives a listen with a query another tag, which the connection must not use otherwise.
  func rename(_ listen: Listen, tag: Int32) {
    guard let group = listen.group, let old = listen.tag, old != tag else { return }
    listen.connection.tagged.remove(old)
    listen.connection.tagged.set(tag, listen)
    listen.tag = tag
    group.audience.setRecipient(listen, TaggedRecipient(connection: listen.connection.id, tag: tag))
  }

  private mutating func makeListen(
    _ connection: Connection, at node: ListenNode, _ path: Path, _ group: QueryGroup? = nil, _ tag: Int32? = nil
  ) -> Listen {
    lastSerial += 1
    count += 1
    shares.add(EngineLimits.bytes(ofListenAt: path, group?.query), to: &connection.share)
    return Listen(serial: lastSerial, connection: connection, node: node, path: path, group: group, tag: tag)
  }

  mutating func remove(_ listen: Listen) {
    let connection = listen.connection
    if let group = listen.group {
      connection.listens.remove(ObjectIdentifier(group))
      if let tag = listen.tag { connection.tagged.remove(tag) }
    } else {
      connection.listens.remove(ObjectIdentifier(listen.node))
      shadow(below: listen.node, of: connection, by: -1)
    }
    detach(listen)
  }

  /// Removes all listens of a closing connection.
  mutating func removeAll(of connection: Connection) {
    let listens = connection.listens.entries
    (connection.listens, connection.tagged) = (DenseTable(), DenseTable())
    for (_, listen) in listens { detach(listen) }
    shares.leave(&connection.share)
  }

  /// Removes the last listen of a closed connection.
  mutating func removeLast(of connection: Connection) {
    guard let (name, listen) = connection.listens.entries.last else { return }
    connection.listens.remove(name)
    detach(listen)
  }

  /// Returns every listen, oldest first.
  func all() -> [Listen] {
    var found: [Listen] = []
    found.reserveCapacity(count)
    forEachNode { node in
      found.append(contentsOf: node.audience.listens)
      for (_, group) in node.locationQueries?.groups.entries ?? [] { found.append(contentsOf: group.audience.listens) }
    }
    return found.sorted { $0.serial < $1.serial }
  }

  /// Calls `body` for every node.
  func forEachNode(_ body: (ListenNode) -> Void) {
    var open = [root]
    while let node = open.popLast() {
      body(node)
      for (_, child) in node.children.entries { open.append(child) }
    }
  }

  private mutating func detach(_ listen: Listen) {
    listen.isLive = false
    count -= 1
    shares.release(EngineLimits.bytes(ofListenAt: listen.path, listen.group?.query), of: &listen.connection.share)
    if let group = listen.group {
      group.audience.remove(listen)
      closeIfUnused(group)
    } else {
      listen.node.audience.remove(listen)
    }
    prune(listen.node)
  }

  /// Updates the shadow counts of the connection's listens without a query below `node` when a listen above them is
  /// added or removed.
  private mutating func shadow(below node: ListenNode, of connection: Connection, by change: Int) {
    guard !node.children.isEmpty, !connection.listens.isEmpty else { return }
    let path = node.path
    stepsTaken += connection.listens.count * EngineLimits.visitedListenSteps
    for (_, listen) in connection.listens.entries
    where listen.group == nil && listen.node !== node && path.contains(listen.path) {
      listen.shadowCount += change
      // The listen above receives all of this listen's data.
      if change > 0 { listen.missed = nil }
      setRecipient(listen)
    }
  }

  private func setRecipient(_ listen: Listen) {
    listen.node.audience.setRecipient(listen, listen.shadowCount == 0 ? listen.connection.id : nil)
  }
}

// MARK: - Nodes

extension ListenIndex {
  mutating func makeNode(at path: Path) -> ListenNode {
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

  mutating func makeLocationQueries(at node: ListenNode) -> LocationQueries {
    if let locationQueries = node.locationQueries { return locationQueries }
    let locationQueries = LocationQueries()
    node.locationQueries = locationQueries
    queriedLocationCount += 1
    return locationQueries
  }

  /// Removes the unused parts of a node, and of its ancestors. The node must not have been removed before, because its
  /// ancestors may have been removed with it.
  mutating func prune(_ node: ListenNode) {
    if node.locationQueries?.isEmpty == true {
      node.locationQueries = nil
      queriedLocationCount -= 1
    }
    var node = node
    while node.isIdle, let parent = node.parent, let key = node.key {
      parent.children.remove(key)
      node = parent
    }
  }
}
