import HearthTree

/// Connections: their beginnings, ends and changes of identity.
extension Engine {
  mutating func disconnect(_ id: ConnectionID) {
    guard let connection = connections.removeValue(forKey: id) else { return }
    turns.leave(id)
    connection.hasEnded = true
    if let pending = connection.redecision { endEarly(pending) }
    if connection.listens.count > limits.redecisionListensInLine {
      redecisions.remove(connection, redecision(because: .identity, of: connection))
    } else {
      for (_, listen) in connection.listens.entries { grants.release(listen) }
      listens.removeAll(of: connection)
    }
    endSession(of: connection)
  }

  mutating func authenticate(_ command: Command, as principal: Principal) {
    guard let connection = connections[command.connection] else { return fail(command, .unknownConnection) }
    let isSame = connection.principal.isEquivalent(to: principal)
    become(connection, principal, isSame: isSame)
    if let deadline = principal.deadlineMonotonicMilliseconds {
      deadlines.insert(
        DeadlineQueue.Entry(
          deadlineMonotonicMilliseconds: deadline, connection: connection.id,
          serial: connection.identitySerial))
      deadlines.dropStale(connections)
    }
    if !isSame { decideAgain(connection, because: .identity) }
    reply(command, .ok)
  }

  /// Changes the principal of a connection.
  ///
  /// - Parameter isSame: True when no decision can differ for the new principal.
  private mutating func become(_ connection: Connection, _ principal: Principal, isSame: Bool = false) {
    lastIdentitySerial += 1
    connection.principal = principal
    listens.identify(connection)
    connection.identitySerial = lastIdentitySerial
    guard !isSame else { return }
    connection.principalSerial = lastIdentitySerial
    noteIdentity(of: connection)
  }

  /// Signs out every connection whose credential has expired, before any other effect.
  mutating func endCredentials() {
    while let first = deadlines.first, first.deadlineMonotonicMilliseconds <= now.monotonicMilliseconds {
      guard let entry = deadlines.removeFirst() else { return }
      guard let connection = connections[entry.connection], connection.identitySerial == entry.serial else {
        continue
      }
      end(connection, because: .expiry)
    }
  }

  /// Signs out a connection whose credential was revoked, as if its deadline had come.
  mutating func endCredential(_ command: Command, revocation: UInt64?) {
    guard let connection = connections[command.connection] else {
      answer(for: revocation)
      return fail(command, .unknownConnection)
    }
    if connection.principal === Principal.signedOut {
      answer(for: revocation)
    } else {
      end(connection, because: .revocation, revocation: revocation)
    }
    reply(command, .ok)
  }

  /// Reports a revocation for a connection without listens, because the receipt counts each connection once.
  private mutating func answer(for revocation: UInt64?) {
    if let revocation { decideAgain([], because: .revocation, revocation: revocation) }
  }

  private mutating func end(_ connection: Connection, because cause: Cancellation, revocation: UInt64? = nil) {
    effects.append(.authenticationEnded(connection.id))
    become(connection, .signedOut)
    decideAgain(connection, because: cause, revocation: revocation)
  }
}
