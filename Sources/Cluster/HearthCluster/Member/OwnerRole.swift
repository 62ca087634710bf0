import HearthJournal

/// The state of a database's owner: it decides the requests of all nodes' clients, and ends the sessions of nodes that
/// are gone.
struct OwnerRole: Sendable {
  private var unanswered = UnansweredRequests()
  var watch: PresenceMonitor
  /// The sessions, with all proposed records applied.
  private var table: SessionTable
  /// True when the decider has been started.
  var hasBegun = false
  /// Requests whose decision needs work in the background, each with later ones of its session, in order.
  private var deferred: [SessionID: [DeferredRequest]] = [:]
  /// The recent requests by the node of the client.
  var demand = Demand()

  init(watch: PresenceMonitor, table: SessionTable) { (self.watch, self.table) = (watch, table) }

  mutating func tick(at now: MonotonicInstant, me: Incarnation, mayEnd: Bool) -> [PresenceMonitor.Action] {
    watch.tick(at: now, table, me: me, mayEnd: mayEnd)
  }

  mutating func announced(
    _ edge: Incarnation, _ sessions: [SessionID]
  ) -> (actions: [PresenceMonitor.Action], unknown: [SessionID]) {
    watch.announced(edge, sessions, table)
  }

  // MARK: - Requests

  /// Decides a request, and answers it at once or when its position is durable.
  mutating func decide(
    _ request: ForwardedRequest, _ epoch: Int64, of peer: Incarnation, _ ownership: inout Ownership,
    _ output: inout MemberOutput, _ decider: inout some RequestDecider
  ) {
    let origin = request.origin
    if deferred[origin.session] != nil { return postpone(DeferredRequest(request: request, epoch: epoch, peer: peer)) }
    demand.note(peer.node)
    guard let tip = ownership.tip(acceptingIn: epoch) else {
      return output.answer(.notOwner, origin, epoch, peer.node)
    }
    let session = table[origin.session]
    let isEnded = table.isEnded(peer)
    if case .open(let ordinal, let answered) = request.kind {
      let openedCount = table.openedCount(of: peer)
      guard !isEnded, session.map({ $0.edge == peer }) ?? (ordinal > openedCount) else {
        return output.answer(.noSession, origin, epoch, peer.node)
      }
      // An opening that is processed before an earlier one of the same node would make the earlier session look ended.
      guard ordinal <= openedCount || ordinal - 1 <= max(openedCount, answered) else {
        return output.answer(.notOwner, origin, epoch, peer.node)
      }
      unanswered.note(origin)
      if session == nil { propose(.open(origin.session, edge: peer, ordinal: ordinal), &ownership) }
      let position = session?.position ?? tip + 1
      return wait(position, .applied(position: position, reply: []), origin, peer)
    }
    guard let session, session.edge == peer, !isEnded, origin.isWithinLimit else {
      // While the request that opens the session is unanswered, the session may still begin.
      let isToCome = session == nil && !isEnded && origin.answered == 0
      return output.answer(isToCome ? .notOwner : .noSession, origin, epoch, peer.node)
    }
    if case .write = request.kind, origin.request <= session.lastRequest {
      unanswered.note(origin)
      guard let position = session.position(of: origin.request) else {
        return wait(tip, .refused(position: tip, reply: []), origin, peer, isHeld: ownership.lacksRoom)
      }
      return wait(position, .applied(position: position, reply: []), origin, peer)
    }
    guard unanswered.isNext(origin, after: session.lastRequest) else {
      return output.answer(.notOwner, origin, epoch, peer.node)
    }
    unanswered.note(origin)
    decide(request, at: tip, epoch, of: peer, &ownership, &output, &decider)
  }

  /// Decides a request that is the next one of its session.
  private mutating func decide(
    _ request: ForwardedRequest, at tip: Int64, _ epoch: Int64, of peer: Incarnation, _ ownership: inout Ownership,
    _ output: inout MemberOutput, _ decider: inout some RequestDecider
  ) {
    let origin = request.origin
    switch request.kind {
    case .open: break
    case .write where ownership.lacksRoom:
      output.answer(.refused(position: 0, reply: decider.noRoom), origin, epoch, peer.node)
    case .write:
      switch decider.decide(request, at: tip + 1) {
      case .commit(let content, let reply, let entries):
        precondition(LogRecord.isContent(content), "what was decided is not in the engine's form")
        propose(.write(origin, content: content), with: entries, &ownership)
        wait(tip + 1, .applied(position: tip + 1, reply: reply), origin, peer)
      // A refusal with a reason discloses data, so it is answered under the same condition as a read.
      case .refuse(let reply):
        wait(tip, .refused(position: tip, reply: reply), origin, peer, isHeld: ownership.lacksRoom)
      case .later: postpone(DeferredRequest(request: request, epoch: epoch, peer: peer))
      }
    case .get(let query):
      // Records that wait for space in the store were not acknowledged to any client.
      let position = ownership.lacksRoom ? ownership.durable?.position ?? tip : tip
      let value = decider.read(query, of: origin.session, at: position)
      wait(position, .value(value, position: position), origin, peer, isHeld: ownership.lacksRoom)
    case .close:
      disconnect([origin.session], &ownership, &decider)
      wait(tip + 1, .applied(position: tip + 1, reply: []), origin, peer)
    }
  }

