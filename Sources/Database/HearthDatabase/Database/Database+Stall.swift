import Dispatch
import HearthEngine
import HearthJournal
import HearthTree

/// The behaviour without room on the disk, or while the journal's engine cannot be reached: decided batches wait and
/// are retried, and further changes are refused.
///
/// The alternative is to undo the decided batches. But listens have been decided and windows moved on top of them, and
/// permissions were revoked; stored later in order, every batch takes effect as it was decided.
extension Database {
  // MARK: The journal queue

  /// Keeps batches that could not be stored, and schedules a retry.
  func stall(_ batches: [Batch], _ error: JournalError) {
    let now = environment.clock().monotonicMilliseconds
    let delay = limits.appendRetryMillisecondsMin
    let isNoticed = pipeline.withLock { line in
      line.putBack(batches)
      // The database was closed meanwhile, and closing refuses the waiting batches.
      guard line.status == .running else { return false }
      line.status = .stalled(error)
      line.isInDoubt = error.leavesOutcomeUnknown
      let isNoticed = line.isStallNoticeDue(at: now, limits)
      var stall = Stall(
        sinceMonotonicMilliseconds: now, delayMilliseconds: delay, isNoticed: isNoticed, groupCount: batches.count)
      for batch in line.waiting { stall.hold(batch.effects) }
      line.stall = stall
      // Commands that wait for the disk are no longer decided.
      if line.isFull {
        line.isFull = false
        room.signal()
      }
      return isNoticed
    }
    if isNoticed { environment.notice(.stalled(error)) }
    scheduleRetry(afterMilliseconds: delay)
  }

  private func scheduleRetry(afterMilliseconds delay: Int64) {
    environment.schedule(delay) { [weak self] in
      guard let self else { return }
      journalQueue.async { self.storeWaiting() }
    }
  }

  /// Retries storing the batches that wait for room, and accepts writes again once all of them are stored.
  func storeWaiting() {
    while true {
      enum Next {
        case nothing
        case group([Batch])
        case resumed(Stall)
      }
      let next = pipeline.withLock { line -> Next in
        guard let stall = line.stall else { return .nothing }
        let batches = line.take(sizeBytesMax: groupBytesMax, isRetry: true)
        guard batches.isEmpty else { return .group(batches) }
        line.stall = nil
        line.status = .running
        return .resumed(stall)
      }
      switch next {
      case .nothing: return
      case .resumed(let stall): return resume(after: stall)
      case .group(let batches):
        do throws(JournalError) {
          try store(batches)
          pipeline.withLock { line in
            line.stall?.groupCount = nil
            line.isInDoubt = false
          }
          deliver(batches)
        } catch {
          if error.isPassing { return waitOn(batches, error) }
          halt(batches, error)
          return writeWaiting()
        }
      }
    }
  }

  private func resume(after stall: Stall) {
    if stall.isNoticed {
      let now = environment.clock().monotonicMilliseconds
      environment.notice(.resumed(afterMilliseconds: max(0, now - stall.sinceMonotonicMilliseconds)))
    }
    // Wakes the deciding queue for its waiting work: connections that ended meanwhile.
    submit([Command(connection: ConnectionID(rawValue: 0), action: .tick)])
  }

  private func waitOn(_ batches: [Batch], _ error: JournalError) {
    let now = environment.clock().monotonicMilliseconds
    let (delay, isNoticed, isLong) = pipeline.withLock { line -> (Int64, Bool, Bool) in
      line.putBack(batches)
      guard var stall = line.stall else { return (0, false, false) }
      line.status = .stalled(error)
      // In doubt since an earlier attempt, regardless of this one's error.
      line.isInDoubt = line.isInDoubt || error.leavesOutcomeUnknown
      stall.groupCount = batches.count
      stall.delayMilliseconds = min(stall.delayMilliseconds * 2, limits.appendRetryMillisecondsMax)
      let isNoticed = line.isStallNoticeDue(at: now, limits)
      stall.isNoticed = stall.isNoticed || isNoticed
      line.stall = stall
      let isLong = now - stall.sinceMonotonicMilliseconds >= limits.stallAnswerSeconds * 1_000
      return (stall.delayMilliseconds, isNoticed, isLong)
    }
    if isNoticed { environment.notice(.stalled(error)) }
    if isLong { answerOneOffs() }
    scheduleRetry(afterMilliseconds: delay)
  }

