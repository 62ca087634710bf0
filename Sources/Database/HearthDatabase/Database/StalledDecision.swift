import HearthEngine
import HearthTree

/// The decision of a command while the disk is full: only some answers can be sent at once, so each command is decided
/// in a batch of its own.
enum StalledDecision {
  /// Decides the first of the commands.
  static func decide(_ commands: inout ArraySlice<Command>, at instant: Instant, by decider: CommandDecider) {
    guard let command = commands.popFirst() else { return }
    let (durable, start) = (decider.writer.durable.state, decider.environment.meters.now())
    let (isCrowded, isBlocked, refusal) = decider.writer.batches.pipeline.withLock { pipeline in
      (
        pipeline.stall?.deferredCount ?? 0 >= decider.limits.commandsPendingMax,
        pipeline.stall?.waitingConnections.contains(command.connection) == true, pipeline.status.refusal
      )
    }
    let (time, batch, turn, deadline) = decider.engine.withLock { engine in
      engine.setStalled(refusal)
      engine.recordDecisions(decider.decisionObservers.detail)
      engine.observeCommits(decider.writer.outboxes.commitObserver)
      let time = engine.decide([], at: instant)
      let (isKnownSettled, faults) = FaultScope.run(.install) { Self.isSettled(command, engine, durable) }
      let isSettled = isKnownSettled && !faults.isIncomplete
      let isFree = command.action.isChange || command.principal != nil
      // Waiting commands are in memory: refusing these reads bounds the memory however long the disk is full.
      if isCrowded, command.action.isRead, !isSettled || isBlocked && !isFree {
        let refused = engine.answer([(command, .failure(.unavailable))])
        return (time, refused, Stall.DeliveryOrder.first, engine.nextDeadlineMonotonicMilliseconds)
      }
      let batch = engine.decide([command], at: instant)
      let turn: Stall.DeliveryOrder = !isSettled ? .last : isFree ? .first : .unlessWaiting
      return (time, batch, turn, engine.nextDeadlineMonotonicMilliseconds)
    }
    decider.environment.meters.answered(time)
    decider.environment.meters.decided(batch, since: start)
    decider.enqueue(time, .unlessWaiting)
    decider.enqueue(batch, turn)
    decider.setTimer(deadline, at: instant)
  }

  /// Returns true when the answer to a command does not depend on the batches that wait for the disk: neither the data
  /// in the answer nor the decision of the rules does.
  private static func isSettled(_ command: Command, _ engine: Engine, _ durable: DatabaseState) -> Bool {
    let (path, query): (Path, Query?)
    switch command.action {
    case .listen(let request): (path, query) = (request.path, request.query)
    case .get(let asked, let by): (path, query) = (asked, by)
    default: return true
    }
    // The read is refused without reading the data.
    guard engine.isAddressable(path) else { return true }
    guard engine.state.storedRules == durable.storedRules, engine.state.root[path] == durable.root[path] else {
      return false
    }
    guard let principal = engine.principal(of: command) else { return true }
    func isAllowed(_ state: DatabaseState, _ query: Query?) -> Bool {
      (try? state.read(path, as: principal, nowMilliseconds: engine.now.wallMilliseconds, query: query)) != nil
    }
    return [query, nil].allSatisfy { isAllowed(engine.state, $0) == isAllowed(durable, $0) }
  }
}
