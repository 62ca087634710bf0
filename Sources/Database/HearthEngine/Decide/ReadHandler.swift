import HearthRules
import HearthTree

/// The handler of listens and one-time reads.
enum ReadHandler {
  /// Decides a listen or a one-shot read. The recorded rules decisions are dropped when the command is left to the
  /// background, because it is decided again.
  static func read(_ command: Command, in engine: inout Engine) {
    if engine.isBackgroundIncomplete {
      // An index with a page that cannot be read is built again.
      if engine.queries.found?.query.index != nil { engine.listens.dropUnused(at: command.action.path) }
      return engine.fail(command, .unavailable)
    }
    let decisionCount = engine.decisionRecorder?.decisionCount ?? 0
    switch command.action {
    case .listen(let request): listen(command, request, in: &engine)
    case .get(let path, let query): get(command, path, query, in: &engine)
    default: break
    }
    guard engine.hasSetAside, !engine.refusesUnread(command) else { return }
    engine.decisionRecorder?.forget(from: decisionCount)
  }

  private static func listen(_ command: Command, _ request: ListenRequest, in engine: inout Engine) {
    guard let connection = engine.connections[command.connection] else {
      return engine.fail(command, .unknownConnection)
    }
    let path = request.path
    guard engine.isAddressable(path) else { return engine.fail(command, .invalidPath) }
    if let query = request.query {
      guard let tag = request.tag else { return engine.fail(command, Failure(.invalidData, "A query needs a tag")) }
      return listen(command, request, connection, query, tag, in: &engine)
    }
    let known = engine.listens.node(at: path).flatMap { connection.listen(at: $0) }
    if known == nil, let full = engine.listens.refusal(of: connection, at: path, engine.limits) {
      return engine.fail(command, full)
    }
    let decision = RedecisionHandler.decideListen(path, connection.principal, in: &engine)
    if let decision, !decision.isAllowed {
      if engine.refusesUnread(command) { return }
      if let known { RedecisionHandler.forget(known, in: &engine) }
      return engine.deny(command, .listen, path, connection.principal, decision)
    }
    let node = engine.state.root[path]
    if LargeComparison.setsAside(command, request, node, of: nil, in: &engine) { return }
    let change = firstChange(of: node, for: request, nil, in: &engine)
    if engine.refusesUnread(command) { return }
    let listen = known ?? engine.listens.add(connection, at: path)
    RedecisionHandler.setGrant(of: listen, by: decision, in: &engine)
    begin(listen, with: change, in: &engine)
    engine.reply(command, .listening(isIndexed: true))
  }

  /// Starts a listen for the result of a query. The client identifies it by its tag, which ends an earlier listen with
  /// that tag.
  private static func listen(
    _ command: Command, _ request: ListenRequest, _ connection: Connection, _ query: Query, _ tag: Int32,
    in engine: inout Engine
  ) {
    let path = request.path
    let known = engine.listens.node(at: path)?.locationQueries?.groups[query].flatMap { connection.listen(in: $0) }
    let other = connection.tagged[tag].flatMap { $0 === known ? nil : $0 }
    // It ends only once all that the command reads has been read.
    func endOther() -> Failure? {
      if let other { RedecisionHandler.forget(other, in: &engine) }
      return known == nil
        ? engine.listens.refusal(of: connection, at: path, query: query, engine.limits) : nil
    }
    if other == nil, let full = endOther() { return engine.fail(command, full) }
    var decision = RedecisionHandler.decideListen(
      path, connection.principal, known.map { $0.sentQuery } ?? query, in: &engine)
    if let decision, !decision.isAllowed {
      if engine.refusesUnread(command) { return }
      _ = endOther()
      if let known { RedecisionHandler.forget(known, in: &engine) }
      return engine.deny(command, .listen, path, connection.principal, decision)
    }
    if LargeQuery.setsAside(command, path, query, in: &engine) {
      if !engine.reads.hasFailed { _ = endOther() }
      return
    }
    let group = known?.group ?? engine.queries.group(query, at: path, engine.state, &engine.listens)
    if known == nil, group.isUnfiltered {
      decision = RedecisionHandler.decideListen(path, connection.principal, in: &engine)
      if let decision, !decision.isAllowed {
        if engine.refusesUnread(command) { return }
        engine.listens.closeIfUnused(group, pruning: true)
        _ = endOther()
        return engine.fail(command, .indexNotDefined(query.effectiveOrder, at: path))
      }
    }
    let data = engine.state.root[path]
    let made =
      engine.comparing?.value(of: group.shownQuery, at: path, data)
      ?? engine.queries.found(group.shownQuery, at: path, data)?.shown?.result
    if let made { engine.listens.results.keep(made, of: group, from: data) }
    let node = made ?? CommitDelivery.result(of: group, at: path, in: &engine)
    if LargeComparison.setsAside(command, request, node, of: group.shownQuery, in: &engine) {
      if !engine.reads.hasFailed { _ = endOther() }
      return engine.listens.closeIfUnused(group, pruning: true)
    }
    let change = firstChange(of: node, for: request, group.shownQuery, in: &engine)
    if engine.refusesUnread(command) { return }
    if other != nil, let full = endOther() {
      engine.listens.closeIfUnused(group, pruning: true)
      return engine.fail(command, full)
    }
    let listen = known ?? engine.listens.add(connection, to: group, path, tag: tag)
    engine.listens.rename(listen, tag: tag)
    RedecisionHandler.setGrant(of: listen, by: decision, in: &engine)
    begin(listen, with: change, in: &engine)
    engine.reply(command, .listening(isIndexed: engine.state.rules.declares(query.effectiveOrder, at: path)))
  }

