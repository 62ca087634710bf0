import HearthTree

/// The handler of compared writes, and of the turns that they get when they conflict.
enum TurnHandler {
  /// Decides a compared write, or queues it for its turn.
  static func compare(_ command: Command, _ operation: WriteOperation, in engine: inout Engine) {
    guard let principal = engine.principal(of: command), let request = command.request,
      engine.isAddressable(operation.path)
    else {
      return WriteHandler.perform(command, operation, in: &engine)
    }
    let requester = TurnRequester(command, as: principal)
    if !engine.isSettling, !command.hadTurn {
      engine.turns.recordWrite(requester, at: operation.path, engine.now)
      if waits(requester, command, request, operation, principal, in: &engine) { return }
    }
    perform(command, operation, requester, in: &engine)
  }

  /// Decides a compared write, and updates turns for the result.
  private static func perform(
    _ command: Command, _ operation: WriteOperation, _ requester: TurnRequester, in engine: inout Engine
  ) {
    WriteHandler.perform(command, operation, in: &engine)
    if engine.hasSetAside { return engine.turns.setAside(requester, at: operation.path) }
    switch engine.effects.last {
    case .reply(_, _, .stale): engine.turns.answeredStale(requester, at: operation.path, engine.now)
    case .reply(_, _, let reply): engine.turns.answered(requester, at: operation.path, isDone: reply.isDone, engine.now)
    default: break
    }
  }

  /// Queues a compared write when others wait or have a turn at its location. A writer without read permission there is
  /// refused at once.
  private static func waits(
    _ requester: TurnRequester, _ command: Command, _ request: Int32, _ operation: WriteOperation,
    _ principal: Principal, in engine: inout Engine
  ) -> Bool {
    let path = operation.path
    guard engine.turns.isContended(path), engine.state.readRefusal(path, principal, at: engine.now) == nil else {
      return false
    }
    let bytesMax = engine.setsAside ? engine.limits.inlineHashBytesMax : engine.limits.hashSizeBytesMax
    let isCheap = engine.hashes.isCheap(
      engine.state.root[path], at: HashCache.Place(path: path, of: operation.expectedHash ?? ""), sizeBytesMax: bytesMax
    )
    let isStale = isCheap ? WriteHandler.stale(operation, in: &engine) != nil : nil
    // After a failed read the write is refused at once.
    guard !engine.reads.hasFailed, engine.turns.mustWait(requester, at: path, isStale: isStale, engine.now) else {
      return false
    }
    if isStale == true {
      return engine.turns.wait(requester, at: path, command.connection, request: request, nil, sizeBytes: 0)
    }
    let sizeBytes = operation.change.heldBytes(upTo: engine.limits.largeWriteBytes)
    return sizeBytes <= engine.limits.largeWriteBytes
      && engine.turns.wait(requester, at: path, command.connection, request: request, command, sizeBytes: sizeBytes)
  }

  /// Answers the waiting compared writes whose turn has begun. Answers beyond the batch's limit follow in the next one.
  static func take(in engine: inout Engine) {
    guard !engine.isSettling, !engine.turns.isIdle else { return }
    var count = 0
    while !engine.hasSetAside, engine.payload.count < engine.limits.batchBytes, count < engine.limits.batchCommandsMax,
      engine.meter.batchStepsLeft > 0,
      let (waiter, path) = engine.turns.next(at: engine.now)
    {
      count += 1
      engine.beginCommand(paidBy: waiter.command.map(WorkPayer.init))
      defer { engine.endCommand() }
      if let command = waiter.command, case .write(let operation) = command.action {
        perform(command, operation, waiter.requester, in: &engine)
      } else {
        engine.beginPlan()
        let node = engine.state.root[path]
        let reply = engine.dropsPlan(of: path) ? Reply.failure(.unavailable) : .stale(node)
        engine.effects.append(engine.tally.answer(waiter, reply))
      }
    }
  }

  /// Decides a connection's waiting writes before its next request, which must follow them: matching ones are decided
  /// now, and stale ones are answered as stale, as they would be in their turn.
  ///
  /// - Returns: False when one of them was left to the background.
  static func settle(before command: Command, in engine: inout Engine) -> Bool {
    guard command.principal == nil, command.action.comesAfterWrites, !engine.isSettling else { return true }
    for waiting in engine.turns.undecided(of: command.connection) {
      guard case .write(let operation) = waiting.command.action else { continue }
      engine.beginPlan()
      let (node, hash) = (engine.state.root[operation.path], operation.expectedHash ?? "")
      let hashed = engine.hashes.hashedBytes(
        node, at: HashCache.Place(path: operation.path, of: hash),
        upTo: engine.setsAside ? engine.limits.inlineHashBytesMax : .max)
      engine.meter.stepsTaken += (hashed ?? 0) / EngineLimits.hashedBytesPerStep
      let isStale = hashed != nil && !engine.hashes.accepts(node, at: operation.path, hash: hash)
      if isStale, !engine.reads.hasFailed {
        engine.turns.settle(waiting)
        continue
      }
      guard engine.turns.take(waiting) else { continue }
      var command = waiting.command
      command.hadTurn = true
      WriteHandler.perform(command, operation, in: &engine)
      if engine.hasSetAside { return false }
    }
    return true
  }

  /// Refuses all waiting writes, because no more writes are possible.
  static func end(_ failure: Failure, in engine: inout Engine) {
    for waiter in engine.turns.removeAll() { engine.effects.append(engine.tally.answer(waiter, .failure(failure))) }
  }
}
