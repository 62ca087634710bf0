import HearthTree

/// Compared writes, and their turns when they conflict.
extension Engine {
  /// Decides a compared write, or queues it for its turn.
  mutating func compare(_ command: Command, _ operation: WriteOperation) {
    guard let principal = principal(of: command), let request = command.request, isAddressable(operation.path) else {
      return perform(command, operation)
    }
    let requester = TurnRequester(command, as: principal)
    if !isSettling, !command.hadTurn {
      turns.asks(requester, at: operation.path, now)
      if waits(requester, command, request, operation, principal) { return }
    }
    perform(command, operation, requester)
  }

  /// Decides a compared write, and updates turns for the result.
  private mutating func perform(_ command: Command, _ operation: WriteOperation, _ requester: TurnRequester) {
    perform(command, operation)
    if hasSetAside { return turns.setAside(requester, at: operation.path) }
    switch effects.last {
    case .reply(_, _, .stale): turns.answeredLate(requester, at: operation.path, now)
    case .reply(_, _, let reply): turns.answered(requester, at: operation.path, isDone: reply.isDone, now)
    default: break
    }
  }

  /// Queues a compared write when others wait or have a turn at its location. A writer without read permission there is
  /// refused at once.
  private mutating func waits(
    _ requester: TurnRequester, _ command: Command, _ request: Int32, _ operation: WriteOperation,
    _ principal: Principal
  ) -> Bool {
    let path = operation.path
    guard turns.isContended(path), state.readRefusal(path, principal, at: now) == nil else { return false }
    let bytesMax = setsAside ? limits.hashBytesInLine : limits.hashSizeBytesMax
    let isCheap = hashes.isCheap(
      state.root[path], at: HashCache.Place(path: path, of: operation.expectedHash ?? ""), sizeBytesMax: bytesMax)
    let isLate = isCheap ? stale(operation) != nil : nil
    guard turns.mustWait(requester, at: path, isLate: isLate, now) else { return false }
    if isLate == true {
      return turns.wait(requester, at: path, command.connection, request: request, nil, sizeBytes: 0)
    }
    let sizeBytes = operation.change.heldBytes(upTo: limits.largeWriteBytes)
    return sizeBytes <= limits.largeWriteBytes
      && turns.wait(requester, at: path, command.connection, request: request, command, sizeBytes: sizeBytes)
  }

  /// Answers the waiting writes whose turn has come. Answers beyond the batch's limit follow in the next one.
  mutating func takeTurns() {
    guard !isSettling, !turns.isIdle else { return }
    var count = 0
    while !hasSetAside, payload.count < limits.batchBytes, count < limits.batchCommandsMax, meter.batchStepsLeft > 0,
      let (waiter, path) = turns.next(at: now)
    {
      count += 1
      beginCommand(paidBy: waiter.command.map(WorkPayer.init))
      defer { endCommand() }
      if let command = waiter.command, case .write(let operation) = command.action {
        perform(command, operation, waiter.requester)
      } else {
        effects.append(tally.answer(waiter, .stale(state.root[path])))
      }
    }
  }

  /// Decides a connection's waiting writes before its next request, which must follow them: matching ones are decided
  /// now, and stale ones lose nothing.
  ///
  /// - Returns: False when one of them was set aside.
  mutating func settleTurns(before command: Command) -> Bool {
    guard command.principal == nil, command.action.comesAfterWrites, !isSettling else { return true }
    for waiting in turns.undecided(of: command.connection) {
      guard case .write(let operation) = waiting.command.action else { continue }
      let (node, hash) = (state.root[operation.path], operation.expectedHash ?? "")
      let hashed = hashes.hashedBytes(
        node, at: HashCache.Place(path: operation.path, of: hash), upTo: setsAside ? limits.hashBytesInLine : .max)
      meter.stepsTaken += (hashed ?? 0) / EngineLimits.hashedBytesPerStep
      if hashed != nil, !hashes.accepts(node, at: operation.path, hash: hash) {
        turns.settle(waiting)
        continue
      }
      guard turns.take(waiting) else { continue }
      var command = waiting.command
      command.hadTurn = true
      perform(command, operation)
      if hasSetAside { return false }
    }
    return true
  }

  /// Refuses all waiting writes, because no more writes are possible.
  mutating func endTurns(_ failure: Failure) {
    for waiter in turns.removeAll() { effects.append(tally.answer(waiter, .failure(failure))) }
  }
}
