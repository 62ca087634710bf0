import HearthRules
import HearthTree

/// Grants: a listen lives as long as the rules would allow it, and what they read to say so is known.
extension Engine {
  /// Asks the rules whether a principal may listen; nil means that they need not be asked.
  mutating func decideListen(
    _ path: Path, _ principal: Principal, _ query: Query? = nil, isAgain: Bool = false
  ) -> Decision? {
    let seen = faults.contains(.noQueryInRules) ? nil : query
    let decision = state.decideRead(path, as: principal, at: now, query: seen, detail: .dependencies)
    tap?.noteRead(isAgain ? .listenAgain : .listen, path, seen, principal, state, now, decision?.isAllowed)
    return decision
  }

  /// Decides listens again on the newest state, forgets those that the rules no longer allow, and says which they are.
  ///
  /// - Parameters:
  ///   - connection: Whose principal is another one now; nil for causes that are nobody's.
  ///   - revocation: What made it another one.
  mutating func decideAgain(
    _ listens: [Listen], because cause: Cancellation, of connection: Connection? = nil, revocation: UInt64? = nil
  ) {
    var (examinedCount, cancelled, lost): (Int, [Redecision.Cancelled], [Listen]) = (0, [], [])
    var kept: [(listen: Listen, rule: RuleReference?)] = []
    for listen in listens where listen.isLive {
      examinedCount += 1
      let decision = decideListen(listen.path, listen.connection.principal, listen.sentQuery, isAgain: true)
      if var decision, !decision.isAllowed {
        // Nobody waits for another answer.
        decision.dependencies = nil
        cancelled.append(Redecision.Cancelled(listen, because: cause, decision))
        lost.append(listen)
      } else {
        grants.set(listen, by: decision, at: now)
        if kept.count < Redecision.keptToldMax { kept.append((listen, decision?.rule)) }
      }
    }
    // The last first: each is then the last of the tables that it stands in, where taking it out costs least.
    for listen in lost.reversed() { forget(listen) }
    guard cause.isTold(examinedCount: examinedCount, cancelledCount: cancelled.count) else { return }
    lastRedecisionSerial += 1
    let redecision = Redecision(
      serial: lastRedecisionSerial, cause: cause, position: cause.position ?? state.position, revocation: revocation,
      instant: now, connection: connection?.id, examinedCount: examinedCount, cancelled: cancelled,
      kept: kept.map { Redecision.Kept($0.listen, by: $0.rule) })
    effects.append(.redecided(redecision))
  }

  mutating func forget(_ listen: Listen) {
    grants.release(listen)
    listens.remove(listen)
  }

  /// Tells the listeners of a commit, after those who may no longer listen were cancelled.
  mutating func announce(_ commit: Commit) {
    placeTap.note(commit)
    decideAgain(grants.affected(by: commit), because: .data(position: commit.position))
    guard !listens.isIdle else { return }
    let fanOut = FanOut(commit, to: listens)
    for delivery in fanOut.deliveries {
      let node = delivery.node
      let stale = node.audience.clockListens.filter { $0.decidedWallMilliseconds != now.wallMilliseconds }
      if !stale.isEmpty { decideAgain(stale, because: .clock) }
      node.lastPosition = commit.position
      let recipients = node.audience.recipients
      if !recipients.isEmpty { effects.append(.event(delivery.event, to: recipients)) }
    }
    for shift in fanOut.shifts { self.shift(shift, of: commit) }
  }
}
