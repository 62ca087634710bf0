import HearthTree

/// The handler of connections: their beginnings, ends and changes of identity.
enum ConnectionHandler {
  static func connect(_ command: Command, in engine: inout Engine) {
    if engine.connections[command.connection] == nil {
      engine.connections.insert(engine.listens.makeConnection(for: command))
    }
    engine.reply(command, .ok)
  }

  static func disconnect(_ id: ConnectionID, in engine: inout Engine) {
    guard let connection = engine.connections.remove(id) else { return }
    engine.reads.endPlan()
    engine.turns.leave(id)
    connection.hasEnded = true
    if let pending = connection.redecision { RedecisionHandler.endEarly(pending, in: &engine) }
    if connection.listens.count > engine.limits.inlineRedecisionListensMax {
      engine.redecisions.remove(
        connection, RedecisionHandler.redecision(because: .identity, of: connection, in: &engine))
    } else {
      for (_, listen) in connection.listens.entries { engine.grants.release(listen) }
      engine.listens.removeAll(of: connection)
    }
    OnDisconnectHandler.endSession(of: connection, in: &engine)
  }

  static func authenticate(_ command: Command, as principal: Principal, in engine: inout Engine) {
    guard let connection = engine.connections[command.connection] else {
      return engine.fail(command, .unknownConnection)
    }
    let isSame = connection.principal.isEquivalent(to: principal)
    // Reads what the change of the session's identity reads.
    if !isSame { _ = engine.state.sessions.matches(connection.id, principal) }
    if engine.refusesUnread(command) { return }
    setPrincipal(of: connection, principal, isSame: isSame, in: &engine)
    if !isSame { RedecisionHandler.decideAgain(connection, because: .identity, in: &engine) }
    engine.reply(command, .ok)
  }

  /// Changes the principal of a connection.
  ///
  /// - Parameter isSame: True when the rules cannot decide differently for the new principal.
  private static func setPrincipal(
    of connection: Connection, _ principal: Principal, isSame: Bool = false, in engine: inout Engine
  ) {
    engine.reads.endPlan()
    engine.connections.identify(connection, as: principal, isSame: isSame)
    engine.listens.identify(connection)
    if !isSame { OnDisconnectHandler.noteIdentity(of: connection, in: &engine) }
  }

  /// Signs out every connection whose credential has expired, before any other effect of the batch.
  static func endCredentials(in engine: inout Engine) {
    while let connection = engine.connections.takeExpired(at: engine.now) {
      end(connection, because: .expiry, in: &engine)
    }
  }

  /// Signs out a connection whose credential was revoked, as if its deadline had come.
  static func endCredential(_ command: Command, revocation: UInt64?, in engine: inout Engine) {
    guard let connection = engine.connections[command.connection] else {
      answer(for: revocation, in: &engine)
      return engine.fail(command, .unknownConnection)
    }
    if connection.principal === Principal.signedOut {
      answer(for: revocation, in: &engine)
    } else {
      end(connection, because: .revocation, revocation: revocation, in: &engine)
    }
    engine.reply(command, .ok)
  }

  /// Reports a revocation for a connection without listens, because the receipt counts each connection once.
  private static func answer(for revocation: UInt64?, in engine: inout Engine) {
    if let revocation { RedecisionHandler.decideAgain([], because: .revocation, revocation: revocation, in: &engine) }
  }

  private static func end(
    _ connection: Connection, because cause: Cancellation, revocation: UInt64? = nil, in engine: inout Engine
  ) {
    engine.effects.append(.authenticationEnded(connection.id))
    setPrincipal(of: connection, .signedOut, in: &engine)
    RedecisionHandler.decideAgain(connection, because: cause, revocation: revocation, in: &engine)
  }
}
