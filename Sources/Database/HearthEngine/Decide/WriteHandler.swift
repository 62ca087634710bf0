import HearthRules
import HearthTree

/// The handler of writes: the state after each write is decided as a whole.
enum WriteHandler {
  /// Decides a write, or leaves it to the background when it would take long and the caller supports that.
  static func perform(_ command: Command, _ operation: WriteOperation, in engine: inout Engine) {
    engine.beginPlan()
    if engine.isBackgroundIncomplete { return engine.fail(command, .unavailable) }
    plan(command, operation, in: &engine)
    if engine.hasSetAside { _ = engine.refusesUnread(command) }
  }

  private static func plan(_ command: Command, _ operation: WriteOperation, in engine: inout Engine) {
    if let settling = engine.settling { return settling.settle(command, operation, in: &engine) }
    if engine.dependencies != nil {
      let principal = engine.principal(of: command)
      engine.dependencies?.note(operation, by: principal, engine.state, engine.now, engine.limits)
    }
    guard engine.setsAside, engine.role != .deciding else { return write(command, operation, in: &engine) }
    if LargeWrite.takesLong(operation, in: engine) { return LargeWrite.setAside(command, operation, in: &engine) }
    let (effectCount, decisionCount, tally) = (
      engine.effects.count, engine.decisionRecorder?.decisionCount ?? 0, engine.tally
    )
    engine.inlineStepsMax = engine.limits.largeWriteSteps
    write(command, operation, in: &engine)
    engine.inlineStepsMax = nil
    guard engine.isOverlong || engine.hasSetAside else { return }
    // The only recorded effect is a refusal that does not count, because the write is decided again.
    engine.effects.removeSubrange(effectCount...)
    engine.tally = tally
    engine.decisionRecorder?.forget(from: decisionCount)
    guard engine.isOverlong else { return }
    engine.isOverlong = false
    LargeWrite.setAside(command, operation, in: &engine)
  }

  private static func write(_ command: Command, _ operation: WriteOperation, in engine: inout Engine) {
    guard let principal = engine.principal(of: command) else { return engine.fail(command, .unknownConnection) }
    let path = operation.path
    // The answer to a comparison reveals data in either case, so read permission is required even when the write is
    // allowed.
    if operation.expectedHash != nil {
      let refusal = engine.state.readRefusal(path, principal, at: engine.now, stepsTaken: &engine.meter.stepsTaken)
      engine.decisionRecorder?.noteRead(.compare, path, nil, principal, engine.state, engine.now, refusal == nil)
      if let refusal { return engine.deny(command, .compare, path, principal, refusal.decision) }
    }
    var isCompared = true
    switch WriteComparison(of: operation, in: &engine) {
    case .matches: break
    case .stale(let node): return engine.reply(command, .stale(node))
    case .expensive: isCompared = false
    }
    let candidate: Candidate
    do {
      candidate = try Candidate(
        operation, on: engine.state.root, nowMilliseconds: engine.now.wallMilliseconds, limits: engine.limits)
    } catch {
      return engine.fail(command, error)
    }
    let permission = permission(of: candidate, to: principal, candidate.isMerge ? .update : .set, in: &engine)
    if engine.isOverlong { return }
    let needsComparison = !isCompared && (permission.isGranted || candidate.mayBeAllowed(to: principal, in: engine))
    if needsComparison, !WriteComparison.isMade(for: command, operation, in: &engine) { return }
    let grant: CommitGrant?
    switch permission {
    case .granted(let found): grant = found
    case .refused(let refusal): return engine.deny(command, candidate.isMerge ? .merge : .put, path, principal, refusal)
    }
    if let problem = candidate.problem { return engine.fail(command, problem) }
    let planned = candidate.commit(after: engine.state)
    let writer = operation.firesTriggers ? principal : nil
    if let objection = engine.commitObserver?.objection(to: planned, by: writer, at: engine.now) {
      return engine.fail(command, objection)
    }
    let author = command.author(as: principal, on: engine.connections[command.connection], engine.limits)
    let reply = writtenReply(operation, to: principal, on: planned.newRoot, in: engine)
    guard commit(planned, of: author, under: grant, by: writer, in: &engine) else {
      return engine.fail(command, .writeTooBig)
    }
    engine.reply(command, reply)
  }

