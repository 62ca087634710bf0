import HearthJournal

/// A database on one node of a cluster: its replica of the log, its clients' requests to the owner, and the owner's
/// role when this node has it. A value without sockets, files, clocks or threads: its driver feeds it events and
/// performs its actions.
package struct DatabaseMember: Sendable {
  struct Route: Equatable {
    var epoch: Int64
    var node: NodeID
  }

  /// The state that only an owner has.
  private struct OwnerState {
    var desk = UnansweredRequests()
    var watch: PresenceWatch
    /// The sessions, with all proposed records applied.
    var table: SessionTable
    /// True when the decider has been started.
    var hasBegun = false
    /// The recent requests by the node of the client.
    var demand = Demand()

    mutating func tick(at now: MonotonicInstant, me: Incarnation, mayEnd: Bool) -> [PresenceWatch.Action] {
      watch.tick(at: now, table, me: me, mayEnd: mayEnd)
    }

    mutating func announced(
      _ edge: Incarnation, _ sessions: [SessionID]
    ) -> (actions: [PresenceWatch.Action], unknown: [SessionID]) {
      watch.announced(edge, sessions, table)
    }
  }

  /// True when this node claims the database once it has no owner. When false, the node claims nothing but keeps a
  /// database that it owns until it hands it over.
  package var isWanted = true
  /// The node's replica of the log.
  package private(set) var replica: Replica
  /// The sessions at the replica's head.
  package private(set) var table: SessionTable
  /// The owner's role.
  package private(set) var ownership: Ownership
  /// The requests of this node's clients.
  package private(set) var requests: EdgeRequests

  private let node: NodeID
  private let timing: ClusterTiming
  private var office: OwnerState?
  private var lastPresenceTicket: UInt64 = 0
  private(set) var route: Route? {
    didSet { if route?.node != oldValue?.node { actions.append(.ownerSeen(route?.node)) } }
  }
  private var isResendDue = false
  /// The epoch of the last beat.
  private var beatEpoch: Int64 = 0
  private var links: Set<NodeID> = []
  private var subscribers: [NodeID: MonotonicInstant] = [:]
  private var lastPulse = MonotonicInstant.distantPast
  /// The time of the last sign of life of an owner.
  private(set) var ownerHeardAt = MonotonicInstant.distantPast
  private var actions: [MemberAction] = []
  /// The node's messages to itself, handled after the event that caused them and before any other.
  private var own: [PeerMessage] = []

  /// A database from a known head of the log: that of a snapshot, or the beginning.
  ///
  /// - Parameter openedCount: See ``EdgeRequests/init(openedCount:)``.
  package init(
    node: NodeID, timing: ClusterTiming, head: JournalHead = .empty, table: SessionTable = SessionTable(),
    openedCount: UInt64 = 0
  ) {
    requests = EdgeRequests(openedCount: openedCount)
    self.node = node
    self.timing = timing
    self.table = table
    replica = Replica(from: head, timing: timing)
    ownership = Ownership(timing: timing)
  }

  /// The number of other nodes that follow this owner.
  var followerCount: Int { subscribers.count }
  /// The other node whose clients send this owner more requests than those of all remaining nodes; nil when there is
  /// none.
  package var mostAskedFrom: NodeID? { office?.demand.most.flatMap { $0 == node ? nil : $0 } }

  /// Handles a single event.
  ///
  /// - Parameters:
  ///   - now: This node's clock when the event is handled, not when it arrived.
  ///   - standing: The state of the node's lease.
  package mutating func handle(
    _ event: MemberEvent, at now: MonotonicInstant, _ standing: LeaseStanding, _ decider: inout some RequestDecider
  ) -> [MemberAction] {
    take(event, at: now, standing, &decider) + finish(at: now, standing, &decider)
  }

  /// Handles one of several events that arrived together. Rows and answers for all of them are produced by
  /// ``finish(at:_:)``, which must be called before the driver waits for more events. The returned actions must be
  /// performed before the next event is handled.
  ///
  /// - Parameters: As for ``handle(_:at:_:_:)``.
  package mutating func take(
    _ event: MemberEvent, at now: MonotonicInstant, _ standing: LeaseStanding, _ decider: inout some RequestDecider
  ) -> [MemberAction] {
    beginDeciding(&decider)
    ownership.isWanted = isWanted && replica.unreadable == nil && !replica.isPruned
    switch event {
    case .tick: tick(at: now, standing, &decider)
    case .stored(.replica, let ticket, let answer): run(replica.answered(ticket, answer, at: now))
    case .stored(.ownership, let ticket, let answer):
      run(ownership.answered(ticket, answer, replica.memory, at: now, standing), at: now, standing)
    case .stored(.presence, let ticket, let answer):
      run(office?.watch.answered(ticket, answer) ?? [], &decider)
    case .received(let message, let peer): received(message, from: peer, at: now, standing, &decider)
    case .linkUp(let peer):
      links.insert(peer)
      if route?.node == peer { resend() }
    case .linkDown(let peer):
      links.remove(peer)
      subscribers[peer] = nil
    case .opened(let session):
      var found: [EdgeRequests.Action] = []
      requests.open(session, isOwnerKnown: route != nil && !isResendDue, &found)
      run(found)
    case .submitted(let session, let ticket, let kind):
      var found: [EdgeRequests.Action] = []
      requests.submit(session, ticket: ticket, kind, isOwnerKnown: route != nil && !isResendDue, &found)
      run(found)
    case .wanted(let isWanted): self.isWanted = isWanted
    case .restored(let head, let table): restore(head, table, at: now)
    case .handOver(let peer): run(ownership.handOver(to: peer, at: now), at: now, standing)
    case .incarnationEnded:
      run(ownership.drop(), at: now, standing)
      run(requests.drop())
    }
    takeOwn(at: now, standing, &decider)
    defer { actions = [] }
    return actions
  }

  /// Makes rows of the decided records, and sends the answers that are due.
  package mutating func finish(
    at now: MonotonicInstant, _ standing: LeaseStanding, _ decider: inout some RequestDecider
  ) -> [MemberAction] {
    beginDeciding(&decider)
    repeat {
      run(ownership.flush(at: now), at: now, standing)
      answer(at: now, standing)
    } while takeOwn(at: now, standing, &decider)
    defer { actions = [] }
    return actions
  }

  /// Tells the decider that this node is the owner; done later than the takeover, because rows were still to be applied
  /// then.
  private mutating func beginDeciding(_ decider: inout some RequestDecider) {
    guard office?.hasBegun == false else { return }
    office?.hasBegun = true
    decider.began(at: replica.head.position)
  }

  /// Handles the node's messages to itself and their consequences, once the decider has been started.
  ///
  /// - Returns: True when a message may have led to rows or answers.
  @discardableResult
  private mutating func takeOwn(
    at now: MonotonicInstant, _ standing: LeaseStanding, _ decider: inout some RequestDecider
  ) -> Bool {
    guard !own.isEmpty, office?.hasBegun ?? true else { return false }
    var hasAsked = false
    var place = 0
    while place < own.count, let run = standing.incarnation {
      let message = own[place]
      if case .answer = message {} else { hasAsked = true }
      received(message, from: run, at: now, standing, &decider)
      place += 1
    }
    own.removeAll(keepingCapacity: true)
    return hasAsked
  }

  /// Sends a message to a node, which may be this one.
  private mutating func tell(_ peer: NodeID, _ message: PeerMessage) {
    if peer == node { own.append(message) } else { actions.append(.send(peer, message)) }
  }

  private mutating func tick(
    at now: MonotonicInstant, _ standing: LeaseStanding, _ decider: inout some RequestDecider
  ) {
    let isHeard = !now.isAtLeast(2 * timing.beatMilliseconds, after: ownerHeardAt)
    run(ownership.tick(at: now, standing, isOwnerHeard: isHeard), at: now, standing)
    if ownership.isAuthoritative(at: now, standing) {
      run(replica.owns(at: now))
    } else if ownership.epoch == nil {
      run(replica.tick(at: now))
    } else {
      run(replica.judge(at: now))
    }
    office?.demand.tick(at: now)
    if let me = standing.incarnation, office != nil {
      run(office?.tick(at: now, me: me, mayEnd: standing.mayClaim(at: now)) ?? [], &decider)
      lastPresenceTicket = office?.watch.ticket ?? lastPresenceTicket
    }
    subscribers = subscribers.filter { !now.isAtLeast(timing.leaseMilliseconds, after: $0.value) }
    if now.isAtLeast(timing.beatMilliseconds, after: lastPulse) { pulse(at: now) }
  }

  // MARK: - Peers

  private mutating func received(
    _ message: PeerMessage, from peer: Incarnation, at now: MonotonicInstant, _ standing: LeaseStanding,
    _ decider: inout some RequestDecider
  ) {
    switch message {
    case .pulse(let stamp):
      guard let epoch = ownership.epoch, let head = ownership.durable else { return }
      subscribers[peer.node] = now
      if ownership.isAuthoritative(at: now, standing) {
        actions.append(.send(peer.node, .beat(epoch: epoch, head: head, stamp: stamp)))
      }
    case .beat(let epoch, let head, let stamp):
      guard isCurrent(epoch, at: now, standing) else { return }
      let isFirst = epoch > beatEpoch
      beatEpoch = max(beatEpoch, epoch)
      if epoch >= route?.epoch ?? 0 { ownerHeardAt = now }
      run(replica.received(beatOf: epoch, at: head, stamp: stamp, now: now))
      follow(Route(epoch: epoch, node: peer.node), at: now, isFirstBeat: isFirst)
    case .commits(let row):
      guard isCurrent(row.epoch, at: now, standing) else { return }
      run(replica.received(row, at: now))
    case .request(let epoch, let request): decide(request, epoch, of: peer, at: now, &decider)
    case .answer(let epoch, let session, let request, let outcome):
      let (found, isRefused) = requests.answered(session, request, outcome, applied: replica.head.position)
      run(found)
      // A refusal in an earlier epoch is for a request that was sent again since.
      if isRefused, epoch == route?.epoch { isResendDue = true }
    case .announce(let epoch, let sessions):
      guard ownership.owns(in: epoch), let (found, unknown) = office?.announced(peer, sessions) else { return }
      run(found, &decider)
      if !unknown.isEmpty { tell(peer.node, .unknownSessions(epoch: epoch, unknown)) }
    case .unknownSessions(let epoch, let sessions):
      if epoch == route?.epoch { run(requests.unknown(sessions)) }
    case .handoff(let epoch): run(ownership.take(epoch: epoch, replica.memory, standing), at: now, standing)
    }
  }

  /// Returns true when a message of this epoch's owner is still relevant. A message of a later owner ends this node's
  /// own tenure.
  private mutating func isCurrent(_ epoch: Int64, at now: MonotonicInstant, _ standing: LeaseStanding) -> Bool {
    guard let own = ownership.epoch else { return true }
    guard epoch > own else { return false }
    run(ownership.drop(), at: now, standing)
    return true
  }

  /// Follows the owner of this epoch, which may be new.
  ///
  /// - Parameter isFirstBeat: The owner serves, and this node learns it only now: messages sent when the store named it
  ///   may have arrived too early. Early requests were refused and are sent again; an early announcement of sessions is
  ///   not.
  private mutating func follow(_ found: Route, at now: MonotonicInstant, isFirstBeat: Bool = false) {
    guard found.epoch >= route?.epoch ?? 0 else { return }
    let isNew = found != route
    route = found
    // At once, so that the owner sends its rows here.
    if isNew || isFirstBeat { pulse(at: now) }
    if isNew || isResendDue {
      resend()
    } else if isFirstBeat {
      announce(to: found)
    }
  }

  /// Requests a beat of the owner, and its rows for the length of a lease.
  private mutating func pulse(at now: MonotonicInstant) {
    lastPulse = now
    if let route, route.node != node { actions.append(.send(route.node, .pulse(stamp: now))) }
  }

  private mutating func announce(to route: Route) {
    tell(route.node, .announce(epoch: route.epoch, requests.open))
  }

  /// Sends the owner the node's sessions and unanswered requests.
  private mutating func resend() {
    guard let route else { return }
    isResendDue = false
    announce(to: route)
    run(requests.resend())
  }

  // MARK: - The owner's part

  private mutating func decide(
    _ request: ForwardedRequest, _ epoch: Int64, of peer: Incarnation, at now: MonotonicInstant,
    _ decider: inout some RequestDecider
  ) {
    let origin = request.origin
    office?.demand.note(peer.node)
    guard office != nil, let tip = ownership.tip(acceptingIn: epoch) else {
      return answer(.notOwner, origin, epoch, peer.node)
    }
    let session = office?.table[origin.session]
    let isEnded = office?.table.isEnded(peer) ?? true
    if case .open(let ordinal, let answered) = request.kind {
      let openedCount = office?.table.openedCount(of: peer) ?? 0
      guard !isEnded, session.map({ $0.edge == peer }) ?? (ordinal > openedCount) else {
        return answer(.noSession, origin, epoch, peer.node)
      }
      // An opening that overtakes an earlier one would make that session look ended.
      guard ordinal <= openedCount || ordinal - 1 <= max(openedCount, answered) else {
        return answer(.notOwner, origin, epoch, peer.node)
      }
      office?.desk.note(origin)
      if session == nil { propose(.open(origin.session, edge: peer, ordinal: ordinal)) }
      let position = session?.position ?? tip + 1
      return wait(position, .applied(position: position, reply: []), origin, peer)
    }
    guard let session, session.edge == peer, !isEnded, origin.isWithinLimit else {
      // While the opening is unanswered, the session may still begin.
      let isToCome = session == nil && !isEnded && origin.answered == 0
      return answer(isToCome ? .notOwner : .noSession, origin, epoch, peer.node)
    }
    if case .write = request.kind, origin.request <= session.lastRequest {
      office?.desk.note(origin)
      guard let position = session.position(of: origin.request) else {
        return wait(tip, .refused(position: tip, reply: []), origin, peer, isRead: true)
      }
      return wait(position, .applied(position: position, reply: []), origin, peer)
    }
    guard office?.desk.isNext(origin, after: session.lastRequest) ?? false else {
      return answer(.notOwner, origin, epoch, peer.node)
    }
    office?.desk.note(origin)
    switch request.kind {
    case .open: break
    case .write where ownership.lacksRoom:
      answer(.refused(position: 0, reply: decider.noRoom), origin, epoch, peer.node)
    case .write:
      switch decider.decide(request, at: tip + 1) {
      case .commit(let content, let reply, let entries):
        precondition(LogRecord.isContent(content), "what was decided is not in the engine's form")
        propose(.write(origin, content: content), with: entries)
        wait(tip + 1, .applied(position: tip + 1, reply: reply), origin, peer)
      // A reply with a reason discloses data, so it is held like a read.
      case .refuse(let reply): wait(tip, .refused(position: tip, reply: reply), origin, peer, isRead: true)
      }
    case .get(let query):
      // Records that wait for room were not acknowledged to any client.
      let position = ownership.lacksRoom ? ownership.durable?.position ?? tip : tip
      let value = decider.read(query, of: origin.session, at: position)
      wait(position, .value(value, position: position), origin, peer, isRead: true)
    case .close:
      disconnect([origin.session], &decider)
      wait(tip + 1, .applied(position: tip + 1, reply: []), origin, peer)
    }
  }

  private mutating func answer(_ outcome: Outcome, _ origin: Origin, _ epoch: Int64, _ node: NodeID) {
    tell(node, .answer(epoch: epoch, origin.session, request: origin.request, outcome))
  }

  private mutating func wait(
    _ position: Int64, _ outcome: Outcome, _ origin: Origin, _ peer: Incarnation, isRead: Bool = false
  ) {
    let answer = UnansweredRequests.Answer(node: peer.node, origin: origin, outcome: outcome, isRead: isRead)
    if isRead, ownership.lacksRoom {
      office?.desk.hold(answer)
    } else {
      office?.desk.wait(for: position, answer)
    }
  }

  private mutating func propose(_ record: LogRecord, with entries: [OutboxEntry] = []) {
    guard ownership.isAccepting, let tip = ownership.tip else { return }
    ownership.propose(record, with: entries)
    office?.table.apply(record, at: tip + 1)
  }

  private mutating func disconnect(_ sessions: [SessionID], _ decider: inout some RequestDecider) {
    for id in sessions {
      guard ownership.isAccepting, let tip = ownership.tip, office?.table[id] != nil else { continue }
      let (content, entries) = decider.disconnect(id, at: tip + 1)
      precondition(LogRecord.isContent(content), "what is made at a session's end is not in the engine's form")
      propose(.disconnect(id, content: content), with: entries)
      office?.desk.forget(id)
    }
  }

  /// Sends the answers that are due.
  private mutating func answer(at now: MonotonicInstant, _ standing: LeaseStanding) {
    guard let epoch = ownership.epoch, let durable = ownership.durable else { return }
    let isAuthoritative = ownership.isAuthoritative(at: now, standing)
    let answers = office?.desk.release(durable: durable.position, isAuthoritative: isAuthoritative) ?? []
    for answer in answers { self.answer(answer.outcome, answer.origin, epoch, answer.node) }
  }

  // MARK: - Actions of the state machines

  private mutating func run(_ found: [PresenceWatch.Action], _ decider: inout some RequestDecider) {
    for action in found {
      switch action {
      case .ask(let ticket, let call): actions.append(.ask(.presence, ticket: ticket, call))
      case .end(let incarnation): propose(.ended(incarnation))
      case .disconnect(let sessions): disconnect(sessions, &decider)
      }
    }
  }

  private mutating func run(_ found: [EdgeRequests.Action]) {
    for action in found {
      switch action {
      case .send(let request):
        if let route { tell(route.node, .request(epoch: route.epoch, request)) }
      case .acknowledge(let session, let ticket, let outcome):
        actions.append(.acknowledge(session, ticket: ticket, outcome))
      case .closeClient(let session): actions.append(.closeClient(session))
      }
    }
  }

  private mutating func run(_ found: [Ownership.Action], at now: MonotonicInstant, _ standing: LeaseStanding) {
    for action in found {
      switch action {
      case .ask(let ticket, let call): actions.append(.ask(.ownership, ticket: ticket, call))
      case .caughtUp(let rows): run(replica.take(rows, at: now))
      case .committed(let rows, let entries):
        run(replica.take(rows, at: now))
        if !entries.isEmpty { actions.append(.stored(entries)) }
        publish(rows)
      case .began(let epoch): begin(epoch, at: now, standing)
      case .room(let isThere): actions.append(.room(isThere))
      case .stopped:
        office = nil
        if route?.node == node { route = nil }
        actions.append(.rollBack(to: replica.head.position))
      case .ownerSeen(let record):
        replica.saw(epoch: record.epoch)
        if let known = route, known.epoch > record.epoch { route = nil }
        if let owner = record.owner, !record.isLapsed, owner.node != node {
          follow(Route(epoch: record.epoch, node: owner.node), at: now)
        }
      case .dataLost(let loss): actions.append(.dataLost(loss))
      case .handedOver(let peer, let epoch): actions.append(.send(peer, .handoff(epoch: epoch)))
      case .pruned: run(replica.pruned())
      }
    }
  }

  private mutating func begin(_ epoch: Int64, at now: MonotonicInstant, _ standing: LeaseStanding) {
    // With the takeover row, earlier frames of a later owner may have become contiguous.
    guard replica.head == ownership.durable else { return run(ownership.drop(), at: now, standing) }
    let watch = PresenceWatch(timing: timing, firstTicket: lastPresenceTicket, at: now)
    office = OwnerState(watch: watch, table: table)
    actions.append(.began(epoch: epoch))
    // Saves the peers a look at the store. The stamp proves nothing to their clocks.
    for peer in links.sorted() {
      actions.append(.send(peer, .beat(epoch: epoch, head: replica.head, stamp: .distantPast)))
    }
    follow(Route(epoch: epoch, node: node), at: now)
  }

  private mutating func publish(_ rows: [LogRow]) {
    for peer in subscribers.keys.sorted() {
      // A row too large for a message is read from the log.
      for row in rows where row.batch.payload.count <= ClusterLimits.messageBytesMax / 2 {
        actions.append(.send(peer, .commits(row)))
      }
    }
  }

  private mutating func run(_ found: [Replica.Action]) {
    for action in found {
      switch action {
      case .ask(let ticket, let call): actions.append(.ask(.replica, ticket: ticket, call))
      case .apply(let row, let records): apply(row, records)
      case .unreadable(let finding): actions.append(.unreadable(finding))
      case .pruned(let position): actions.append(.pruned(after: position))
      case .closeSockets: actions.append(.closeSockets)
      case .openSockets: actions.append(.openSockets)
      case .reset(let loss):
        table = SessionTable()
        actions += [.dataLost(loss), .reset]
      }
    }
  }

  private mutating func restore(_ head: JournalHead, _ table: SessionTable, at now: MonotonicInstant) {
    guard replica.isPruned else { return }
    self.table = table
    run(replica.restore(at: head, now: now))
    actions.append(.restored(head))
    run(requests.applied(head.position))
    // The owner answers that it does not know the sessions that ended in the skipped rows.
    resend()
  }

  private mutating func apply(_ row: LogRow, _ records: [LogRecord]) {
    actions.append(.apply(row, records))
    for (place, record) in records.enumerated() {
      table.apply(record, at: row.batch.firstPosition + Int64(place))
    }
    run(requests.applied(row.batch.lastPosition))
    for case .disconnect(let session, _) in records { run(requests.disconnected(session)) }
  }
}
