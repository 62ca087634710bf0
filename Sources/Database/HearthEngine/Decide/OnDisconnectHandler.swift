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
    guard isDeciding(engine), engine.state.sessions.contains(connection.id) else { return }
    let session = Session(
      path: OnDisconnectSessions.path(of: connection.id), connection: connection.id, principal: connection.principal,
      writes: engine.state.sessions.writes(of: connection.id))
    if engine.storage.isStalled { engine.onDisconnects.wait(session) } else { end(session, in: &engine) }
  }

  /// Ends the sessions whose connections ended with the server.
  static func endLeftoverSessions(in engine: inout Engine) {
    guard !engine.storage.isHalted, !engine.storage.isStalled else { return }
    var count = 0
    while engine.payload.count < engine.limits.batchBytes, count < engine.limits.batchCommandsMax,
      let session = engine.onDisconnects.takeLeftover()
    {
      end(session, in: &engine)
      count += 1
    }
  }

  static func end(_ session: Session, in engine: inout Engine) {
    // The record is a few bytes and cannot be too large.
    if !engine.faults.contains(.noEndOfSessions) { try? commit([(Location(path: session.path), .empty)], in: &engine) }
    for write in session.writes.entries { make(write, of: session, in: &engine) }
  }

  /// Executes one on-disconnect write, with server values filled in now. A write that the rules no longer allow, or
  /// that can no longer be stored, is skipped; the others are executed.
  private static func make(_ write: OnDisconnectWrites.Entry, of session: Session, in engine: inout Engine) {
    let operation = WriteOperation(.put(write.location, write.value))
    guard
      let candidate = try? Candidate(
        operation, on: engine.state.root, nowMilliseconds: engine.now.wallMilliseconds, limits: engine.limits)
    else { return }
    var grant: CommitGrant?
    if !engine.faults.contains(.noRulesOnDisconnect) {
      switch WriteHandler.permission(of: candidate, to: session.principal, .atDisconnect, in: &engine) {
      case .granted(let found): grant = found
      case .refused(let refusal):
        engine.effects.append(
          .denied(
            Denial(
              connection: session.connection, request: nil, operation: .onDisconnect, path: write.location.path,
              principal: session.principal, decision: refusal)))
        return
      }
    }
    guard candidate.problem == nil else { return }
    _ = WriteHandler.commit(
      candidate.commit(after: engine.state), of: session.author(engine.limits), under: grant, by: session.principal,
      in: &engine)
  }

  private static func commit(_ changes: [(location: Location, node: Node)], in engine: inout Engine) throws(Failure) {
    var sessions = engine.state.sessions
    sessions.apply(changes)
    let record = CommitRecord(wallMilliseconds: engine.now.wallMilliseconds, content: .sessions(changes))
    guard engine.commit(record, root: engine.state.root, sessions: sessions) else { throw .tooManyOnDisconnects }
  }
}
