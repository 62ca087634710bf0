import HearthRules
import HearthTree

/// Listens and one-time reads.
extension Engine {
  /// Decides a listen or a one-shot read. The rules decisions for a command that is set aside do not count.
  mutating func read(_ command: Command) {
    let caseCount = tap?.caseCount ?? 0
    switch command.action {
    case .listen(let request): listen(command, request)
    case .get(let path, let query): get(command, path, query)
    default: break
    }
    if hasSetAside { tap?.forget(from: caseCount) }
  }

  private mutating func listen(_ command: Command, _ request: ListenRequest) {
    guard let connection = connections[command.connection] else { return fail(command, .unknownConnection) }
    let path = request.path
    guard isAddressable(path) else { return fail(command, .invalidPath) }
    if let query = request.query {
      guard let tag = request.tag else { return fail(command, Failure(.invalidData, "A query needs a tag")) }
      return listen(command, request, connection, query, tag)
    }
    let known = listens.node(at: path).flatMap { connection.listen(at: $0) }
    if known == nil, let full = listens.refusal(of: connection, at: path, limits) { return fail(command, full) }
    let decision = decideListen(path, connection.principal)
    if let decision, !decision.isAllowed {
      if let known { forget(known) }
      return deny(command, .listen, path, connection.principal, decision)
    }
    let node = state.root[path]
    if LargeComparison.setsAside(command, request, node, of: nil, in: &self) { return }
    let listen = known ?? listens.add(connection, at: path)
    setGrant(of: listen, by: decision)
    begin(listen, request, with: node)
    reply(command, .listening(isIndexed: true))
  }

  /// Starts a listen for the result of a query. The client identifies it by its tag, which ends an earlier listen with
  /// that tag.
  private mutating func listen(
    _ command: Command, _ request: ListenRequest, _ connection: Connection, _ query: Query, _ tag: Int32
  ) {
    let path = request.path
    let known = listens.node(at: path)?.shelf?.groups[query].flatMap { connection.listen(in: $0) }
    if let other = connection.tagged[tag], other !== known { forget(other) }
    if known == nil, let full = listens.refusal(of: connection, at: path, query: query, limits) {
      return fail(command, full)
    }
    var decision = decideListen(path, connection.principal, known.map { $0.sentQuery } ?? query)
    if let decision, !decision.isAllowed {
      if let known { forget(known) }
      return deny(command, .listen, path, connection.principal, decision)
    }
    if LargeQuery.setsAside(command, path, query, in: &self) { return }
    let group = known?.group ?? queries.group(query, at: path, state, &listens)
    if known == nil, group.isWhole {
      decision = decideListen(path, connection.principal)
      if let decision, !decision.isAllowed {
        listens.closeIfUnused(group, pruning: true)
        return fail(command, .indexNotDefined(query.effectiveOrder, at: path))
      }
    }
    let data = state.root[path]
    let made =
      comparing?.value(of: group.shownQuery, at: path, data)
      ?? queries.found(group.shownQuery, at: path, data)?.shown?.result
    if let made { listens.results.keep(made, of: group, from: data) }
    let node = made ?? result(of: group, at: path)
    if LargeComparison.setsAside(command, request, node, of: group.shownQuery, in: &self) {
      return listens.closeIfUnused(group, pruning: true)
    }
    let listen = known ?? listens.add(connection, to: group, path, tag: tag)
    listens.rename(listen, tag: tag)
    setGrant(of: listen, by: decision)
    begin(listen, request, with: node)
    reply(command, .listening(isIndexed: state.rules.declares(query.effectiveOrder, at: path)))
  }

  /// Sends a listen's first value, as far as the client does not hold it already.
  private mutating func begin(_ listen: Listen, _ request: ListenRequest, with node: Node) {
    (listen.firstPosition, listen.missed) = (state.position, nil)
    let change =
      comparing.map { $0.firstChange(node) }
      ?? hashes.firstChange(
        for: request, of: listen.group?.shownQuery, node, sizeBytesMax: limits.hashSizeBytesMax)
    guard let change else { return }
    let event = Event(path: request.path, change: change, position: state.position)
    let connection = listen.connection.id
    if let tag = listen.tag {
      effects.append(.queryEvent(event, to: [TaggedRecipient(connection: connection, tag: tag)]))
    } else {
      effects.append(.event(event, to: [connection]))
    }
  }

  mutating func unlisten(_ command: Command, _ path: Path, _ query: Query?, _ tag: Int32?) {
    guard let connection = connections[command.connection] else { return fail(command, .unknownConnection) }
    if let listen = listens.listen(of: connection, path, query, tag) { forget(listen) }
    tellCatchUp()
    // A client listens at the location of a transaction until the transaction ends.
    turns.leave(TurnRequester(connection.id), at: path)
    reply(command, .ok)
  }

  private mutating func get(_ command: Command, _ path: Path, _ query: Query?) {
    guard let principal = principal(of: command) else { return fail(command, .unknownConnection) }
    guard isAddressable(path) else { return fail(command, .invalidPath) }
    meter.stepsTaken += EngineLimits.readSteps
    do {
      let node = try state.read(
        path, as: principal, nowMilliseconds: now.wallMilliseconds, query: query, stepsTaken: &meter.stepsTaken)
      tap?.noteRead(.get, path, query, principal, state, now, true)
      guard let query else { return reply(command, .value(node)) }
      let order = query.effectiveOrder
      guard !limits.requiresIndexForGets || state.rules.declares(order, at: path) else {
        return fail(command, .indexNotDefined(order, at: path))
      }
      if LargeQuery.setsAside(command, path, query, in: &self) { return }
      let index = queries.keptIndex(for: query, at: path, node, state.rules, &listens)
      reply(command, .result(QueryResult(query, of: node, index: index)))
    } catch {
      tap?.noteRead(.get, path, query, principal, state, now, false)
      deny(command, .get, path, principal, error.decision)
    }
  }

  mutating func deny(
    _ command: Command, _ operation: Denial.Operation, _ path: Path, _ principal: Principal, _ decision: Decision?
  ) {
    effects.append(
      .denied(
        Denial(
          connection: command.connection, request: command.request, operation: operation, path: path,
          principal: principal, decision: decision)))
    fail(command, .permissionDenied)
  }

  /// Returns false for `.info`, which belongs to the client, and for paths deeper than the tree can be.
  package func isAddressable(_ path: Path) -> Bool {
    path.count <= limits.depthMax && path.keys.first.map { $0 != Self.infoKey } ?? true
  }

  private static let infoKey: Key = ".info"
}
