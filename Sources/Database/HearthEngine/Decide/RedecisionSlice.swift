import HearthRules
import HearthTree

/// A slice of redecisions: no command waits for more than one slice, which has a bounded number of steps.
struct RedecisionSlice {
  var examinedCount = 0
  var cancelled: [Redecision.Cancelled] = []
  private var kept: [(listen: Listen, rule: RuleReference?)] = []
  private var lost: [Listen] = []

  /// Returns the first of the listens that continue.
  func kept(max: Int) -> [Redecision.Kept] {
    kept.prefix(Swift.max(0, max)).map { Redecision.Kept($0.listen, by: $0.rule) }
  }

  /// Decides listens again within the current command, as far as its steps allow; the others are in doubt from now on.
  static func decide(_ listens: [Listen], for redecision: Redecision, in engine: inout Engine) {
    var (slice, rest) = (RedecisionSlice(), [Listen]())
    for listen in listens where listen.isLive {
      if engine.meter.redecisionStepsLeft > 0, !engine.storage.isStalled || listen.missed == nil {
        engine.meter.redecisionStepsLeft -= slice.decide(listen, because: redecision.cause, in: &engine)
      } else if !listen.isQueued {
        listen.isQueued = true
        rest.append(listen)
      }
    }
    slice.forgetLost(in: &engine)
    if rest.isEmpty {
      let whole = PendingRedecision(redecision, .listens([]), serial: 0, payer: nil)
      if let told = whole.part(slice, isLast: true) { engine.effects.append(.redecided(told)) }
    } else {
      let pending = engine.redecisions.append(redecision, .listens(rest))
      if let told = pending.part(slice, isLast: false) { engine.effects.append(.redecided(told)) }
    }
    engine.tellCatchUp()
  }

  /// Decides the next listens in doubt because of one cause.
  ///
  /// - Returns: True when none are left.
  static func decideNext(of pending: PendingRedecision, _ stepsLeft: inout Int, in engine: inout Engine) -> Bool {
    if case .ended(let connection) = pending.source { return remove(connection, &stepsLeft, in: &engine) }
    var (slice, isLast) = (RedecisionSlice(), false)
    while stepsLeft > 0, !isLast {
      switch pending.next() {
      case .end: isLast = true
      case .listen(let listen) where pending.isDue(listen) || engine.redecisions.isInDoubt(listen):
        let steps = slice.decide(listen, because: pending.redecision.cause, in: &engine)
        engine.meter.add(steps, of: listen.connection.payer(causedBy: pending.payer))
        stepsLeft -= steps
      case .nothing, .listen:
        engine.meter.add(1, of: pending.payer)
        stepsLeft -= 1
      }
    }
    slice.forgetLost(in: &engine)
    if !pending.isSuperseded, let told = pending.part(slice, isLast: isLast) {
      engine.effects.append(.redecided(told))
    }
    engine.tellCatchUp()
    return isLast
  }

  /// Decides one listen.
  ///
  /// - Returns: The number of steps.
  private mutating func decide(_ listen: Listen, because cause: Cancellation, in engine: inout Engine) -> Int {
    examinedCount += 1
    listen.isQueued = false
    let querySteps = engine.queries.cost.total
    let decision = engine.decideListen(listen.path, listen.connection.principal, listen.sentQuery, isAgain: true)
    var steps = EngineLimits.redecisionSteps + (decision?.stepCount ?? 0)
    if var decision, !decision.isAllowed {
      // A cancelled listen needs no redecision.
      decision.dependencies = nil
      cancelled.append(Redecision.Cancelled(listen, because: cause, decision))
      lost.append(listen)
      // The connection's listens below it are searched.
      if !listen.node.children.isEmpty { steps += listen.connection.listens.count }
    } else {
      engine.setGrant(of: listen, by: decision)
      if kept.count < Redecision.keptToldMax { kept.append((listen, decision?.rule)) }
      Self.catchUp(listen, decision, in: &engine)
    }
    return steps + engine.queries.cost.total &- querySteps
  }

