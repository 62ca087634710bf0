import HearthRules
import HearthTree

/// Writes and deploys: each is one candidate state, decided as a whole.
extension Engine {
  mutating func write(_ command: Command, _ operation: WriteOperation) {
    guard let principal = principal(of: command) else { return fail(command, .unknownConnection) }
    let path = operation.path
    // Either answer to a comparison reveals data, also when the write itself is allowed.
    if operation.expectedHash != nil {
      let refusal = state.readRefusal(path, principal, at: now, stepsTaken: &meter.stepsTaken)
      tap?.noteRead(.compare, path, nil, principal, state, now, refusal == nil)
      if let refusal { return deny(command, .compare, path, principal, refusal.decision) }
    }
    var isCompared = true
    switch WriteComparison(of: operation, in: &self) {
    case .holds: break
    case .late(let node): return reply(command, .stale(node))
    case .long: isCompared = false
    }
    let candidate: Candidate
    do {
      candidate = try Candidate(operation, on: state.root, nowMilliseconds: now.wallMilliseconds, limits: limits)
    } catch {
      return fail(command, error)
    }
    let permission = permission(of: candidate, to: principal, candidate.isMerge ? .update : .set)
    if isOverlong { return }
    let needsComparison = !isCompared && (permission.isGranted || candidate.mayBeAllowed(to: principal, in: self))
    if needsComparison, !WriteComparison.isMade(for: command, operation, in: &self) { return }
    let grant: CommitGrant?
    switch permission {
    case .granted(let found): grant = found
    case .refused(let refusal): return deny(command, candidate.isMerge ? .merge : .put, path, principal, refusal)
    }
    if let problem = candidate.problem { return fail(command, problem) }
    let planned = candidate.commit(after: state)
    let writer = operation.firesTriggers ? principal : nil
    if let objection = changeTap?.objection(to: planned, by: writer, at: now) { return fail(command, objection) }
    let author = command.author(as: principal, on: connections[command.connection], limits)
    guard commit(planned, of: author, under: grant, by: writer) else { return fail(command, .writeTooBig) }
    reply(command, writtenReply(operation, to: principal))
  }

  /// Returns the answer to a completed write.
  func writtenReply(_ operation: WriteOperation, to principal: Principal) -> Reply {
    state.mayShow(operation, to: principal, at: now) ? .written(state.root[operation.path]) : .ok
  }

  /// Returns the rules' decision on a change of the present data.
  mutating func permission(
    of candidate: Candidate, to principal: Principal, _ operation: DecidedCase.Operation
  ) -> WritePermission {
    guard !principal.isAdministrator else {
      notes?.places.formUnion(LargeWrite.places(candidate.locations, below: candidate.base, limits).places)
      return .granted(nil)
    }
    guard !principal.isReadOnly else { return .refused(nil) }
    let request = candidate.request(of: principal, in: self)
    let permission: WritePermission
    switch answer(to: request, below: candidate.base) {
    case .tooLong:
      isOverlong = true
      return .refused(Decision(outcome: .noGrant, rule: nil, path: candidate.base))
    case .allowed(let rules): permission = .granted(CommitGrant(rules))
    case .refused(let decision): permission = .refused(decision)
    }
    tap?.noteWrite(operation, request, principal, state.rules, permission.isGranted, candidate.touchedBytes)
    return permission
  }

  /// Adds changes of the tree to the batch as one record, and sends events to listeners. Does nothing without changes.
  ///
  /// - Parameters:
  ///   - author: The author in the record.
  ///   - grant: The allowing rules in the record.
  ///   - writer: The principal of the write; nil for a commit without triggers.
  /// - Returns: False when the record exceeds its limit; nothing has changed then.
  mutating func commit(
    _ commit: Commit, of author: CommitAuthor?, under grant: CommitGrant? = nil, by writer: Principal?
  ) -> Bool {
    guard !commit.changes.isEmpty else { return true }
    let record = CommitRecord(
      wallMilliseconds: now.wallMilliseconds, author: author, grant: grant,
      mergeDepth: limits.recordsMerges && commit.isMerge ? commit.base.count : nil,
      content: .changes(commit.changes.map { ($0.location, $0.node) }))
    guard self.commit(record, root: commit.newRoot) else { return false }
    notes?.commit = commit
    tap?.noteChange(commit)
    changeTap?.note(commit, by: writer, at: now)
    announce(commit)
    return true
  }

  /// Returns the data at the operation's path when it differs from the expected data, or nil.
  mutating func stale(_ operation: WriteOperation) -> Node? {
    guard let expected = operation.expectedHash else { return nil }
    let node = state.root[operation.path]
    return hashes.accepts(node, at: operation.path, hash: expected) ? nil : node
  }

  mutating func deploy(_ command: Command, _ rules: RuleSet) {
    guard let principal = principal(of: command) else { return fail(command, .unknownConnection) }
    guard principal.isAdministrator else { return deny(command, .deployRules, .root, principal, nil) }
    let record = CommitRecord(
      wallMilliseconds: now.wallMilliseconds,
      author: command.author(as: principal, on: connections[command.connection], limits),
      content: .rules(rules.source))
    guard commit(record, root: state.root) else { return fail(command, .writeTooBig) }
    putInForce(rules)
    reply(command, .ok)
  }

  /// Puts other rules in force, which are in the log already, and decides all listens again.
  mutating func putInForce(_ rules: RuleSet) {
    state.use(rules, isCounted: limits.countsRules)
    let changed = queries.review(state, &listens)
    let cause = Cancellation.rules(position: state.position)
    if listens.count <= limits.redecisionListensInLine {
      decideAgain(listens.all(), because: cause)
    } else {
      let connections = connections.values.sorted { $0.id.rawValue < $1.id.rawValue }
      redecisions.decideAgain(connections, rules: redecision(because: cause))
    }
    tellAll(changed, deciding: nil)
  }
}
