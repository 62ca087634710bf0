import HearthRules
import HearthTree

/// On-disconnect writes: set, cancelled and executed.
///
/// All writes at the end of one connection are decided by one command and are in one batch, which makes them atomic.
extension Engine {
  mutating func onDisconnect(_ command: Command, _ change: WriteOperation.Change) {
    guard let connection = connections[command.connection] else { return fail(command, .unknownConnection) }
    let operation = WriteOperation(change)
    guard change.locations.allSatisfy(\.path.isStorable) else { return fail(command, .invalidPath) }
    guard change.onDisconnectCount <= limits.onDisconnectsPerConnectionMax else {
      return fail(command, .tooManyOnDisconnects)
    }
    let bytesMax = limits.onDisconnectBytesPerConnectionMax
    guard change.heldBytes(upTo: bytesMax) <= bytesMax else { return fail(command, .tooManyOnDisconnects) }
    do {
      // Decided as if it were written now.
      let candidate = try Candidate(
        operation, on: state.root, nowMilliseconds: now.wallMilliseconds, limits: limits)
      stepsInLineMax = limits.onDisconnectStepsMax
      defer { (stepsInLineMax, isOverlong) = (nil, false) }
      let permission = permission(of: candidate, to: connection.principal, .onDisconnect)
      if isOverlong { return fail(command, .tooManyOnDisconnects) }
      if case .refused(let refusal) = permission {
        return deny(command, .onDisconnect, operation.path, connection.principal, refusal)
      }
      if let problem = candidate.problem { return fail(command, problem) }
      try changeWrites(of: connection) { (writes, order) throws(Failure) in
        switch change {
        case .put(let location, let value): writes.put(location, value, order: order)
        case .merge(let path, let parts):
          for part in parts { writes.put(part.location.under(path), part.value, order: order) }
        }
      }
      reply(command, .ok)
    } catch {
      fail(command, error)
    }
  }

  mutating func cancelOnDisconnect(_ command: Command, _ location: Location) {
    guard let connection = connections[command.connection] else { return fail(command, .unknownConnection) }
    guard isAddressable(location.path), location.path.isStorable else { return fail(command, .invalidPath) }
    let countMax = limits.onDisconnectsPerConnectionMax
    do {
      try changeWrites(of: connection) { (writes, _) throws(Failure) in
        try writes.cancel(location, countMax: countMax)
      }
      reply(command, .ok)
    } catch {
      fail(command, error)
    }
  }

  /// Changes a connection's on-disconnect writes, within the limits, as one record. Does nothing without changes.
  private mutating func changeWrites(
    of connection: Connection, _ change: (inout OnDisconnectWrites, Int64) throws(Failure) -> Void
  ) throws(Failure) {
    let wish = try onDisconnects.wish(of: connection, in: state.sessions, change)
    guard let wish else { return }
    try commit(wish.changes)
    onDisconnects.note(wish)
  }

  /// True when the engine makes records of its own accord.
  private var isDeciding: Bool { !storage.isHalted && role != .following }

  /// Makes a connection's new identity durable, if it has on-disconnect writes.
  mutating func noteIdentity(of connection: Connection) {
    guard isDeciding, state.sessions.contains(connection.id), !faults.contains(.staleIdentities) else { return }
    guard !storage.isStalled else {
      onDisconnects.noteIdentityLater(of: connection.id)
      return
    }
    // because the record holds a few claims and cannot be too large
    try? commit(Sessions.changes(of: connection.id, to: connection.principal))
  }

  /// Makes identities durable that could not be stored while the disk was full.
  mutating func noteIdentities() {
    guard !storage.isStalled else { return }
    for id in onDisconnects.takeUnnotedIdentities() {
      if let connection = connections[id] { noteIdentity(of: connection) }
    }
  }

  /// Executes the on-disconnect writes of a closed connection.
  ///
  /// Does nothing after commits have failed: the durable on-disconnect writes are executed at the next start.
  mutating func endSession(of connection: Connection) {
    onDisconnects.forget(connection.id)
    guard isDeciding, state.sessions.contains(connection.id) else { return }
    let session = Session(
      path: Sessions.path(of: connection.id), connection: connection.id, principal: connection.principal,
      writes: state.sessions.writes(of: connection.id))
    if storage.isStalled { onDisconnects.wait(session) } else { end(session) }
  }

  /// Ends the sessions whose connections ended with the server.
  mutating func endLeftoverSessions() {
    guard !storage.isHalted, !storage.isStalled else { return }
    var count = 0
    while payload.count < limits.batchBytes, count < limits.batchCommandsMax,
      let session = onDisconnects.takeLeftover()
    {
      end(session)
      count += 1
    }
  }

  mutating func end(_ session: Session) {
    // because the record is a few bytes and cannot be too large
    if !faults.contains(.noEndOfSessions) { try? commit([(Location(path: session.path), .empty)]) }
    for write in session.writes.entries { make(write, of: session) }
  }

  /// Executes one on-disconnect write, with the present time and server values. It is skipped when the rules no longer
  /// allow it, or it can no longer be stored; the others are executed.
  private mutating func make(_ write: OnDisconnectWrites.Entry, of session: Session) {
    let operation = WriteOperation(.put(write.location, write.value))
    guard
      let candidate = try? Candidate(
        operation, on: state.root, nowMilliseconds: now.wallMilliseconds, limits: limits)
    else { return }
    var grant: CommitGrant?
    if !faults.contains(.noRulesAtEnd) {
      switch permission(of: candidate, to: session.principal, .atDisconnect) {
      case .granted(let found): grant = found
      case .refused(let refusal):
        effects.append(
          .denied(
            Denial(
              connection: session.connection, request: nil, operation: .onDisconnect, path: write.location.path,
              principal: session.principal, decision: refusal)))
        return
      }
    }
    guard candidate.problem == nil else { return }
    _ = commit(
      candidate.commit(after: state), of: session.author(limits), under: grant, by: session.principal)
  }

  private mutating func commit(_ changes: [(location: Location, node: Node)]) throws(Failure) {
    var sessions = state.sessions
    sessions.apply(changes)
    let record = CommitRecord(wallMilliseconds: now.wallMilliseconds, content: .sessions(changes))
    guard commit(record, root: state.root, sessions: sessions) else { throw .tooManyOnDisconnects }
  }
}
