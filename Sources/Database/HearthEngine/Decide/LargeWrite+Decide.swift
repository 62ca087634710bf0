import HearthRules
import HearthTree

extension LargeWrite {
  /// Decides the write; called in the background, because it takes long.
  public func decided() -> DecidedWrite {
    let (decided, faults) = FaultScope.run(.install) { decidedNow() }
    return faults.isIncomplete ? DecidedWrite(incomplete: self, steps: decided.steps) : decided
  }

  private func decidedNow() -> DecidedWrite {
    var state = state
    // This temporary engine must not end the sessions that it knows.
    state.sessions = OnDisconnectSessions()
    var engine = Engine(state: state, limits: limits)
    engine.dependencies = LargeWriteDependencies()
    // A growing array would be copied to fresh memory at each doubling.
    engine.payload.reserveCapacity(operation.change.heldBytes(upTo: limits.touchedBytesMax))
    if recordsDecisions { engine.recordDecisions(.cases) }
    var command = command
    command.principal = principal
    let batch = engine.decide([command], at: now)
    var cost = QueryCost()
    let (indexes, faults) = FaultScope.run(.stream) { self.indexes(of: batch.state.root, &cost) }
    let found = ownQueries(of: batch.state.root, indexes)
    let bytes = batch.payload.count + operation.change.heldBytes(upTo: limits.touchedBytesMax)
    let ownSteps = batch.work.reduce(0) { $0 + $1.steps } + bytes / EngineLimits.recordBytesPerStep
    let querySteps = cost.total + EngineLimits.steps(ofReads: faults.count) + found.reduce(0) { $0 + $1.steps }
    return DecidedWrite(
      write: self, effects: batch.effects, record: batch.payload, root: batch.state.root,
      dependencies: engine.dependencies ?? LargeWriteDependencies(), indexes: indexes, ownQueries: found,
      steps: ownSteps + querySteps, cases: batch.decided)
  }

  /// Evaluates those of the writer's own live queries that examine many children.
  private func ownQueries(of root: Node, _ indexes: [LocationIndex]) -> [EvaluatedQuery] {
    ownQueries.compactMap { path, query in
      let node = root[path]
      guard node.childCount > limits.inlineQueriedChildrenMax, !node.isIdentical(to: state.root[path]) else {
        return nil
      }
      let index = indexes.first { $0.path == path && $0.index.order == query.effectiveOrder }?.index
      return LargeQuery(
        command: command, path: path, query: query, node: node, index: index, makesIndex: false, isListen: true
      ).evaluated()
    }
  }

  /// Returns new indexes for the large locations that the write replaces. The engine itself builds the small ones, and
  /// updates the indexes of locations that the write changes in part.
  private func indexes(of root: Node, _ cost: inout QueryCost) -> [LocationIndex] {
    orders.compactMap { path, order in
      let node = root[path]
      guard node.childCount >= limits.indexedChildrenMin, !node.isIdentical(to: state.root[path]) else { return nil }
      return LocationIndex(path: path, node: node, index: ChildIndex(node, by: order, cost: &cost))
    }
  }
}

extension LargeWrite {
  /// Returns true when a write takes long because of its size and of the indexes that it rebuilds.
  static func takesLong(_ operation: WriteOperation, in engine: borrowing Engine) -> Bool {
    let (change, bytesMax) = (operation.change, engine.limits.largeWriteBytes)
    if change.isLarge(sizeBytesMax: bytesMax) { return true }
    guard engine.listens.queriedLocationCount > 0, change.isLarge(sizeBytesMax: bytesMax / 16) else { return false }
    return change.isLarge(sizeBytesMax: bytesMax / (1 + engine.listens.neededOrders(below: operation.path).count))
  }

  /// Leaves a write to the background.
  static func setAside(_ command: Command, _ operation: WriteOperation, in engine: inout Engine) {
    guard let principal = engine.principal(of: command) else { return engine.fail(command, .unknownConnection) }
    var command = command
    // An engine with this role has no connections, so the principal comes from the change.
    command.address = command.address ?? engine.connections[command.connection]?.address
    engine.largeCommand = .write(
      LargeWrite(
        command: command, operation: operation, principal: principal, state: engine.state, now: engine.now,
        limits: engine.limits, orders: engine.listens.neededOrders(below: operation.path),
        ownQueries: ownQueries(of: command, below: operation.path, in: engine),
        recordsDecisions: engine.decisionRecorder != nil))
  }

