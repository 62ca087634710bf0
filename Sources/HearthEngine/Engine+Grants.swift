import HearthRules
import HearthTree

/// Grants: a listen lives as long as the rules would allow it, and what they read to say so is known.
extension Engine {
  /// Asks the rules for a listen; nil means that they need not be asked. What they read is noted with the listen.
  ///
  /// - Returns: The refusal, or nil when the listen is allowed.
  mutating func grant(_ listen: Listen) -> Decision? {
    listen.decidedWallMilliseconds = now.wallMilliseconds
    let identity = listen.connection.identity
    guard !identity.isAdministrator else {
      dependencies.set(listen, nil)
      setUsesClock(listen, false)
      return nil
    }
    let request = ReadRequest(
      path: listen.path, root: state.root, auth: identity.auth, nowMilliseconds: now.wallMilliseconds)
    let decision = state.rules.decideRead(request, detail: .dependencies)
    guard decision.isAllowed else { return decision }
    dependencies.set(listen, decision.dependencies)
    setUsesClock(listen, decision.dependencies?.usesClock ?? false)
    return nil
  }

  /// Decides listens again on the newest state, and cancels those that the rules no longer allow.
  mutating func decideAgain(_ listens: [Listen], because cause: Cancellation) {
    for listen in listens where listen.isLive {
      if let refusal = grant(listen) { cancel(listen, cause, refusal) }
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
