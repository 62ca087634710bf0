import HearthRules
import HearthTree

/// Grants: a listen lives as long as the rules would allow it, and what they read to say so is known.
extension Engine {
  /// Asks the rules whether an identity may listen; nil means that they need not be asked.
  func decideListen(_ path: Path, _ identity: Identity) -> Decision? {
    guard !identity.isAdministrator else { return nil }
    let request = ReadRequest(
      path: path, root: state.root, auth: identity.auth, nowMilliseconds: now.wallMilliseconds)
    return state.rules.decideRead(request, detail: .dependencies)
  }

  /// Notes with a listen what it was allowed by.
  mutating func grant(_ listen: Listen, by decision: Decision?) {
    listen.decidedWallMilliseconds = now.wallMilliseconds
    dependencies.set(listen, decision?.dependencies)
    setUsesClock(listen, decision?.dependencies?.usesClock ?? false)
  }

  /// Decides listens again on the newest state, and cancels those that the rules no longer allow.
  mutating func decideAgain(_ listens: [Listen], because cause: Cancellation) {
    for listen in listens where listen.isLive {
      let decision = decideListen(listen.path, listen.connection.identity)
      if let decision, !decision.isAllowed {
        cancel(listen, cause, decision)
      } else {
        grant(listen, by: decision)
      }
    }
  }

  private mutating func cancel(_ listen: Listen, _ cause: Cancellation, _ refusal: Decision) {
    let (connection, path) = (listen.connection, listen.path)
    forget(listen)
    effects.append(.cancel(connection.id, path, cause))
    effects.append(
      .denied(
        Denial(
          connection: connection.id, request: nil, operation: .cancellation(cause), path: path,
          identity: connection.identity, decision: refusal)))
  }

  mutating func forget(_ listen: Listen) {
    release(listen)
    listens.remove(listen)
  }

  /// Takes a listen's grant out of the indexes.
  mutating func release(_ listen: Listen) {
    dependencies.remove(listen)
    setUsesClock(listen, false)
  }

  /// Tells the listeners of a commit, after those who may no longer listen were cancelled.
  mutating func announce(_ commit: Commit) {
    decideAgain(dependencies.affected(by: commit), because: .data(position: commit.position))
    guard listens.count > 0 else { return }
    for delivery in FanOut(commit, to: listens).deliveries {
      let stale = delivery.node.clockListens.filter { $0.decidedWallMilliseconds != now.wallMilliseconds }
      if !stale.isEmpty { decideAgain(stale, because: .clock) }
      let recipients = delivery.node.recipients
      if !recipients.isEmpty { effects.append(.event(delivery.event, to: recipients)) }
    }
  }
}
