import HearthRules
import HearthTree

/// The handler of grants: decides listens, and decides them again when the decision may have changed.
enum RedecisionHandler {
  /// Returns the rules' decision on a listen; nil when the rules need not be evaluated.
  static func decideListen(
    _ path: Path, _ principal: Principal, _ query: Query? = nil, isAgain: Bool = false, in engine: inout Engine
  ) -> Decision? {
    let seen = engine.faults.contains(.noQueryInRules) ? nil : query
    let decision = engine.state.decideRead(path, as: principal, at: engine.now, query: seen, detail: .dependencies)
    if !isAgain { engine.meter.stepsTaken += EngineLimits.redecisionSteps + (decision?.stepCount ?? 0) }
    engine.decisionRecorder?.noteRead(
      isAgain ? .listenAgain : .listen, path, seen, principal, engine.state, engine.now, decision?.isAllowed)
    return decision
  }

  /// Returns a redecision without listens.
  static func redecision(
    because cause: Cancellation, of connection: Connection? = nil, revocation: UInt64? = nil, in engine: inout Engine
  ) -> Redecision {
    Redecision(
      serial: engine.redecisions.takeReportSerial(), cause: cause, position: cause.position ?? engine.state.position,
      revocation: revocation,
      instant: engine.now, connection: connection?.id, examinedCount: 0, cancelled: [])
  }

  /// Decides listens again on the newest state, removes those that the rules no longer allow, and reports them. When
  /// the current command has no steps left, the remaining listens are in doubt and are decided later.
  ///
  /// - Parameters:
  /// - connection: The connection whose principal has changed; nil for other causes.
  /// - revocation: The revocation that changed the principal; nil for other causes.
  static func decideAgain(
    _ listens: [Listen], because cause: Cancellation, of connection: Connection? = nil, revocation: UInt64? = nil,
    in engine: inout Engine
  ) {
    guard !listens.isEmpty || cause.hasReceipt(examinedCount: 0, cancelledCount: 0) else { return }
    let redecision = redecision(because: cause, of: connection, revocation: revocation, in: &engine)
    RedecisionSlice.decide(listens, for: redecision, in: &engine)
  }

  /// Decides all listens of a connection again after a change of its principal.
  static func decideAgain(
    _ connection: Connection, because cause: Cancellation, revocation: UInt64? = nil, in engine: inout Engine
  ) {
    guard connection.listens.count <= engine.limits.inlineRedecisionListensMax else {
      let begun = redecision(because: cause, of: connection, revocation: revocation, in: &engine)
      if let ended = engine.redecisions.decideAgain(connection, begun) { endEarly(ended, in: &engine) }
      return
    }
    let listens = connection.listens.entries.map(\.value).sorted { $0.serial < $1.serial }
    decideAgain(listens, because: cause, of: connection, revocation: revocation, in: &engine)
  }

  /// Decides the next listens in doubt, as many as fit one slice.
  static func continueAll(in engine: inout Engine) {
    guard engine.hasPendingRedecisions else { return }
    QuerySlice.next(in: &engine)
    var stepsLeft = engine.limits.redecisionStepsPerSlice
    while stepsLeft > 0, let pending = engine.redecisions.first {
      let isDone = RedecisionSlice.decideNext(of: pending, &stepsLeft, in: &engine)
      engine.meter.endSlice()
      if isDone { engine.redecisions.removeFirst() } else { engine.redecisions.rotate() }
    }
  }

  /// Ends a pending redecision whose listens are now decided again for another cause.
  static func endEarly(_ pending: PendingRedecision, in engine: inout Engine) {
    pending.isSuperseded = true
    if let told = pending.part(RedecisionSlice(), isLast: true) { engine.effects.append(.redecided(told)) }
  }

  /// Records the decision that allows a listen, which is then no longer in doubt.
  static func setGrant(of listen: Listen, by decision: Decision?, in engine: inout Engine) {
    engine.reads.endPlan()
    (listen.isQueued, listen.decidedSerial) = (false, engine.redecisions.lastSerial)
    engine.grants.set(listen, by: decision, at: engine.now)
  }

  static func sendCatchUp(in engine: inout Engine) {
    if !engine.redecisions.catchUp.isEmpty { engine.effects += engine.redecisions.catchUp.take() }
  }

  static func forget(_ listen: Listen, in engine: inout Engine) {
    engine.reads.endPlan()
    let isBehind = listen.missed != nil && listen.group == nil
    engine.grants.release(listen)
    engine.listens.remove(listen)
    if isBehind { RedecisionSlice.catchUp(below: listen, in: &engine) }
  }

  /// Decides the listens whose rules read the time again, once in ``EngineLimits/clockIntervalMilliseconds``.
  static func decideDueClockListens(in engine: inout Engine) {
    guard engine.grants.isClockDue(at: engine.now) else { return }
    let isMany = engine.grants.clockListenCount > engine.limits.inlineRedecisionListensMax
    if isMany, engine.redecisions.hasDue { return }
    let due = engine.grants.dueClockListens
    guard isMany else { return decideAgain(due.sorted { $0.serial < $1.serial }, because: .clock, in: &engine) }
    _ = engine.redecisions.append(redecision(because: .clock, in: &engine), .due(due))
  }
}