  /// Decides the deferred requests of a session whose work in the background is done, until one needs more.
  mutating func decideDeferred(
    of session: SessionID, _ ownership: inout Ownership, _ output: inout MemberOutput,
    _ decider: inout some RequestDecider
  ) {
    for waiting in deferred.removeValue(forKey: session) ?? [] {
      decide(waiting.request, waiting.epoch, of: waiting.peer, &ownership, &output, &decider)
    }
  }

  /// Defers a request, unless its node has only sent it again.
  private mutating func postpone(_ waiting: DeferredRequest) {
    let (session, number) = (waiting.request.origin.session, waiting.request.origin.request)
    guard deferred[session]?.contains(where: { $0.request.origin.request == number }) != true else { return }
    deferred[session, default: []].append(waiting)
  }

  /// Sends the answers that are due.
  ///
  /// - Parameters:
  ///   - durable: The durable end of the log.
  ///   - isAuthoritative: True when no other node can be the owner.
  mutating func answer(_ epoch: Int64, durable: Int64, isAuthoritative: Bool, _ output: inout MemberOutput) {
    for answer in unanswered.release(durable: durable, isAuthoritative: isAuthoritative) {
      output.answer(answer.outcome, answer.origin, epoch, answer.node)
    }
  }

  /// Answers a request when a position is durable.
  private mutating func wait(_ position: Int64, _ outcome: RequestOutcome, _ origin: Origin, _ peer: Incarnation) {
    unanswered.wait(
      for: position, UnansweredRequests.Answer(node: peer.node, origin: origin, outcome: outcome, isRead: false))
  }

  /// Answers a request as a read, which must show the newest state.
  ///
  /// - Parameter isHeld: True when the answer depends on no position that is not durable yet.
  private mutating func wait(
    _ position: Int64, _ outcome: RequestOutcome, _ origin: Origin, _ peer: Incarnation, isHeld: Bool
  ) {
    let answer = UnansweredRequests.Answer(node: peer.node, origin: origin, outcome: outcome, isRead: true)
    if isHeld { unanswered.hold(answer) } else { unanswered.wait(for: position, answer) }
  }

  // MARK: - Records

  private mutating func propose(
    _ record: LogRecord, with entries: [OutboxEntry] = [], _ ownership: inout Ownership
  ) {
    guard ownership.isAccepting, let tip = ownership.tip else { return }
    ownership.propose(record, with: entries)
    table.apply(record, at: tip + 1)
  }

  private mutating func disconnect(
    _ sessions: [SessionID], _ ownership: inout Ownership, _ decider: inout some RequestDecider
  ) {
    for id in sessions {
      guard ownership.isAccepting, let tip = ownership.tip, table[id] != nil else { continue }
      let (content, entries) = decider.disconnect(id, at: tip + 1)
      precondition(LogRecord.isContent(content), "what is made at a session's end is not in the engine's form")
      propose(.disconnect(id, content: content), with: entries, &ownership)
      unanswered.forget(id)
      deferred[id] = nil
    }
  }

  /// Performs the actions of the ``PresenceMonitor``.
  mutating func run(
    _ found: [PresenceMonitor.Action], _ ownership: inout Ownership, _ output: inout MemberOutput,
    _ decider: inout some RequestDecider
  ) {
    for action in found {
      switch action {
      case .ask(let ticket, let call): output.actions.append(.ask(.presence, ticket: ticket, call))
      case .end(let incarnation): propose(.ended(incarnation), &ownership)
      case .disconnect(let sessions): disconnect(sessions, &ownership, &decider)
      }
    }
  }
}

/// A request that an owner decides later.
private struct DeferredRequest: Sendable {
  var request: ForwardedRequest
  var epoch: Int64
  var peer: Incarnation
}
