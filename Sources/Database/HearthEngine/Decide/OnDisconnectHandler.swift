import HearthRules
import HearthTree

/// The handler of on-disconnect writes: sets, cancels and executes them.
///
/// All writes at the end of one connection are decided by one command and are in one batch, which makes them atomic.
enum OnDisconnectHandler {
  static func set(_ command: Command, _ change: WriteOperation.Change, in engine: inout Engine) {
    guard let connection = engine.connections[command.connection] else {
      return engine.fail(command, .unknownConnection)
    }
    let operation = WriteOperation(change)
    guard change.locations.allSatisfy(\.path.isStorable) else { return engine.fail(command, .invalidPath) }
    guard change.onDisconnectCount <= engine.limits.onDisconnectsPerConnectionMax else {
      return engine.fail(command, .tooManyOnDisconnects)
    }
    let bytesMax = engine.limits.onDisconnectBytesPerConnectionMax
    guard change.heldBytes(upTo: bytesMax) <= bytesMax else { return engine.fail(command, .tooManyOnDisconnects) }
    do {
      // The rules decide it as if it were written now; they decide again when it is executed.
      let candidate = try Candidate(
        operation, on: engine.state.root, nowMilliseconds: engine.now.wallMilliseconds, limits: engine.limits)
      engine.inlineStepsMax = engine.limits.onDisconnectStepsMax
      defer { (engine.inlineStepsMax, engine.isOverlong) = (nil, false) }
      let permission = WriteHandler.permission(of: candidate, to: connection.principal, .onDisconnect, in: &engine)
      if engine.isOverlong { return engine.fail(command, .tooManyOnDisconnects) }
      if case .refused(let refusal) = permission {
        return engine.deny(command, .onDisconnect, operation.path, connection.principal, refusal)
      }
      if let problem = candidate.problem { return engine.fail(command, problem) }
      try changeWrites(of: connection, in: &engine) { (writes, order) throws(Failure) in
        switch change {
        case .put(let location, let value): writes.put(location, value, order: order)
        case .merge(let path, let parts):
          for part in parts { writes.put(part.location.under(path), part.value, order: order) }
        }
      }
      engine.reply(command, .ok)
    } catch {
      engine.fail(command, error)
    }
  }

  static func cancel(_ command: Command, _ location: Location, in engine: inout Engine) {
    guard let connection = engine.connections[command.connection] else {
      return engine.fail(command, .unknownConnection)
    }
    guard engine.isAddressable(location.path), location.path.isStorable else {
      return engine.fail(command, .invalidPath)
    }
    let countMax = engine.limits.onDisconnectsPerConnectionMax
    do {
      try changeWrites(of: connection, in: &engine) { (writes, _) throws(Failure) in
        try writes.cancel(location, countMax: countMax)
      }
      engine.reply(command, .ok)
    } catch {
      engine.fail(command, error)
    }
  }

  /// Changes a connection's on-disconnect writes, within the limits, as one record. Does nothing without changes.
  private static func changeWrites(
    of connection: Connection, in engine: inout Engine,
    _ change: (inout OnDisconnectWrites, Int64) throws(Failure) -> Void
  ) throws(Failure) {
    let plannedChange = try engine.onDisconnects.plannedChange(of: connection, in: engine.state.sessions, change)
    guard let plannedChange else { return }
    try commit(plannedChange.changes, in: &engine)
    engine.onDisconnects.note(plannedChange)
  }

  /// Returns true when the engine makes the database's records; false for a follower.
  private static func isDeciding(_ engine: borrowing Engine) -> Bool {
    !engine.storage.isHalted && engine.role != .following
  }

  /// Makes a connection's new identity durable, if it has on-disconnect writes.
  static func noteIdentity(of connection: Connection, in engine: inout Engine) {
    guard isDeciding(engine), engine.state.sessions.contains(connection.id), !engine.faults.contains(.staleIdentities)
    else { return }
    guard !engine.storage.isStalled else {
      engine.onDisconnects.noteIdentityLater(of: connection.id)
      return
    }
    // The record holds a few claims and cannot be too large.
    try? commit(OnDisconnectSessions.changes(of: connection.id, to: connection.principal), in: &engine)
  }

  /// Makes identities durable that could not be stored while the disk was full.
  static func noteIdentities(in engine: inout Engine) {
    guard !engine.storage.isStalled else { return }
    for id in engine.onDisconnects.takeUnnotedIdentities() {
      if let connection = engine.connections[id] { noteIdentity(of: connection, in: &engine) }
    }
  }

  /// Executes the on-disconnect writes of a closed connection.
  ///
  /// Does nothing after commits have failed: the durable on-disconnect writes are executed at the next start.
  static func endSession(of connection: Connection, in engine: inout Engine) {
    engine.onDisconnects.forget(connection.id)
    endSession(of: connection.id, as: connection.principal, in: &engine)
  }

