import HearthEngine
import HearthTree

/// Checks of the engine's effects against the expected ones.
extension SimulationChecker {
  mutating func follow(_ effect: Effect) throws {
    switch effect {
    case .event(let event, let recipients):
      let tree = try tree(of: event)
      guard Set(recipients).count == recipients.count else { throw broken("a recipient is named twice") }
      for connection in recipients { try deliver(event, to: connection, tree) }
    case .queryEvent(let event, let recipients):
      let tree = try tree(of: event)
      for recipient in recipients { try deliver(event, to: recipient, tree) }
    case .redecided(let redecision): try follow(redecision)
    case .reply(let connection, _, let reply):
      try answerWish(reply)
      try answer(connection, reply)
    case .authenticationEnded(let connection): try end(connection)
    case .denied: break
    }
  }

  private mutating func deliver(_ event: Event, to connection: ConnectionID, _ tree: SimulationTree) throws {
    let path = event.path.keys.map(\.text)
    eventCount += 1
    if let asked, asked.connection == connection, asked.name == .path(event.path.description) {
      guard case .put(let node) = event.change else { throw broken("a first value is no put") }
      self.asked?.replica = SimulationTree(node)
      return
    }
    guard let client = clients[connection] else { throw broken("\(connection) is gone and gets \(event.path)") }
    var isCovered = false
    for (name, listen) in client.listens where listen.query == nil {
      let place = Self.keys(listen.path)
      if path.starts(with: place), isAllowed(connection, listen.path, nil, tree) { isCovered = true }
      var replica = listen.replica
      Self.apply(event, at: path, to: &replica, of: place)
      clients[connection]?.listens[name]?.replica = replica
    }
    guard isCovered else { throw broken("\(connection) gets \(event.path), which it may not read") }
  }

  private mutating func deliver(_ event: Event, to recipient: TaggedRecipient, _ tree: SimulationTree) throws {
    let (connection, name) = (recipient.connection, Name.tag(recipient.tag))
    guard told.insert(recipient).inserted || isSliced else {
      throw broken("\(connection) is told twice for \(recipient.tag)")
    }
    queryEventCount += 1
    if let asked, asked.connection == connection, asked.name == name {
      guard case .put(let node) = event.change, event.path.description == asked.path else {
        throw broken("a first value is no put")
      }
      self.asked?.replica = SimulationTree(node)
      return
    }
    guard var listen = clients[connection]?.listens[name], let query = listen.query else {
      throw broken("\(connection) has no listen \(recipient.tag)")
    }
    let (path, place) = (event.path.keys.map(\.text), Self.keys(listen.path))
    guard path.starts(with: place) else { throw broken("\(event.path) is not below \(listen.path)") }
    guard event.position >= listen.toldPosition else { throw broken("\(connection) is told of the past at \(path)") }
    guard isAllowed(connection, listen.path, query, tree) else {
      throw broken("\(connection) gets \(event.path) by a query that it may not ask")
    }
    Self.apply(event, at: path, to: &listen.replica, of: place)
    listen.toldPosition = event.position
    clients[connection]?.listens[name] = listen
  }

  private mutating func follow(_ redecision: Redecision) throws {
    for cancelled in redecision.cancelled {
      let (connection, name) = (cancelled.connection, cancelled.name)
      let path = name.path.description
      let key = name.tag.map { Name.tag($0) } ?? .path(path)
      guard let listen = clients[connection]?.listens.removeValue(forKey: key), listen.path == path else {
        throw broken("\(connection) was cancelled at \(name), where it does not listen")
      }
      guard !isAllowed(connection, path, listen.query) else { throw broken("\(connection) may still read \(name)") }
      guard cancelled.lastPosition <= position else { throw broken("\(cancelled) was told of what is to come") }
      // A listen without a query may be covered by the event of one further up.
      guard name.tag == nil || cancelled.lastPosition == listen.toldPosition else {
        throw broken("\(cancelled) was told of \(listen.toldPosition) last")
      }
      cancelCount += 1
    }
  }

  private static func keys(_ name: String) -> [String] { name.split(separator: "/").map(String.init) }

  private static func apply(
    _ event: Event, at path: [String], to replica: inout SimulationTree, of place: [String]
  ) {
    switch event.change {
    case .put(let node): replace(path, with: node, in: &replica, of: place)
    case .merge(let entries):
      for entry in entries { replace(path + entry.path.keys.map(\.text), with: entry.node, in: &replica, of: place) }
    case .ranges: break
    }
  }

