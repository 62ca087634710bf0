import HearthRules

/// Listens in doubt are decided again slice by slice: see ``RedecisionSlice``.
extension Engine {
  /// Whether listens are in doubt that can be decided again now: `decide` should be called, with a `tick` if with nothing
  /// else. While nothing can be stored they wait, since they may have to be told what is not durable.
  public var hasPendingRedecisions: Bool { !redecisions.isIdle && !storage.isStalled }

  /// A redecision without listens.
  mutating func redecision(
    because cause: Cancellation, of connection: Connection? = nil, revocation: UInt64? = nil
  ) -> Redecision {
    lastRedecisionSerial += 1
    return Redecision(
      serial: lastRedecisionSerial, cause: cause, position: cause.position ?? state.position, revocation: revocation,
      instant: now, connection: connection?.id, examinedCount: 0, cancelled: [])
  }

  /// Decides listens again on the newest state, forgets those that the rules no longer allow, and says which they are. What
  /// takes more steps than the command under way may take is in doubt from now on and decided later.
  ///
  /// - Parameters:
  ///   - connection: Whose principal is another one now; nil for causes that are nobody's.
  ///   - revocation: What made it another one.
  mutating func decideAgain(
    _ listens: [Listen], because cause: Cancellation, of connection: Connection? = nil, revocation: UInt64? = nil
  ) {
    guard !listens.isEmpty || cause.isTold(examinedCount: 0, cancelledCount: 0) else { return }
    let redecision = redecision(because: cause, of: connection, revocation: revocation)
    RedecisionSlice.decide(listens, for: redecision, in: &self)
  }

  /// Decides the next listens that are in doubt, as many as one slice takes.
  mutating func continueRedecisions() {
    guard hasPendingRedecisions else { return }
    var stepsLeft = limits.redecisionStepsPerSlice
    while stepsLeft > 0, let pending = redecisions.first {
      let before = stepsLeft
      let isDone = RedecisionSlice.decideNext(of: pending, &stepsLeft, in: &self)
      meter.note(before - stepsLeft, of: pending.payer)
      if isDone { redecisions.removeFirst() } else { redecisions.rotate() }
    }
  }

  /// Ends what another cause has taken over.
  mutating func endEarly(_ pending: PendingRedecision) {
    pending.isSuperseded = true
    if let told = pending.part(RedecisionSlice(), isLast: true) { effects.append(.redecided(told)) }
  }

  /// Notes by what a listen is allowed; nothing of it is in doubt then.
  mutating func setGrant(of listen: Listen, by decision: Decision?) {
    (listen.isQueued, listen.decidedSerial) = (false, redecisions.lastSerial)
    grants.set(listen, by: decision, at: now)
  }

  mutating func tellCatchUp() {
    if !redecisions.catchUp.isEmpty { effects += redecisions.catchUp.take() }
  }

  mutating func forget(_ listen: Listen) {
    let isBehind = listen.missed != nil && listen.group == nil
    grants.release(listen)
    listens.remove(listen)
    if isBehind { RedecisionSlice.catchUp(below: listen, in: &self) }
  }
}