  /// Returns the first event of a listen, without the data that the client holds already; nil when it holds all of it.
  private static func firstChange(
    of node: Node, for request: ListenRequest, _ query: Query?, in engine: inout Engine
  ) -> Event? {
    let change =
      engine.comparing.map { $0.firstChange(node) }
      ?? engine.hashes.firstChange(for: request, of: query, node, sizeBytesMax: engine.limits.hashSizeBytesMax)
    return change.map { Event(path: request.path, change: $0, position: engine.state.position) }
  }

  /// Sends a listen's first event.
  private static func begin(_ listen: Listen, with event: Event?, in engine: inout Engine) {
    (listen.firstPosition, listen.missed) = (engine.state.position, nil)
    guard let event else { return }
    let connection = listen.connection.id
    if let tag = listen.tag {
      engine.effects.append(.queryEvent(event, to: [TaggedRecipient(connection: connection, tag: tag)]))
    } else {
      engine.effects.append(.event(event, to: [connection]))
    }
  }

  static func unlisten(_ command: Command, _ path: Path, _ query: Query?, _ tag: Int32?, in engine: inout Engine) {
    guard let connection = engine.connections[command.connection] else {
      return engine.fail(command, .unknownConnection)
    }
    if let listen = engine.listens.listen(of: connection, path, query, tag) {
      RedecisionHandler.forget(listen, in: &engine)
    }
    RedecisionHandler.sendCatchUp(in: &engine)
    // The SDKs listen at the location of a transaction until the transaction ends.
    engine.turns.leave(TurnRequester(connection.id), at: path)
    engine.reply(command, .ok)
  }

  private static func get(_ command: Command, _ path: Path, _ query: Query?, in engine: inout Engine) {
    guard let principal = engine.principal(of: command) else { return engine.fail(command, .unknownConnection) }
    guard engine.isAddressable(path) else { return engine.fail(command, .invalidPath) }
    engine.meter.stepsTaken += EngineLimits.readSteps
    do {
      let node = try engine.state.read(
        path, as: principal, nowMilliseconds: engine.now.wallMilliseconds, query: query,
        stepsTaken: &engine.meter.stepsTaken)
      engine.decisionRecorder?.noteRead(.get, path, query, principal, engine.state, engine.now, true)
      guard let query else { return engine.reply(command, .value(node)) }
      let order = query.effectiveOrder
      guard !engine.limits.requiresIndexForGets || engine.state.rules.declares(order, at: path) else {
        return engine.fail(command, .indexNotDefined(order, at: path))
      }
      if LargeQuery.setsAside(command, path, query, in: &engine) { return }
      let index = engine.queries.keptIndex(for: query, at: path, node, engine.state.rules, &engine.listens)
      engine.reply(command, .result(QueryResult(query, of: node, index: index)))
    } catch {
      engine.decisionRecorder?.noteRead(.get, path, query, principal, engine.state, engine.now, false)
      engine.deny(command, .get, path, principal, error.decision)
    }
  }
}