  /// Replaces a listener's data. A listener further up on the same connection may be told for one further down, as
  /// clients expect.
  private static func replace(
    _ path: [String], with node: Node, in replica: inout SimulationTree, of place: [String]
  ) {
    if path.starts(with: place) {
      replica.replace(Array(path.dropFirst(place.count)), with: SimulationTree(node))
    } else if place.starts(with: path) {
      replica = SimulationTree(node)[Array(place.dropFirst(path.count))]
    }
  }

  private mutating func answer(_ connection: ConnectionID, _ reply: Reply) throws {
    guard let asked, asked.connection == connection, clients[connection] != nil else { return }
    self.asked = nil
    let isAllowed = isAllowed(connection, asked.path, asked.query)
    guard let name = asked.name else { return try answer(asked, reply, isAllowed) }
    // A listen with the same path and query is the same listen under any tag.
    let same = clients[connection]?.listens.first { $0.value.path == asked.path && $0.value.query == asked.query }?.key
    if let same, asked.query != nil { clients[connection]?.listens[same] = nil }
    if case .listening = reply {
      guard isAllowed else { throw broken("\(connection) may not listen to \(asked.path)") }
      let replica = asked.replica ?? found(asked.path, asked.query)
      clients[connection]?.listens[name] = Listen(
        path: asked.path, query: asked.query, replica: replica, toldPosition: position)
    } else {
      guard asked.replica == nil else { throw broken("\(connection) was refused \(asked.path) and got a value") }
      guard !isAllowed else { throw broken("\(connection) may listen to \(asked.path)") }
      clients[connection]?.listens[name] = nil
    }
  }

  /// Checks the answer to a read with a query.
  private func answer(_ asked: Request, _ reply: Reply, _ isAllowed: Bool) throws {
    switch reply {
    case .result(let result):
      guard isAllowed, rules.declares(asked.query?.order, at: Self.keys(asked.path)) else {
        throw broken("a read of \(asked.path) was answered")
      }
      guard SimulationTree(result.node) == found(asked.path, asked.query) else {
        throw broken("a read of \(asked.path) found something else")
      }
    case .failure(let failure):
      let isDeclared = rules.declares(asked.query?.order, at: Self.keys(asked.path))
      guard failure.code == (isAllowed ? .indexNotDefined : .permissionDenied), !isAllowed || !isDeclared else {
        throw broken("a read of \(asked.path) was refused: \(failure)")
      }
    default: throw broken("a read of \(asked.path) was answered by \(reply)")
    }
  }

  /// The data at a path, or the result of the query there.
  private func found(_ path: String, _ query: Query?) -> SimulationTree {
    query.map { SimulationQuery($0).result(of: tree[path]) } ?? tree[path]
  }

  /// Checks after a step that every listen is permitted and holds the present data.
  mutating func settle() throws {
    try requireNobodyDue()
    if let revoked { throw broken("the credential of \(revoked) was revoked, and nobody said so") }
    for (connection, client) in clients {
      for (name, listen) in client.listens {
        guard holds(listen) else { throw broken("\(connection) holds something else at \(listen.path), \(name)") }
        if isAllowed(connection, listen.path, listen.query) {
          clients[connection]?.listens[name]?.deniedSince = nil
          continue
        }
        let since = listen.deniedSince ?? now.monotonicMilliseconds
        clients[connection]?.listens[name]?.deniedSince = since
        let isLate = now.monotonicMilliseconds - since >= limits.clockIntervalMilliseconds
        guard rules.looksAtTime(Self.keys(listen.path)), !isLate else {
          throw broken("\(connection) still listens to \(listen.path)")
        }
      }
    }
  }

  /// Returns true when a listen holds its data; a client that receives more than it asked for filters it.
  private func holds(_ listen: Listen) -> Bool {
    let expected = found(listen.path, listen.query)
    if listen.replica == expected { return true }
    guard !isExact, let query = listen.query else { return false }
    return SimulationQuery(query).result(of: listen.replica) == expected
  }

  private func isAllowed(
    _ connection: ConnectionID, _ path: String, _ query: Query?, _ past: SimulationTree? = nil
  ) -> Bool {
    rules.allows(
      Self.keys(path), past ?? tree, clients[connection]?.user, query, wallMilliseconds: now.wallMilliseconds)
  }
}