  private func forgetLost(in engine: inout Engine) {
    // The last first: each is then the last entry of its tables, where removal costs least.
    for listen in lost.reversed() { engine.forget(listen) }
  }

  private static func remove(_ connection: Connection, _ stepsLeft: inout Int, in engine: inout Engine) -> Bool {
    while stepsLeft > 0, let listen = connection.listens.entries.last?.value {
      engine.grants.release(listen)
      engine.listens.removeLast(of: connection)
      engine.meter.add(EngineLimits.removalSteps, of: WorkPayer(connection.id))
      stepsLeft -= EngineLimits.removalSteps
    }
    return connection.listens.isEmpty
  }

  // MARK: Missed events

  /// Sends a continuing listen the events that it missed, without those of commits at which it was not permitted; in
  /// that case it receives the present data instead.
  private static func catchUp(_ listen: Listen, _ decision: Decision?, in engine: inout Engine) {
    guard let missed = listen.missed else { return }
    listen.missed = nil
    guard listen.shadowCount == 0, !engine.faults.contains(.noCatchUp) else { return }
    let isSame = missed.principalSerial == listen.connection.principalSerial
    let (root, rules) = (engine.state.root, engine.state.rules)
    let events = engine.redecisions.events(missed, at: listen.owner)
    func wasAllowed(at entry: MissedEvents.Entry) -> Bool {
      entry.rules.isIdentical(to: rules) && decision?.dependencies?.isAffected(from: entry.root, to: root) != true
    }
    if let events, isSame, events.allSatisfy(wasAllowed) {
      for entry in events { engine.redecisions.catchUp.tell(entry.event, to: listen) }
    } else {
      sendValue(to: listen, in: &engine)
    }
  }

  /// Sends a listen all its data.
  private static func sendValue(to listen: Listen, in engine: inout Engine) {
    let (path, position) = (listen.path, engine.state.position)
    listen.firstPosition = position
    let value = listen.group.map { engine.result(of: $0, at: path) } ?? engine.state.root[path]
    let event = engine.redecisions.catchUp.value(of: listen.owner) {
      Event(path: path, change: .put(value), position: position)
    }
    engine.redecisions.catchUp.tell(event, to: listen)
  }

  /// Sends missed events to the connection's listens below a removed one that had missed some.
  static func catchUp(below listen: Listen, in engine: inout Engine) {
    var waiting: [Listen] = []
    engine.meter.stepsTaken += listen.connection.listens.count * EngineLimits.visitedListenSteps
    for (_, other) in listen.connection.listens.entries
    where other.group == nil && other.shadowCount == 0 && other.missed == nil && listen.path.contains(other.path) {
      let isInDoubt = engine.redecisions.isInDoubt(other)
      guard isInDoubt || engine.storage.isStalled else {
        engine.meter.stepsTaken += EngineLimits.queryEventSteps
        sendValue(to: other, in: &engine)
        continue
      }
      other.missed = .everything(after: other.lastPosition)
      if !isInDoubt {
        other.isQueued = true
        waiting.append(other)
      }
    }
    if !waiting.isEmpty {
      _ = engine.redecisions.append(engine.redecision(because: .identity), .listens(waiting))
    }
  }
}

/// Redecisions of listens in doubt, slice by slice: see ``RedecisionSlice``.
extension Engine {
  /// True when listens in doubt can be decided now, or live queries are behind: then `decide` should be called, if
  /// necessary with a `tick`. They wait while the disk is full, because their data may not be durable.
  public var hasPendingRedecisions: Bool { !(redecisions.isIdle && queries.behind.isEmpty) && !storage.isStalled }

