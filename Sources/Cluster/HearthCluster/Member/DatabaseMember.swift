import HearthJournal

/// A database on one node of a cluster: its replica of the log, its clients' requests to the owner, and the owner's
/// role when this node has it. It is a state machine without sockets, files, clocks or threads: ``DatabaseDriver``
/// passes it events and performs its actions.
package struct DatabaseMember: Sendable {
  struct Route: Equatable {
    var epoch: Int64
    var node: NodeID
  }

  /// True when this node claims the database once it has no owner. When false, the node claims nothing but keeps a
  /// database that it owns until it hands it over.
  package var isWanted = true
  /// The node's replica of the log.
  package private(set) var replica: Replica
  /// The sessions as of the replica's head.
  package private(set) var table: SessionTable
  /// The owner's role.
  package private(set) var ownership: Ownership
  /// The requests of this node's clients.
  package private(set) var requests: EdgeRequests

  private let node: NodeID
  private let timing: ClusterTiming
  private var owner: OwnerRole?
  private var lastPresenceTicket: UInt64 = 0
  private(set) var route: Route? {
    didSet { if route?.node != oldValue?.node { output.actions.append(.ownerSeen(route?.node)) } }
  }
  private var isResendDue = false
  /// The epoch of the last received beat.
  private var beatEpoch: Int64 = 0
  private var links: Set<NodeID> = []
  private var subscribers: [NodeID: MonotonicInstant] = [:]
  private var lastPulse = MonotonicInstant.distantPast
  /// The time of the last message from an owner.
  private(set) var ownerHeardAt = MonotonicInstant.distantPast
  private var output: MemberOutput

  /// Creates a member from a known head of the log: that of a snapshot, or the beginning.
  ///
  /// - Parameter openedCount: See ``EdgeRequests/init(openedCount:)``.
  package init(
    node: NodeID, timing: ClusterTiming, head: JournalHead = .empty, table: SessionTable = SessionTable(),
    openedCount: UInt64 = 0
  ) {
    requests = EdgeRequests(openedCount: openedCount)
    self.node = node
    output = MemberOutput(node: node)
    self.timing = timing
    self.table = table
    replica = Replica(from: head, timing: timing)
    ownership = Ownership(timing: timing)
  }

  /// The number of other nodes that follow this owner.
  var followerCount: Int { subscribers.count }
  /// The other node from whose clients this owner receives more than two thirds of its requests; nil when there is
  /// none.
  package var busiestOtherNode: NodeID? { owner?.demand.most.flatMap { $0 == node ? nil : $0 } }

  /// Handles a single event.
  ///
  /// - Parameters:
  ///   - now: This node's clock when the event is handled, not when it arrived.
  ///   - leaseStatus: The state of the node's lease.
  package mutating func handle(
    _ event: MemberEvent, at now: MonotonicInstant, _ leaseStatus: LeaseStatus, _ decider: inout some RequestDecider
  ) -> [MemberAction] {
    take(event, at: now, leaseStatus, &decider) + finish(at: now, leaseStatus, &decider)
  }

  /// Handles one of several events that arrived together. Rows and answers for all of them are produced by
  /// ``finish(at:_:)``, which must be called before the driver waits for more events. The returned actions must be
  /// performed before the next event is handled.
  ///
  /// - Parameters: As for ``handle(_:at:_:_:)``.
  package mutating func take(
    _ event: MemberEvent, at now: MonotonicInstant, _ leaseStatus: LeaseStatus, _ decider: inout some RequestDecider
  ) -> [MemberAction] {
    beginDeciding(&decider)
    ownership.isWanted = isWanted && replica.unreadable == nil && !replica.isPruned
    switch event {
    case .tick: tick(at: now, leaseStatus, &decider)
    case .stored(.replica, let ticket, let answer): run(replica.answered(ticket, answer, at: now))
    case .stored(.ownership, let ticket, let answer):
      run(ownership.answered(ticket, answer, replica.memory, at: now, leaseStatus), at: now, leaseStatus)
    case .stored(.presence, let ticket, let answer):
      let found = owner?.watch.answered(ticket, answer) ?? []
      owner?.run(found, &ownership, &output, &decider)
    case .received(let message, let peer): received(message, from: peer, at: now, leaseStatus, &decider)
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
    case .workDone(let session): owner?.decideDeferred(of: session, &ownership, &output, &decider)
    case .wanted(let isWanted): self.isWanted = isWanted
    case .restored(let head, let table): restore(head, table, at: now)
    case .handOver(let peer): run(ownership.handOver(to: peer, at: now), at: now, leaseStatus)
    case .incarnationEnded:
      run(ownership.drop(), at: now, leaseStatus)
      run(requests.drop())
    }
    handleOwnMessages(at: now, leaseStatus, &decider)
    return output.takeActions()
  }

  /// Writes the decided records to the log as rows, and sends the answers that are due.
  package mutating func finish(
    at now: MonotonicInstant, _ leaseStatus: LeaseStatus, _ decider: inout some RequestDecider
  ) -> [MemberAction] {
    beginDeciding(&decider)
    repeat {
      run(ownership.flush(at: now), at: now, leaseStatus)
      if let epoch = ownership.epoch, let durable = ownership.durable {
        let isAuthoritative = ownership.isAuthoritative(at: now, leaseStatus)
        owner?.answer(epoch, durable: durable.position, isAuthoritative: isAuthoritative, &output)
      }
    } while handleOwnMessages(at: now, leaseStatus, &decider)
    return output.takeActions()
  }

  /// Tells the decider that this node is the owner; this follows the takeover once the rows before it are applied.
  private mutating func beginDeciding(_ decider: inout some RequestDecider) {
    guard owner?.hasBegun == false else { return }
    owner?.hasBegun = true
    decider.began(at: replica.head.position)
  }

  /// Handles the node's messages to itself and their consequences, once the decider has been started.
  ///
  /// - Returns: True when a message may have led to rows or answers.
  @discardableResult
  private mutating func handleOwnMessages(
    at now: MonotonicInstant, _ leaseStatus: LeaseStatus, _ decider: inout some RequestDecider
  ) -> Bool {
    guard !output.ownMessages.isEmpty, owner?.hasBegun ?? true else { return false }
    var hasAsked = false
    var place = 0
    while place < output.ownMessages.count, let run = leaseStatus.incarnation {
      let message = output.ownMessages[place]
      if case .answer = message {} else { hasAsked = true }
      received(message, from: run, at: now, leaseStatus, &decider)
      place += 1
    }
    output.ownMessages.removeAll(keepingCapacity: true)
    return hasAsked
  }

  private mutating func tick(
    at now: MonotonicInstant, _ leaseStatus: LeaseStatus, _ decider: inout some RequestDecider
  ) {
    let isHeard = !now.isAtLeast(2 * timing.beatMilliseconds, after: ownerHeardAt)
    run(ownership.tick(at: now, leaseStatus, isOwnerHeard: isHeard), at: now, leaseStatus)
    if ownership.isAuthoritative(at: now, leaseStatus) {
      run(replica.owns(at: now))
    } else if ownership.epoch == nil {
      run(replica.tick(at: now))
    } else {
      run(replica.checkFreshness(at: now))
    }
    owner?.demand.tick(at: now)
    if let me = leaseStatus.incarnation, owner != nil {
      let found = owner?.tick(at: now, me: me, mayEnd: leaseStatus.mayClaim(at: now)) ?? []
      owner?.run(found, &ownership, &output, &decider)
      lastPresenceTicket = owner?.watch.ticket ?? lastPresenceTicket
    }
    subscribers = subscribers.filter { !now.isAtLeast(timing.leaseMilliseconds, after: $0.value) }
    if now.isAtLeast(timing.beatMilliseconds, after: lastPulse) { pulse(at: now) }
  }

  // MARK: - Peers

  private mutating func received(
    _ message: PeerMessage, from peer: Incarnation, at now: MonotonicInstant, _ leaseStatus: LeaseStatus,
    _ decider: inout some RequestDecider
  ) {
    switch message {
    case .pulse(let stamp):
      guard let epoch = ownership.epoch, let head = ownership.durable else { return }
      subscribers[peer.node] = now
      if ownership.isAuthoritative(at: now, leaseStatus) {
        output.actions.append(.send(peer.node, .beat(epoch: epoch, head: head, stamp: stamp)))
      }
    case .beat(let epoch, let head, let stamp):
      guard isCurrent(epoch, at: now, leaseStatus) else { return }
      let isFirst = epoch > beatEpoch
      beatEpoch = max(beatEpoch, epoch)
      if epoch >= route?.epoch ?? 0 { ownerHeardAt = now }
      run(replica.received(beatOf: epoch, at: head, stamp: stamp, now: now))
      follow(Route(epoch: epoch, node: peer.node), at: now, isFirstBeat: isFirst)
    case .commits(let row):
      guard isCurrent(row.epoch, at: now, leaseStatus) else { return }
      run(replica.received(row, at: now))
    case .request(let epoch, let request):
      guard owner != nil else {
        return output.answer(.notOwner, request.origin, epoch, peer.node)
      }
      owner?.decide(request, epoch, of: peer, &ownership, &output, &decider)
    case .answer(let epoch, let session, let request, let outcome):
      let (found, isRefused) = requests.answered(session, request, outcome, applied: replica.head.position)
      run(found)
      // The refusal belongs to an earlier epoch; the request has been sent again since.
      if isRefused, epoch == route?.epoch { isResendDue = true }
    case .announce(let epoch, let sessions):
      guard ownership.owns(in: epoch), let (found, unknown) = owner?.announced(peer, sessions) else { return }
      owner?.run(found, &ownership, &output, &decider)
      if !unknown.isEmpty { output.send(peer.node, .unknownSessions(epoch: epoch, unknown)) }
    case .unknownSessions(let epoch, let sessions):
      if epoch == route?.epoch { run(requests.unknown(sessions)) }
    case .handoff(let epoch): run(ownership.take(epoch: epoch, replica.memory, leaseStatus), at: now, leaseStatus)
    }
  }

  /// Returns true when a message of this epoch's owner is still relevant. A message of a later owner ends this node's
  /// own ownership.
  private mutating func isCurrent(_ epoch: Int64, at now: MonotonicInstant, _ leaseStatus: LeaseStatus) -> Bool {
    guard let ownedEpoch = ownership.epoch else { return true }
    guard epoch > ownedEpoch else { return false }
    run(ownership.drop(), at: now, leaseStatus)
    return true
  }

  /// Follows the owner of an epoch, which may be a new one.
  ///
  /// - Parameter isFirstBeat: True for the first beat of this owner. What was sent to it before, after the store had
  ///   named it, may have arrived before it served. Refused requests are sent again on their own; the announcement of
  ///   sessions must be repeated.
  private mutating func follow(_ found: Route, at now: MonotonicInstant, isFirstBeat: Bool = false) {
    guard found.epoch >= route?.epoch ?? 0 else { return }
    let isNew = found != route
    route = found
    // Pulses at once, so that the owner sends its rows to this node.
    if isNew || isFirstBeat { pulse(at: now) }
    if isNew || isResendDue {
      resend()
    } else if isFirstBeat {
      announce(to: found)
    }
  }

  /// Requests a beat from the owner, and subscribes to its rows for the length of a lease.
  private mutating func pulse(at now: MonotonicInstant) {
    lastPulse = now
    if let route, route.node != node { output.actions.append(.send(route.node, .pulse(stamp: now))) }
  }

  private mutating func announce(to route: Route) {
    output.send(route.node, .announce(epoch: route.epoch, requests.open))
  }

  /// Sends the owner the node's sessions and unanswered requests.
  private mutating func resend() {
    guard let route else { return }
    isResendDue = false
    announce(to: route)
    run(requests.resend())
  }

  // MARK: - Actions of the state machines

  private mutating func run(_ found: [EdgeRequests.Action]) {
    for action in found {
      switch action {
      case .send(let request):
        if let route { output.send(route.node, .request(epoch: route.epoch, request)) }
      case .acknowledge(let session, let ticket, let outcome):
        output.actions.append(.acknowledge(session, ticket: ticket, outcome))
      case .closeClient(let session): output.actions.append(.closeClient(session))
      }
    }
  }

  private mutating func run(_ found: [Ownership.Action], at now: MonotonicInstant, _ leaseStatus: LeaseStatus) {
    for action in found {
      switch action {
      case .ask(let ticket, let call): output.actions.append(.ask(.ownership, ticket: ticket, call))
      case .caughtUp(let rows): run(replica.take(rows, at: now))
      case .committed(let rows, let entries):
        run(replica.take(rows, at: now))
        if !entries.isEmpty { output.actions.append(.stored(entries)) }
        publish(rows)
      case .began(let epoch): begin(epoch, at: now, leaseStatus)
      case .room(let isThere): output.actions.append(.room(isThere))
      case .stopped:
        owner = nil
        if route?.node == node { route = nil }
        output.actions.append(.rollBack(to: replica.head.position))
      case .ownerSeen(let record):
        replica.note(epoch: record.epoch)
        if let known = route, known.epoch > record.epoch { route = nil }
        if let owner = record.owner, !record.isLapsed, owner.node != node {
          follow(Route(epoch: record.epoch, node: owner.node), at: now)
        }
      case .dataLost(let loss): output.actions.append(.dataLost(loss))
      case .handedOver(let peer, let epoch): output.actions.append(.send(peer, .handoff(epoch: epoch)))
      case .pruned: run(replica.pruned())
      }
    }
  }

  private mutating func begin(_ epoch: Int64, at now: MonotonicInstant, _ leaseStatus: LeaseStatus) {
    // With the takeover row applied, rows of a later owner that arrived earlier may have become contiguous.
    guard replica.head == ownership.durable else { return run(ownership.drop(), at: now, leaseStatus) }
    let watch = PresenceMonitor(timing: timing, firstTicket: lastPresenceTicket, at: now)
    owner = OwnerRole(watch: watch, table: table)
    output.actions.append(.began(epoch: epoch))
    // Sends a beat, which saves the other nodes a read of the store. Its stamp is the distant past, so that it proves
    // no freshness.
    for peer in links.sorted() {
      output.actions.append(.send(peer, .beat(epoch: epoch, head: replica.head, stamp: .distantPast)))
    }
    follow(Route(epoch: epoch, node: node), at: now)
  }

  private mutating func publish(_ rows: [LogRow]) {
    for peer in subscribers.keys.sorted() {
      // A row that is too large for a message is read from the log instead.
      for row in rows where row.batch.payload.count <= ClusterLimits.messageBytesMax / 2 {
        output.actions.append(.send(peer, .commits(row)))
      }
    }
  }

  private mutating func run(_ found: [Replica.Action]) {
    for action in found {
      switch action {
      case .ask(let ticket, let call): output.actions.append(.ask(.replica, ticket: ticket, call))
      case .apply(let row, let records): apply(row, records)
      case .unreadable(let finding): output.actions.append(.unreadable(finding))
      case .pruned(let position): output.actions.append(.pruned(after: position))
      case .closeSockets: output.actions.append(.closeSockets)
      case .openSockets: output.actions.append(.openSockets)
      case .reset(let loss):
        table = SessionTable()
        output.actions += [.dataLost(loss), .reset]
      }
    }
  }

  private mutating func restore(_ head: JournalHead, _ table: SessionTable, at now: MonotonicInstant) {
    guard replica.isPruned else { return }
    self.table = table
    run(replica.restore(at: head, now: now))
    output.actions.append(.restored(head))
    run(requests.applied(head.position))
    // Sessions that ended in the skipped rows are closed when the owner reports them as unknown.
    resend()
  }

  private mutating func apply(_ row: LogRow, _ records: [LogRecord]) {
    output.actions.append(.apply(row, records))
    for (place, record) in records.enumerated() {
      table.apply(record, at: row.batch.firstPosition + Int64(place))
    }
    run(requests.applied(row.batch.lastPosition))
    for case .disconnect(let session, _) in records { run(requests.disconnected(session)) }
  }
}
