import HearthRules
import HearthTree

/// Listens that are decided again together: no command waits for more than one slice, and none has more decided than a bounded
/// number of steps.
struct RedecisionSlice {
  var examinedCount = 0
  var cancelled: [Redecision.Cancelled] = []
  private var kept: [(listen: Listen, rule: RuleReference?)] = []
  private var lost: [Listen] = []

  /// The first of the listens that go on.
  func kept(max: Int) -> [Redecision.Kept] {
    kept.prefix(Swift.max(0, max)).map { Redecision.Kept($0.listen, by: $0.rule) }
  }

  /// Decides listens again with the command under way, as many as it may take steps for; the others are in doubt from now on.
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

  /// Decides the next listens that are in doubt because of one cause.
  ///
  /// - Returns: Whether none are left.
  static func decideNext(of pending: PendingRedecision, _ stepsLeft: inout Int, in engine: inout Engine) -> Bool {
    if case .ended(let connection) = pending.source { return remove(connection, &stepsLeft, in: &engine) }
    var (slice, isLast) = (RedecisionSlice(), false)
    while stepsLeft > 0, !isLast {
      switch pending.next() {
      case .end: isLast = true
      case .listen(let listen) where pending.isDue(listen) || engine.redecisions.isInDoubt(listen):
        stepsLeft -= slice.decide(listen, because: pending.redecision.cause, in: &engine)
      case .nothing, .listen: stepsLeft -= 1
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
  /// - Returns: How many steps it took.
  private mutating func decide(_ listen: Listen, because cause: Cancellation, in engine: inout Engine) -> Int {
    examinedCount += 1
    listen.isQueued = false
    let decision = engine.decideListen(listen.path, listen.connection.principal, listen.sentQuery, isAgain: true)
    var steps = EngineLimits.redecisionSteps + (decision?.stepCount ?? 0)
    if var decision, !decision.isAllowed {
      // Nobody waits for another answer.
      decision.dependencies = nil
      cancelled.append(Redecision.Cancelled(listen, because: cause, decision))
      lost.append(listen)
      // Those of the connection below it are looked for.
      if !listen.node.children.isEmpty { steps += listen.connection.listens.count }
    } else {
      engine.setGrant(of: listen, by: decision)
      if kept.count < Redecision.keptToldMax { kept.append((listen, decision?.rule)) }
      Self.catchUp(listen, decision, in: &engine)
    }
    return steps
  }

  private func forgetLost(in engine: inout Engine) {
    // The last first: each is then the last of the tables that it stands in, where taking it out costs least.
    for listen in lost.reversed() { engine.forget(listen) }
  }

  private static func remove(_ connection: Connection, _ stepsLeft: inout Int, in engine: inout Engine) -> Bool {
    while stepsLeft > 0, let listen = connection.listens.entries.last?.value {
      engine.grants.release(listen)
      engine.listens.removeLast(of: connection)
      stepsLeft -= EngineLimits.removalSteps
    }
    return connection.listens.isEmpty
  }

  // MARK: What was missed

  /// Has a listen that goes on be told what it missed. Events of commits at which it would not have been allowed are left
  /// out; it is then sent what is there.
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

  /// Has a listen be sent all there is for it.
  private static func sendValue(to listen: Listen, in engine: inout Engine) {
    let (path, position) = (listen.path, engine.state.position)
    listen.firstPosition = position
    let value = listen.group.map { engine.result(of: $0, at: path) } ?? engine.state.root[path]
    let event = engine.redecisions.catchUp.value(of: listen.owner) {
      Event(path: path, change: .put(value), position: position)
    }
    engine.redecisions.catchUp.tell(event, to: listen)
  }

  /// A listen was taken away that had missed something: so have the connection's listens below it.
  static func catchUp(below listen: Listen, in engine: inout Engine) {
    var waiting: [Listen] = []
    for (_, other) in listen.connection.listens.entries
    where other.group == nil && other.shadowCount == 0 && other.missed == nil && listen.path.contains(other.path) {
      let isInDoubt = engine.redecisions.isInDoubt(other)
      guard isInDoubt || engine.storage.isStalled else {
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

/// Listens in doubt are decided again slice by slice: see ``RedecisionSlice``.
extension Engine {
  /// True when listens are in doubt that can be decided again now, or live queries are behind: `decide` should be called, with
  /// a `tick` if with nothing else. While nothing can be stored they wait, since they may have to be told what is not durable.
  public var hasPendingRedecisions: Bool { !(redecisions.isIdle && queries.behind.isEmpty) && !storage.isStalled }

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

  /// Decides all listens of a connection again, whose principal is another one now.
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

  /// Decides the next listens that are in doubt, as many as one slice takes.
  mutating func continueRedecisions() {
    guard hasPendingRedecisions else { return }
    QuerySlice.next(in: &self)
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

  /// Decides the listens again whose rules look at the time, once in an interval.
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
  /// What is told of one slice of it; nil for nothing.
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
  /// What its audience belongs to.
  fileprivate var owner: AnyObject { group ?? node }
}
