import Dispatch
import HearthEngine
import HearthJournal
import HearthTree

/// The follower's side of a database whose log is written by an owner, perhaps on another machine. Listens are decided
/// here, on the state that the log has delivered; changes, and reads that must see the newest state, are requested from
/// the owner.
///
/// This server may become the owner, or lose ownership, while clients are connected; they do not notice.
package struct DatabaseFollower: Sendable {
  let decider: CommandDecider
  let following: FollowerState

  /// Receives events, in order. Blocks while too many of them are unapplied: must not run on event loops or on queues
  /// of this decider.
  package func take(_ event: ReplicationEvent) {
    let isFull = decider.wake { box in
      box.followed.append(event)
      box.followed.isFull = box.followed.isFull || box.followed.sizeBytes > ReplicationEventQueue.bytesMax
      return box.followed.isFull
    }
    if isFull { following.room.wait() }
  }

  /// The stalled status, when this process is the owner and has no free space for batches; nil otherwise.
  var stalledStatus: DatabaseStatus? {
    following.lacksRoom.load(ordering: .relaxed) ? .stalled(JournalError(.noSpace, "the storage is full")) : nil
  }

  /// Sets whether there is free space for the batches that this process decides.
  package func setRoom(_ isThere: Bool) { following.lacksRoom.store(!isThere, ordering: .relaxed) }

  /// The outbox for the commits of the log's owner.
  package var outbox: OutboxHolder { decider.writer.outboxes }

  /// The state after every event that ``take(_:)`` received. Waits until they are applied.
  package var state: DatabaseState {
    decider.queue.sync {
      drain()
      return decider.engine.withLock { $0.state }
    }
  }

  // MARK: The deciding queue

  func drain() {
    while true {
      let wasReleased = decider.large.decideReleased()
      let isPending = decider.engine.withLock { $0.hasPendingRedecisions }
      let (events, commands, arrival) = decider.mailbox.withLock { box in
        let events = box.followed.take()
        if box.followed.isFull {
          box.followed.isFull = false
          following.room.signal()
        }
        // Events come before commands: they may answer requests, after which waiting commands can be forwarded.
        let commands = events.isEmpty ? box.take(decider.limits.engine.batchCommandsMax) : []
        box.isAwake = !events.isEmpty || !commands.isEmpty || isPending || wasReleased
        return (events, commands, box.takenArrivalNanoseconds)
      }
      guard !events.isEmpty || !commands.isEmpty || isPending || wasReleased else { return }
      handle(events)
      if commands.isEmpty, isPending { _ = decideLocally([.tick], from: .connectionQueue) }
      settle(commands[...], from: .mailbox, arrivalNanoseconds: arrival)
      let waitingCount = following.forwarding.withLock { $0.waitingCount + $0.openCount }
      following.isCrowded.store(waitingCount > decider.limits.commandsPendingMax, ordering: .relaxed)
    }
  }

  /// Handles events. Consecutive answers are delivered together.
  private func handle(_ events: [ReplicationEvent]) {
    var replies: [(Command, Reply)] = []
    func flush() {
      answer(replies)
      replies = []
    }
    for event in events {
      guard case .answered(let ticket, let given) = event else {
        flush()
        handle(event)
        continue
      }
      guard let (command, next) = following.forwarding.withLock({ $0.answered(ticket) }) else { continue }
      if let command {
        if let reply = reply(to: command, given) {
          replies.append((command, reply))
        } else {
          flush()
          _ = decideLocally([command], from: .connectionQueue)
        }
      }
      if !next.isEmpty {
        flush()
        settle(next[...], from: .connectionQueue)
      }
    }
    flush()
  }

  private func handle(_ event: ReplicationEvent) {
    switch event {
    case .commits(let first, let last, let payload, let isOwn, let root):
      let before = decider.writer.durable.state
      apply(first, last, payload, root)
      if let report = decider.environment.followed {
        report(Self.places(in: payload), before, decider.writer.durable.state, isOwn)
      }
    case .answered: break
    case .sessionEnded(let session):
      guard let lost = following.forwarding.withLock({ $0.lost(session) }) else { return }
      guard let connection = lost.connection else {
        // A change that was not answered may have been made, so its outcome is unknown.
        for command in lost.unanswered { answer(command, .failure(.outcomeUnknown)) }
        return settle(lost.unsent[...], from: .connectionQueue)
      }
      decider.environment.closeConnection(connection)
    case .serving(let isServing):
      following.isServing.store(isServing, ordering: .relaxed)
      decider.environment.servingChanged(isServing)
    case .replaced(let start): restart(from: start)
    case .snapshot(let members):
      decider.writer.snapshots.write(decider.engine.withLock { $0.state }, for: members)
    }
  }

  /// Applies rows of the log.
  private func apply(_ first: Int64, _ last: Int64, _ payload: [UInt8], _ root: Node?) {
    guard decider.isRunning else { return }
    let (instant, start) = (decider.environment.clock(), decider.environment.meters.now())
    let batch: Batch
    let deadline: Int64?
    do {
      (batch, deadline) = try decider.engine.withLock { engine in
        engine.recordDecisions(decider.decisionObservers.detail)
        engine.locationRecorder.isOn = decider.writer.commitCounter.isWatched
        let batch = try engine.follow(
          payload, firstPosition: first, lastPosition: last, leadingTo: root, at: instant)
        return (batch, engine.nextDeadlineMonotonicMilliseconds)
      }
    } catch {
      // Continuing without these rows would lead to a state different from every other server's.
      return decider.writer.halt([], JournalError(.corrupt, "the log cannot be followed: \(error)"))
    }
    decider.environment.meters.decided(batch, since: start)
    decider.writer.durable.replace(batch.state)
    decider.writer.commitCounter.note(batch.places)
    if decider.writer.snapshots.followed(payload.count) { following.owner.snapshotIsDue() }
    decider.enqueue(batch)
    decider.setTimer(deadline, at: instant)
  }

  /// Returns the locations that the rows changed. Returns none for unreadable rows, which are not applied either.
  private static func places(in payload: [UInt8]) -> [Path] {
    ((try? CommitRecord.decode(payload)) ?? []).flatMap(\.parts).flatMap { record -> [Path] in
      if case .changes(let changes) = record.content { changes.map(\.location.path) } else { [] }
    }
  }

  /// Starts over without connections: their listeners would receive changes that never happened.
  private func restart(from start: ReplicationStart) {
    decider.environment.servingChanged(false)
    let (unanswered, sessions) = following.forwarding.withLock { $0.end() }
    decider.engine.withLock { $0 = Engine(following: start.state, limits: decider.limits.engine) }
    decider.writer.durable.replace(start.state)
    for command in unanswered { answer(command, .failure(.outcomeUnknown)) }
    // Closing the sessions makes the owner execute their on-disconnect writes: the ends of the connections themselves
    // no longer reach the owner.
    for session in sessions { following.owner.close(session) }
    // The clients may reconnect at once.
    if following.isServing.load(ordering: .relaxed) { decider.environment.servingChanged(true) }
  }

  // MARK: Commands

  /// Decides commands in order, or forwards them to the owner. Commands that wait for a large command are passed to
  /// this function again later.
  func settle(
    _ commands: ArraySlice<Command>, from source: LargeCommandScheduler.Source, arrivalNanoseconds: UInt64 = 0
  ) {
    var rest = decider.large.admitted(commands, from: source)
    var here: [Command] = []
    func decide() {
      let isWhole = decideLocally(here[...], from: source, arrivalNanoseconds: arrivalNanoseconds)
      if !isWhole { rest = decider.large.admitted(rest, from: source) }
      here = []
    }
    while let command = rest.popFirst() {
      if following.forwarding.withLock({ $0.ignores(command) || $0.delays(command) }) { continue }
      switch command.action {
      case .write, .onDisconnect, .cancelOnDisconnect, .deployRules, .transact, .get, .barrier:
        // A forwarded request carries the identity that the connection has after all earlier commands.
        decide()
        forward(command)
      case .authenticate, .unauthenticate, .endCredential:
        here.append(command)
        decide()
        sendIdentity(of: command.connection)
      case .disconnect:
        here.append(command)
        decide()
        if let session = following.forwarding.withLock({ $0.end(command.connection) }) {
          following.owner.close(session)
        }
      case .connect, .listen, .unlisten, .turnsDelivered, .tick: here.append(command)
      }
    }
    decide()
  }

  /// Decides commands in this process.
  ///
  /// - Returns: False when one of them was set aside, so that later commands of its connection wait.
  private func decideLocally(
    _ commands: ArraySlice<Command>, from source: LargeCommandScheduler.Source, arrivalNanoseconds: UInt64 = 0
  ) -> Bool {
    var (rest, isWhole) = (commands, true)
    while !rest.isEmpty {
      let instant = decider.environment.clock()
      let batch = decider.decide(at: instant, arrivalNanoseconds: arrivalNanoseconds) {
        $0.decide(rest, at: instant, settingAside: decider.isRunning)
      }
      rest = rest.dropFirst(batch.commandCount)
      guard let large = batch.largeCommand else { continue }
      isWhole = false
      decider.large.begin(large, from: source)
      rest = decider.large.admitted(rest, from: source)
    }
    return isWhole
  }

  /// Tells the owner about credentials that expired or were revoked.
  func passOn(_ effects: [Effect]) {
    for case .authenticationEnded(let connection) in effects { sendIdentity(of: connection) }
  }

  private func forward(_ command: Command) {
    guard decider.isRunning else { return answer(command, .failure(.unavailable)) }
    let known = decider.engine.withLock { engine in
      engine.principal(of: command).map { ($0, command.address(in: engine)) }
    }
    guard let (principal, address) = known else { return answer(command, .failure(.unknownConnection)) }
    let request: OwnerRequest
    switch command.action {
    case .get, .barrier: request = .newest
    case .transact(let transaction): request = .transaction(transaction)
    default:
      guard let change = ForwardedChange(command, as: principal, from: address) else { return }
      request = .change(change)
    }
    forward(request, for: command)
  }

  private func forward(_ request: OwnerRequest, for command: Command) {
    let now = decider.environment.clock().monotonicMilliseconds
    let forwarded = following.forwarding.withLock {
      $0.forward(command, atMilliseconds: now, makeSession: following.makeSession)
    }
    guard let forwarded else { return answer(command, .failure(.unavailable)) }
    if command.isOneOff { watch() }
    if forwarded.isNew { following.owner.open(forwarded.session) }
    following.owner.send(forwarded.session, ticket: forwarded.ticket, request)
  }

  /// Informs the owner of a connection's identity, which its on-disconnect writes need.
  private func sendIdentity(of connection: ConnectionID) {
    // No answer is expected.
    let command = Command(connection: connection, action: .barrier)
    guard following.forwarding.withLock({ $0.hasOnDisconnectWrites(connection) }),
      let principal = decider.engine.withLock({ $0.principal(of: command) })
    else { return }
    forward(.change(ForwardedChange(.authenticate, as: principal)), for: command)
  }

  /// Answers all requests that wait for the owner: their outcome is unknown.
  func endRequests() {
    for command in following.forwarding.withLock({ $0.end().unanswered }) { answer(command, .failure(.outcomeUnknown)) }
  }

  // MARK: Timeouts

  /// The interval of the check for overdue one-off requests.
  private static let watchMilliseconds: Int64 = 5_000

  /// Schedules the next check, as long as one-off requests wait.
  private func watch() {
    guard !following.isWatching.exchange(true, ordering: .relaxed) else { return }
    decider.environment.schedule(Self.watchMilliseconds) { [weak decider] in
      guard let decider else { return }
      decider.queue.async { decider.follower?.answerOverdue() }
    }
  }

  /// Answers overdue one-off requests: the outcome of a write is unknown, and reads are unavailable.
  private func answerOverdue() {
    following.isWatching.store(false, ordering: .relaxed)
    let now = decider.environment.clock().monotonicMilliseconds
    let (overdue, othersWait) = following.forwarding.withLock { $0.takeOverdue(atMilliseconds: now) }
    answer(overdue.map { ($0, .failure($0.action.isRead ? .unavailable : .outcomeUnknown)) })
    if othersWait { watch() }
  }

  // MARK: Answers

  /// Returns the reply to a command; nil when the command is now decided in this process.
  private func reply(to command: Command, _ given: OwnerResponse) -> Reply? {
    switch (given, command.action) {
    case (.newest, .get): nil
    case (.newest, _): .ok
    case (.made(let reply), _): reply ?? .ok
    // The present value is read from this follower's state: the owner does not send it along.
    case (.refused(.stale), .write(let operation)):
      .stale(decider.engine.withLock { $0.state.root[operation.path] })
    // This change is known not to be made.
    case (.refused(let reply), _): reply ?? .failure(.unavailable)
    }
  }

  private func answer(_ command: Command, _ reply: Reply) { answer([(command, reply)]) }

  private func answer(_ answers: [(Command, Reply)]) {
    guard !answers.isEmpty else { return }
    let batch = decider.engine.withLock { $0.answer(answers) }
    decider.environment.meters.answered(batch)
    decider.enqueue(batch)
  }
}

extension ForwardedChange {
  /// Creates the change that a command requests from the owner; nil when it requests none.
  fileprivate init?(_ command: Command, as principal: Principal, from address: AddressClass) {
    let action: Action
    var showsResult = false
    switch command.action {
    case .write(let operation):
      action = .write(operation)
      // Only a one-off request needs the result: a client on a socket knows what it wrote, and receives the values that
      // the server filled in through its listens.
      showsResult = command.isOneOff
    case .onDisconnect(let change): action = .onDisconnect(change)
    case .cancelOnDisconnect(let location): action = .cancelOnDisconnect(location)
    case .deployRules(let rules): action = .deployRules(rules.source)
    default: return nil
    }
    self.init(action, as: principal, from: address, showsResult: showsResult)
  }
}
