import HearthEngine
import HearthTree

/// Checks of the engine's effects against the expected ones.
extension SimulationChecker {
  mutating func follow(_ effect: Effect) throws {
    switch effect {
    case .event(let event, let recipients):
      let tree = try tree(of: event)
      guard Set(recipients).count == recipients.count else { throw violation("a recipient is named twice") }
      for connection in recipients { try deliver(event, to: connection, tree) }
    case .queryEvent(let event, let recipients):
      let tree = try tree(of: event)
      for recipient in recipients { try deliver(event, to: recipient, tree) }
    case .redecided(let redecision): try follow(redecision)
    case .reply(let connection, _, let reply):
      try answerOnDisconnect(reply)
      try answer(connection, reply)
    case .authenticationEnded(let connection): try end(connection)
    case .denied: break
    }
  }

  private mutating func deliver(_ event: Event, to connection: ConnectionID, _ tree: SimulationTree) throws {
    let path = event.path.keys.map(\.text)
    eventCount += 1
    if let currentRequest, currentRequest.connection == connection, currentRequest.name == .path(event.path.description)
    {
      guard case .put(let node) = event.change else { throw violation("a first value is no put") }
      self.currentRequest?.replica = SimulationTree(node)
      return
    }
    guard let client = clients[connection] else { throw violation("\(connection) is gone and gets \(event.path)") }
    var isCovered = false
    for (name, listen) in client.listens where listen.query == nil {
      let place = Self.keys(listen.path)
      if path.starts(with: place), isAllowed(connection, listen.path, nil, tree) { isCovered = true }
      var replica = listen.replica
      Self.apply(event, at: path, to: &replica, of: place)
      clients[connection]?.listens[name]?.replica = replica
    }
    guard isCovered else { throw violation("\(connection) gets \(event.path), which it may not read") }
  }

  private mutating func deliver(_ event: Event, to recipient: TaggedRecipient, _ tree: SimulationTree) throws {
    let (connection, name) = (recipient.connection, Name.tag(recipient.tag))
    guard notified.insert(recipient).inserted || isSliced else {
      throw violation("\(connection) is told twice for \(recipient.tag)")
    }
    queryEventCount += 1
    if let currentRequest, currentRequest.connection == connection, currentRequest.name == name {
      guard case .put(let node) = event.change, event.path.description == currentRequest.path else {
        throw violation("a first value is no put")
      }
      self.currentRequest?.replica = SimulationTree(node)
      return
    }
    guard var listen = clients[connection]?.listens[name], let query = listen.query else {
      throw violation("\(connection) has no listen \(recipient.tag)")
    }
    let (path, place) = (event.path.keys.map(\.text), Self.keys(listen.path))
    guard path.starts(with: place) else { throw violation("\(event.path) is not below \(listen.path)") }
    guard event.position >= listen.notifiedPosition else {
      throw violation("\(connection) is told of the past at \(path)")
    }
    guard isAllowed(connection, listen.path, query, tree) else {
      throw violation("\(connection) gets \(event.path) by a query that it may not ask")
    }
    Self.apply(event, at: path, to: &listen.replica, of: place)
    listen.notifiedPosition = event.position
    clients[connection]?.listens[name] = listen
  }

  private mutating func follow(_ redecision: Redecision) throws {
    for cancelled in redecision.cancelled {
      let (connection, name) = (cancelled.connection, cancelled.name)
      let path = name.path.description
      let key = name.tag.map { Name.tag($0) } ?? .path(path)
      guard let listen = clients[connection]?.listens.removeValue(forKey: key), listen.path == path else {
        throw violation("\(connection) was cancelled at \(name), where it does not listen")
      }
      guard !isAllowed(connection, path, listen.query) else { throw violation("\(connection) may still read \(name)") }
      guard cancelled.lastPosition <= position else { throw violation("\(cancelled) was told of what is to come") }
      // A listen without a query may be covered by the event of one above it.
      guard name.tag == nil || cancelled.lastPosition == listen.notifiedPosition else {
        throw violation("\(cancelled) was told of \(listen.notifiedPosition) last")
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

  /// Replaces a listener's data. A listener above another one on the same connection may receive the event for it, as
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
    guard let currentRequest, currentRequest.connection == connection, clients[connection] != nil else { return }
    self.currentRequest = nil
    let isAllowed = isAllowed(connection, currentRequest.path, currentRequest.query)
    guard let name = currentRequest.name else { return try answer(currentRequest, reply, isAllowed) }
    // A listen with the same path and query is the same listen under any tag.
    let same = clients[connection]?.listens.first {
      $0.value.path == currentRequest.path && $0.value.query == currentRequest.query
    }?.key
    if let same, currentRequest.query != nil { clients[connection]?.listens[same] = nil }
    if case .listening = reply {
      guard isAllowed else { throw violation("\(connection) may not listen to \(currentRequest.path)") }
      let replica = currentRequest.replica ?? found(currentRequest.path, currentRequest.query)
      clients[connection]?.listens[name] = Listen(
        path: currentRequest.path, query: currentRequest.query, replica: replica, notifiedPosition: position)
    } else {
      guard currentRequest.replica == nil else {
        throw violation("\(connection) was refused \(currentRequest.path) and got a value")
      }
      guard !isAllowed else { throw violation("\(connection) may listen to \(currentRequest.path)") }
      clients[connection]?.listens[name] = nil
    }
  }

  /// Checks the answer to a read with a query.
  private func answer(_ currentRequest: Request, _ reply: Reply, _ isAllowed: Bool) throws {
    switch reply {
    case .result(let result):
      guard isAllowed, rules.declares(currentRequest.query?.order, at: Self.keys(currentRequest.path)) else {
        throw violation("a read of \(currentRequest.path) was answered")
      }
      guard SimulationTree(result.node) == found(currentRequest.path, currentRequest.query) else {
        throw violation("a read of \(currentRequest.path) found something else")
      }
    case .failure(let failure):
      let isDeclared = rules.declares(currentRequest.query?.order, at: Self.keys(currentRequest.path))
      guard failure.code == (isAllowed ? .indexNotDefined : .permissionDenied), !isAllowed || !isDeclared else {
        throw violation("a read of \(currentRequest.path) was refused: \(failure)")
      }
    default: throw violation("a read of \(currentRequest.path) was answered by \(reply)")
    }
  }

  /// The data at a path, or the result of the query there.
  private func found(_ path: String, _ query: Query?) -> SimulationTree {
    query.map { SimulationQuery($0).result(of: tree[path]) } ?? tree[path]
  }

  /// Checks after a step that every listen is permitted and holds the present data.
  mutating func settle() throws {
    try requireNoCredentialDue()
    if let revoked { throw violation("the credential of \(revoked) was revoked without an event") }
    for (connection, client) in clients {
      for (name, listen) in client.listens {
        guard holds(listen) else { throw violation("\(connection) holds something else at \(listen.path), \(name)") }
        if isAllowed(connection, listen.path, listen.query) {
          clients[connection]?.listens[name]?.deniedSince = nil
          continue
        }
        let since = listen.deniedSince ?? now.monotonicMilliseconds
        clients[connection]?.listens[name]?.deniedSince = since
        let isLate = now.monotonicMilliseconds - since >= limits.clockIntervalMilliseconds
        guard rules.readsTime(Self.keys(listen.path)), !isLate else {
          throw violation("\(connection) still listens to \(listen.path)")
        }
      }
    }
  }

  /// Returns true when a listen has its data; a client that receives more than it asked for filters it.
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