  private static func endSession(of id: ConnectionID, as principal: Principal, in engine: inout Engine) {
    guard isDeciding(engine) else { return }
    engine.beginPlan()
    let isThere = engine.state.sessions.contains(id)
    let session = Session(
      path: OnDisconnectSessions.path(of: id), connection: id, principal: principal,
      writes: isThere ? engine.state.sessions.writes(of: id) : OnDisconnectWrites(.empty))
    if engine.dropsPlan(of: .root) { return engine.onDisconnects.retry(id, as: principal, after: engine.now) }
    guard isThere else { return }
    if engine.storage.isStalled { engine.onDisconnects.wait(session) } else { end(session, in: &engine) }
  }

  /// Ends the sessions whose connections ended with the server, and those that are to be tried again.
  static func endLeftoverSessions(in engine: inout Engine) {
    guard !engine.storage.isHalted, !engine.storage.isStalled else { return }
    var count = 0
    while engine.payload.count < engine.limits.batchBytes, count < engine.limits.batchCommandsMax,
      let session = engine.onDisconnects.takeLeftover()
    {
      end(session, in: &engine)
      count += 1
    }
    for (id, principal) in engine.onDisconnects.takeRetries(at: engine.now, countMax: engine.limits.batchCommandsMax) {
      endSession(of: id, as: principal, in: &engine)
    }
  }

  /// The decision on one on-disconnect write.
  private enum Decided {
    case commit(Commit, CommitGrant?)
    case refused(Decision?)
    case impossible
  }

  /// Executes the on-disconnect writes of a session: all of them, or none while a page that they need cannot be read.
  /// Then they are tried again later.
  static func end(_ session: Session, in engine: inout Engine) {
    let (writes, state) = (session.writes.entries, engine.state)
    var decided: [Decided] = []
    engine.beginPlan()
    for write in writes {
      decided.append(decide(write, of: session, in: &engine))
      if case .commit(let commit, _)? = decided.last { engine.state.root = commit.newRoot }
    }
    // Reads what the removal of the session reads.
    engine.state.sessions.apply([(Location(path: session.path), .empty)])
    engine.state = state
    if engine.dropsPlan(of: writes.first?.location.path ?? .root) {
      return engine.onDisconnects.retry(session.connection, as: session.principal, after: engine.now)
    }
    engine.reads.endPlan()
    // The record is a few bytes and cannot be too large.
    if !engine.faults.contains(.noEndOfSessions) { try? commit([(Location(path: session.path), .empty)], in: &engine) }
    var isAsPlanned = true
    for (index, write) in writes.enumerated() {
      // A commit that is too large changes what the writes after it are decided on.
      let decision = isAsPlanned ? decided[index] : decide(write, of: session, in: &engine)
      isAsPlanned = make(decision, at: write.location, of: session, in: &engine) && isAsPlanned
    }
  }

  /// Decides one on-disconnect write, with server values filled in now.
  private static func decide(
    _ write: OnDisconnectWrites.Entry, of session: Session, in engine: inout Engine
  ) -> Decided {
    let operation = WriteOperation(.put(write.location, write.value))
    guard
      let candidate = try? Candidate(
        operation, on: engine.state.root, nowMilliseconds: engine.now.wallMilliseconds, limits: engine.limits)
    else { return .impossible }
    var grant: CommitGrant?
    if !engine.faults.contains(.noRulesOnDisconnect) {
      switch WriteHandler.permission(of: candidate, to: session.principal, .atDisconnect, in: &engine) {
      case .granted(let found): grant = found
      case .refused(let refusal): return .refused(refusal)
      }
    }
    return candidate.problem == nil ? .commit(candidate.commit(after: engine.state), grant) : .impossible
  }

  /// Executes one on-disconnect write. A write that the rules no longer allow, or that can no longer be stored, is
  /// skipped; the others are executed.
  ///
  /// - Returns: False when its record is too large.
  private static func make(
    _ decided: Decided, at location: Location, of session: Session, in engine: inout Engine
  ) -> Bool {
    switch decided {
    case .impossible: return true
    case .refused(let refusal):
      engine.effects.append(
        .denied(
          Denial(
            connection: session.connection, request: nil, operation: .onDisconnect, path: location.path,
            principal: session.principal, decision: refusal)))
      return true
    case .commit(var commit, let grant):
      commit.position = engine.state.position + 1
      return WriteHandler.commit(
        commit, of: session.author(engine.limits), under: grant, by: session.principal, in: &engine)
    }
  }

  private static func commit(_ changes: [(location: Location, node: Node)], in engine: inout Engine) throws(Failure) {
    var sessions = engine.state.sessions
    sessions.apply(changes)
    let record = CommitRecord(wallMilliseconds: engine.now.wallMilliseconds, content: .sessions(changes))
    guard engine.commit(record, root: engine.state.root, sessions: sessions) else { throw .tooManyOnDisconnects }
  }
}