  /// Answers one-off requests that their outcome is unknown. Clients with a connection go on waiting, as they do
  /// without a network, and are answered once it is stored.
  private func answerOneOffs() {
    let live = engine.withLock { $0.connectionIDs }
    var answers: [Effect] = []
    pipeline.withLock { line in
      for index in line.waiting.indices {
        line.waiting[index].effects.removeAll { effect in
          guard case .reply(let id, let request, let reply) = effect, !live.contains(id) else { return false }
          answers.append(.reply(id, request: request, .failure(reply.isDone ? .outcomeUnknown : .unavailable)))
          return true
        }
      }
    }
    deliver(answers)
  }

  // MARK: The deciding queue

  /// Decides commands without room on the disk, each by itself, since only some can be answered at once.
  func decideStalled(_ commands: inout ArraySlice<Command>, at instant: Instant) {
    guard let command = commands.popFirst() else { return }
    let (durable, start) = (published, environment.meters.now())
    let (isCrowded, isHeld, refusal) = pipeline.withLock { line in
      (
        line.stall?.deferredCount ?? 0 >= limits.commandsPendingMax,
        line.stall?.held.contains(command.connection) == true, line.status.refusal
      )
    }
    let (time, batch, turn, deadline) = engine.withLock { engine in
      engine.setStalled(refusal)
      engine.tapDecisions(watch.detail)
      engine.tapChanges(outboxes.tap)
      let time = engine.decide([], at: instant)
      let isSettled = Self.isSettled(command, engine, durable)
      let isFree = command.action.isChange || command.principal != nil
      // The waiting commands are in memory: this bounds them however long the disk is full.
      if isCrowded, command.action.isRead, !isSettled || isHeld && !isFree {
        let refused = engine.refuse(command, .unavailable)
        return (time, refused, Stall.Turn.first, engine.nextDeadlineMonotonicMilliseconds)
      }
      let batch = engine.decide([command], at: instant)
      let turn: Stall.Turn = !isSettled ? .last : isFree ? .first : .ifNotHeld
      return (time, batch, turn, engine.nextDeadlineMonotonicMilliseconds)
    }
    environment.meters.answered(time)
    environment.meters.decided(batch, since: start)
    pass(time, .ifNotHeld)
    pass(batch, turn)
    setTimer(deadline, at: instant)
  }

  /// Returns true when the answer to a command is the same with and without the batches that wait for the disk: neither
  /// the data it shows nor the rules that allow it depend on them.
  private static func isSettled(_ command: Command, _ engine: Engine, _ durable: Published) -> Bool {
    let (path, query): (Path, Query?)
    switch command.action {
    case .listen(let request): (path, query) = (request.path, request.query)
    case .get(let asked, let by): (path, query) = (asked, by)
    default: return true
    }
    // Refused without reading the data.
    guard engine.isAddressable(path) else { return true }
    guard engine.state.storedRules == durable.storedRules, engine.state.root[path] == durable.root[path] else {
      return false
    }
    guard let principal = engine.principal(of: command) else { return true }
    func isAllowed(_ state: Published, _ query: Query?) -> Bool {
      (try? state.read(path, as: principal, nowMilliseconds: engine.now.wallMilliseconds, query: query)) != nil
    }
    return [query, nil].allSatisfy { isAllowed(engine.state, $0) == isAllowed(durable, $0) }
  }
}

extension Pipeline {
  /// Returns true when the log entry about missing room is due, and records the time.
  fileprivate mutating func isStallNoticeDue(at now: Int64, _ limits: DatabaseLimits) -> Bool {
    if let last = stallNoticeMonotonicMilliseconds, now - last < limits.stallNoticeSeconds * 1_000 { return false }
    stallNoticeMonotonicMilliseconds = now
    return true
  }
}
