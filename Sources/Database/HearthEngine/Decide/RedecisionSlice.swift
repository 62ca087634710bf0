import HearthRules
import HearthTree

/// A slice of the redecisions of listens, with a bounded number of steps: no command waits for more than one slice.
struct RedecisionSlice {
  var examinedCount = 0
  var cancelled: [Redecision.Cancelled] = []
  private var kept: [(listen: Listen, rule: RuleReference?)] = []
  private var lost: [Listen] = []

  /// Returns the first of the listens that continue.
  func kept(max: Int) -> [Redecision.Kept] {
    kept.prefix(Swift.max(0, max)).map { Redecision.Kept($0.listen, by: $0.rule) }
  }

  /// Decides listens again within the current command, until its steps are used up; the others are in doubt from now
  /// on.
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
      if let report = whole.part(slice, isLast: true) { engine.effects.append(.redecided(report)) }
    } else {
      let pending = engine.redecisions.append(redecision, .listens(rest))
      if let report = pending.part(slice, isLast: false) { engine.effects.append(.redecided(report)) }
    }
    RedecisionHandler.sendCatchUp(in: &engine)
  }

  /// Decides the next listens in doubt because of one cause.
  ///
  /// - Returns: True when no listen is left to decide.
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
    if !pending.isSuperseded, let report = pending.part(slice, isLast: isLast) {
      engine.effects.append(.redecided(report))
    }
    RedecisionHandler.sendCatchUp(in: &engine)
    return isLast
  }

  /// Decides one listen.
  ///
  /// - Returns: The number of steps.
  private mutating func decide(_ listen: Listen, because cause: Cancellation, in engine: inout Engine) -> Int {
    examinedCount += 1
    listen.isQueued = false
    let (querySteps, readCount) = (engine.queries.cost.total, engine.reads.count)
    let decision = RedecisionHandler.decideListen(
      listen.path, listen.connection.principal, listen.sentQuery, isAgain: true, in: &engine)
    var steps = EngineLimits.redecisionSteps + (decision?.stepCount ?? 0)
    if var decision, !decision.isAllowed {
      // A cancelled listen needs no redecision.
      decision.dependencies = nil
      cancelled.append(Redecision.Cancelled(listen, because: cause, decision))
      lost.append(listen)
      // Removing a listen also searches the connection's listens below it, which costs steps.
      if !listen.node.children.isEmpty { steps += listen.connection.listens.count }
    } else {
      RedecisionHandler.setGrant(of: listen, by: decision, in: &engine)
      if kept.count < Redecision.keptReportedMax { kept.append((listen, decision?.rule)) }
      Self.catchUp(listen, decision, in: &engine)
    }
    return steps + engine.reads.takeSteps(since: readCount) + engine.queries.cost.total &- querySteps
  }

  private func forgetLost(in engine: inout Engine) {
    // Removes from the end: each listen is then the last entry of its tables, where removal costs least.
    for listen in lost.reversed() { RedecisionHandler.forget(listen, in: &engine) }
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

  /// Sends a listen that is permitted again the events that it missed while it was in doubt. When it was not permitted
  /// at one of those commits, it receives the present data instead.
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
      for entry in events { engine.redecisions.catchUp.add(entry.event, to: listen) }
    } else {
      sendValue(to: listen, in: &engine)
    }
  }

  /// Sends a listen all its data.
  private static func sendValue(to listen: Listen, in engine: inout Engine) {
    let (path, position) = (listen.path, engine.state.position)
    listen.firstPosition = position
    let value = listen.group.map { CommitDelivery.result(of: $0, at: path, in: &engine) } ?? engine.state.root[path]
    let event = engine.redecisions.catchUp.value(of: listen.owner) {
      Event(path: path, change: .put(value), position: position)
    }
    engine.redecisions.catchUp.add(event, to: listen)
  }

  /// Sends the present data to the connection's listens below a removed listen that had missed events.
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
      _ = engine.redecisions.append(RedecisionHandler.redecision(because: .identity, in: &engine), .listens(waiting))
    }
  }
}

extension PendingRedecision {
  /// Returns the report of one slice, or nil when there is none.
  func part(_ slice: RedecisionSlice, isLast: Bool) -> Redecision? {
    examinedCount += slice.examinedCount
    unreportedCount += slice.examinedCount
    cancelledCount += slice.cancelled.count
    kept += slice.kept(max: reportableKeptCount - kept.count)
    let isWhole = redecision.cause.hasReceipt(examinedCount: examinedCount, cancelledCount: cancelledCount)
    guard !slice.cancelled.isEmpty || isLast && (isReported || isWhole) else { return nil }
    var part = redecision
    (part.isFirst, part.isLast) = (!isReported, isLast)
    (part.examinedCount, part.cancelled, part.kept) = (unreportedCount, slice.cancelled, kept)
    reportableKeptCount -= kept.count
    (kept, unreportedCount, isReported) = ([], 0, true)
    return part
  }
}

extension Listen {
  /// The object whose listener list contains this listen: its query group, or the node of its location.
  fileprivate var owner: AnyObject { group ?? node }
}