  /// The most own live queries of a writer that are evaluated with a large write.
  private static let ownQueriesMax = 16

  private static func ownQueries(
    of command: Command, below path: Path, in engine: borrowing Engine
  ) -> [(path: Path, query: Query)] {
    guard let connection = engine.connections[command.connection],
      connection.tagged.count <= engine.limits.inlineQueriesMax
    else { return [] }
    let groups = connection.tagged.entries.lazy.compactMap(\.value.group).filter { path.contains($0.node.path) }
    return groups.prefix(ownQueriesMax).map { ($0.node.path, $0.shownQuery) }
  }
}

extension DecidedWrite {
  /// Commits the write on the newest state, or leaves it to the background again when data that it depends on has
  /// changed.
  func settle(_ command: Command, _ operation: WriteOperation, in engine: inout Engine) {
    engine.state.hasOpenPieces = false
    let isSameCase =
      engine.principal(of: command) === write.principal && engine.state.rules.isIdentical(to: write.state.rules)
    guard isSameCase, let root = root(on: engine.state.root) else {
      return LargeWrite.setAside(command, operation, in: &engine)
    }
    // The writer's read permission is decided now, on the same state as the effects of the write.
    let written = WriteHandler.writtenReply(operation, to: write.principal, on: root, in: engine)
    if engine.refusesUnread(command) { return }
    if let cases { engine.decisionRecorder?.note(cases) }
    if var commit = dependencies.commit {
      (commit.oldRoot, commit.newRoot, commit.position) = (engine.state.root, root, engine.state.position + 1)
      let writer = operation.firesTriggers ? write.principal : nil
      if let objection = engine.commitObserver?.objection(to: commit, by: writer, at: engine.now) {
        return engine.fail(command, objection)
      }
      engine.reads.endPlan()
      append(to: &engine.payload)
      engine.state.root = root
      engine.state.position += 1
      engine.decisionRecorder?.noteChange(commit)
      engine.commitObserver?.note(commit, by: writer, at: engine.now)
      CommitDelivery.announce(commit, in: &engine)
    }
    for var effect in effects {
      if case .reply(let connection, let request, let reply) = effect {
        let finalReply = reply.isDone ? written : reply
        engine.tally.noteWrite(finalReply)
        effect = .reply(connection, request: request, finalReply)
      }
      engine.effects.append(effect)
    }
  }
}

extension LargeWrite {
  /// Forgets the stored pieces of a write that is decided again; recovery skips them.
  package static func forgetPieces(in engine: inout Engine) { engine.state.hasOpenPieces = false }

  /// Adds a piece of a large write's record to the log, before the write is settled.
  ///
  /// - Parameter number: The number of the first piece; nil for the first piece itself.
  package static func stage(
    _ piece: ArraySlice<UInt8>, number: Int64?, at instant: Instant, in engine: inout Engine
  ) -> (batch: Batch, number: Int64) {
    engine.state.position += 1
    engine.state.hasOpenPieces = true
    let position = engine.state.position
    let number = number ?? position
    var bytes: [UInt8] = []
    bytes.reserveCapacity(piece.count + CommitRecord.headerBytes + 8)
    CommitRecord(wallMilliseconds: instant.wallMilliseconds, content: .piece(number: number, bytes: piece))
      .append(to: &bytes)
    let batch = Batch(payload: bytes, firstPosition: position, commandCount: 0, effects: [], state: engine.state)
    return (batch, number)
  }
}

extension Engine {
  /// Commits and answers a write that was decided in the background. The write is left to the background again when
  /// data that it depends on, or its principal, has changed.
  public mutating func settle(_ write: DecidedWrite, at instant: Instant) -> Batch {
    (settling, queries.ready, queries.evaluations.results) = (write, write.indexes, write.ownQueries)
    defer { (settling, queries.ready, queries.evaluations.results) = (nil, [], []) }
    return decide([write.write.command], at: instant).noting(write.steps, of: write.write.command)
  }
}
