import HearthRules
import HearthTree

/// Writes that take long to decide: set aside, decided elsewhere, and settled here.
extension Engine {
  /// Makes a write so that was set aside and decided meanwhile. When something that it was decided from is different
  /// now, or somebody else asks, it is set aside again.
  public mutating func settle(_ write: DecidedWrite, at instant: Instant) -> Batch {
    (settling, queries.ready) = (write, write.indexes)
    defer { (settling, queries.ready) = (nil, []) }
    return decide([write.write.command], at: instant)
  }

  /// Decides a write, or sets it aside when that is wanted and would take long.
  mutating func perform(_ command: Command, _ operation: WriteOperation) {
    if let settling { return settle(command, operation, settling) }
    if notes != nil {
      let principal = principal(of: command)
      notes?.note(operation, by: principal, state, now, limits)
    }
    guard setsAside else { return write(command, operation) }
    if operation.change.isLarge(sizeBytesMax: limits.largeWriteBytes) { return putAside(command, operation) }
    let (effectCount, caseCount, tally) = (effects.count, tap?.caseCount ?? 0, tally)
    stepsInLineMax = limits.largeWriteSteps
    write(command, operation)
    stepsInLineMax = nil
    guard isOverlong else { return }
    isOverlong = false
    // Nothing has come of it but a refusal that does not count.
    effects.removeSubrange(effectCount...)
    self.tally = tally
    tap?.forget(from: caseCount)
    putAside(command, operation)
  }

  private mutating func putAside(_ command: Command, _ operation: WriteOperation) {
    guard let principal = principal(of: command) else { return fail(command, .unknownConnection) }
    var command = command
    // The engine that decides it knows no connection.
    command.address = command.address ?? connections[command.connection]?.address
    setAside = LargeWrite(
      command: command, operation: operation, principal: principal, state: state, now: now, limits: limits,
      orders: listens.neededOrders(below: operation.path), isTapped: tap != nil)
  }

  private mutating func settle(_ command: Command, _ operation: WriteOperation, _ decided: DecidedWrite) {
    state.hasOpenPieces = false
    let isSameCase =
      principal(of: command) === decided.write.principal && state.rules.isIdentical(to: decided.write.state.rules)
    guard isSameCase, let root = decided.root(on: state.root) else { return putAside(command, operation) }
    if let cases = decided.cases { tap?.note(cases) }
    if var commit = decided.notes.commit {
      (commit.oldRoot, commit.newRoot, commit.position) = (state.root, root, state.position + 1)
      let writer = operation.firesTriggers ? decided.write.principal : nil
      if let objection = changeTap?.objection(to: commit, by: writer, at: now) { return fail(command, objection) }
      decided.append(to: &payload)
      state.root = root
      state.position += 1
      tap?.noteChange(commit)
      changeTap?.note(commit, by: writer, at: now)
      announce(commit)
    }
    for var effect in decided.effects {
      if case .reply(let connection, let request, let reply) = effect {
        // Whether its writer may read is decided now, on the same state as the effects of the write.
        let told = reply.isDone ? writtenReply(operation, to: decided.write.principal) : reply
        tally.noteWrite(told)
        effect = .reply(connection, request: request, told)
      }
      effects.append(effect)
    }
  }
}