  /// Returns the answer to a write.
  ///
  /// - Parameter root: The tree after it.
  static func writtenReply(
    _ operation: WriteOperation, to principal: Principal, on root: Node, in engine: borrowing Engine
  ) -> Reply {
    var state = engine.state
    state.root = root
    return state.mayShow(operation, to: principal, at: engine.now) ? .written(root[operation.path]) : .ok
  }

  /// Returns the rules' decision on a change of the present data.
  static func permission(
    of candidate: Candidate, to principal: Principal, _ operation: RecordedDecision.Operation, in engine: inout Engine
  ) -> WritePermission {
    guard !principal.isAdministrator else {
      engine.dependencies?.places.formUnion(
        LargeWrite.places(candidate.locations, below: candidate.base, engine.limits).places)
      return .granted(nil)
    }
    guard !principal.isReadOnly else { return .refused(nil) }
    let request = candidate.request(of: principal, in: engine)
    let permission: WritePermission
    switch answer(to: request, below: candidate.base, in: &engine) {
    case .tooLong:
      engine.isOverlong = true
      return .refused(Decision(outcome: .noGrant, rule: nil, path: candidate.base))
    case .allowed(let rules): permission = .granted(CommitGrant(rules))
    case .refused(let decision): permission = .refused(decision)
    }
    engine.decisionRecorder?.noteWrite(
      operation, request, principal, engine.state.rules, permission.isGranted, candidate.touchedBytes)
    return permission
  }

  /// Adds changes of the tree to the batch as one record, and sends events to listeners. Does nothing without changes.
  ///
  /// - Parameters:
  /// - author: The author in the record.
  /// - grant: The allowing rules in the record.
  /// - writer: The principal of the write; nil for a commit without triggers.
  /// - Returns: False when ``Engine/commit(_:root:sessions:)`` does, and nothing has changed.
  static func commit(
    _ commit: Commit, of author: CommitAuthor?, under grant: CommitGrant? = nil, by writer: Principal?,
    in engine: inout Engine
  ) -> Bool {
    guard !commit.changes.isEmpty else { return true }
    engine.meter.stepsTaken += EngineLimits.commitSteps
    let record = CommitRecord(
      wallMilliseconds: engine.now.wallMilliseconds, author: author, grant: grant,
      mergeDepth: engine.limits.recordsMerges && commit.isMerge ? commit.base.count : nil,
      content: .changes(commit.changes.map { ($0.location, $0.node) }))
    guard engine.commit(record, root: commit.newRoot) else { return false }
    engine.dependencies?.commit = commit
    engine.decisionRecorder?.noteChange(commit)
    engine.commitObserver?.note(commit, by: writer, at: engine.now)
    CommitDelivery.announce(commit, in: &engine)
    return true
  }

  /// Returns the data at the operation's path when it differs from the expected data, or nil.
  static func stale(_ operation: WriteOperation, in engine: inout Engine) -> Node? {
    guard let expected = operation.expectedHash else { return nil }
    let node = engine.state.root[operation.path]
    return engine.hashes.accepts(node, at: operation.path, hash: expected) ? nil : node
  }

  /// Returns the rules' decision on a write, within ``Engine/inlineStepsMax``.
  private static func answer(to request: WriteRequest, below base: Path, in engine: inout Engine) -> WriteAnswer {
    guard engine.dependencies != nil else {
      let stepsMax = engine.inlineStepsMax ?? .max
      var stepsLeft = stepsMax
      defer { engine.meter.stepsTaken += stepsMax - stepsLeft }
      return engine.state.rules.answer(to: request, stepsMax: &stepsLeft, namesRules: engine.limits.recordsAuthors)
    }
    let (places, depth) = LargeWrite.places(request.locations, below: base, engine.limits)
    let (answer, reads, steps) = engine.state.rules.answerRecordingReads(
      to: request, ownDepthMax: depth, namesRules: engine.limits.recordsAuthors)
    engine.meter.stepsTaken += steps
    engine.dependencies?.note(places, reads)
    return answer
  }
}