  /// Returns a redecision without listens.
  mutating func redecision(
    because cause: Cancellation, of connection: Connection? = nil, revocation: UInt64? = nil
  ) -> Redecision {
    lastRedecisionSerial += 1
    return Redecision(
      serial: lastRedecisionSerial, cause: cause, position: cause.position ?? state.position, revocation: revocation,
      instant: now, connection: connection?.id, examinedCount: 0, cancelled: [])
  }

  /// Decides listens again on the newest state, removes those that the rules no longer allow, and reports them. Listens
  /// beyond the current command's steps are in doubt from now on and decided later.
  ///
  /// - Parameters:
  ///   - connection: The connection whose principal has changed; nil for other causes.
  ///   - revocation: The revocation that changed it.
  mutating func decideAgain(
    _ listens: [Listen], because cause: Cancellation, of connection: Connection? = nil, revocation: UInt64? = nil
  ) {
    guard !listens.isEmpty || cause.isTold(examinedCount: 0, cancelledCount: 0) else { return }
    let redecision = redecision(because: cause, of: connection, revocation: revocation)
    RedecisionSlice.decide(listens, for: redecision, in: &self)
  }

  /// Decides all listens of a connection again after a change of its principal.
  mutating func decideAgain(
    _ connection: Connection, because cause: Cancellation, revocation: UInt64? = nil
  ) {
    guard connection.listens.count <= limits.redecisionListensInLine else {
      let begun = redecision(because: cause, of: connection, revocation: revocation)
      if let ended = redecisions.decideAgain(connection, begun) { endEarly(ended) }
      return
    }
    let listens = connection.listens.entries.map(\.value).sorted { $0.serial < $1.serial }
    decideAgain(listens, because: cause, of: connection, revocation: revocation)
  }

  /// Decides the next listens in doubt, as many as one slice takes.
  mutating func continueRedecisions() {
    guard hasPendingRedecisions else { return }
    QuerySlice.next(in: &self)
    var stepsLeft = limits.redecisionStepsPerSlice
    while stepsLeft > 0, let pending = redecisions.first {
      let isDone = RedecisionSlice.decideNext(of: pending, &stepsLeft, in: &self)
      meter.endSlice()
      if isDone { redecisions.removeFirst() } else { redecisions.rotate() }
    }
  }

  /// Ends a pending redecision that another cause has replaced.
  mutating func endEarly(_ pending: PendingRedecision) {
    pending.isSuperseded = true
    if let told = pending.part(RedecisionSlice(), isLast: true) { effects.append(.redecided(told)) }
  }

  /// Records the decision that allows a listen, which is then no longer in doubt.
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

  /// Decides the listens whose rules read the time again, once in an interval.
  mutating func decideDueClockListens() {
    guard grants.isClockDue(at: now) else { return }
    let isMany = grants.clockListenCount > limits.redecisionListensInLine
    if isMany, redecisions.hasDue { return }
    let due = grants.dueClockListens
    guard isMany else { return decideAgain(due.sorted { $0.serial < $1.serial }, because: .clock) }
    _ = redecisions.append(redecision(because: .clock), .due(due))
  }
}

extension PendingRedecision {
  /// Returns the report of one slice, or nil when there is none.
  func part(_ slice: RedecisionSlice, isLast: Bool) -> Redecision? {
    examinedCount += slice.examinedCount
    untoldCount += slice.examinedCount
    cancelledCount += slice.cancelled.count
    kept += slice.kept(max: keptRoom - kept.count)
    let isWhole = redecision.cause.isTold(examinedCount: examinedCount, cancelledCount: cancelledCount)
    guard !slice.cancelled.isEmpty || isLast && (isTold || isWhole) else { return nil }
    var part = redecision
    (part.isFirst, part.isLast) = (!isTold, isLast)
    (part.examinedCount, part.cancelled, part.kept) = (untoldCount, slice.cancelled, kept)
    keptRoom -= kept.count
    (kept, untoldCount, isTold) = ([], 0, true)
    return part
  }
}

extension Listen {
  /// The owner of its audience.
  fileprivate var owner: AnyObject { group ?? node }
}
