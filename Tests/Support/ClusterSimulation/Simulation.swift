import HearthCluster
import HearthJournal
import RandomTestKit

/// A whole cluster in one value: nodes with their own clocks, links, clients and a store, in simulated time that only
/// events advance. The seed determines every event.
package final class Simulation {
  package enum Event {
    case deliver(node: Int, process: Int, SimulatedNode.Delivery)
    case message(from: Int, to: Int, generation: Int, PeerMessage, sender: Incarnation)
    case call(node: Int, process: Int, StoreCaller, ticket: UInt64, StoreCall)
    case completeAppend(SimulatedAppend, node: Int, answersIn: Int64?, isWaitedFor: Bool)
    case leaseCall(node: Int, process: Int, NodeLease.Call, sentAt: MonotonicInstant)
    case thaw(Int)
    case restart(Int)
    case repair(Int, Int)
    case snapshot
    case fault
    case clientStep(Int)
    case newClient
  }

  /// The timeout of a call in milliseconds; it also ends calls that are lost or whose answers are lost.
  package static let callTimeout: Int64 = 700

  package let seed: UInt64
  package let plan: SimulationPlan
  package let faults: Set<PlantedFault>
  package var random: SeededRandom
  package var time: Int64 = 0
  package var schedule = Schedule<Event>()
  package var store: any SimulatedStore
  package var nodes: [SimulatedNode] = []
  package var clients: [SimulatedClient] = []
  /// The time until which two nodes cannot reach each other, with the number of changes and the arrival of the last
  /// message.
  package var cutUntil: [[Int64]]
  package var generations: [[Int]]
  package var arrivals: [[Int64]]
  package var outageUntil: Int64 = 0
  package var lastNumber: UInt32 = 0
  package var losses: [DataLoss] = []
  package var lostTailAt: Int64?
  /// Acknowledged writes: the time, and the highest position until then.
  package var acknowledged: [(time: Int64, position: Int64)] = []
  /// Violations that the checker could not detect in the final history.
  package var violations: [String] = []
  package var faultCount = 0
  package var snapshots: [SimulatedSnapshot] = []
  /// The number of starts from a snapshot, followed by the number of snapshot loads because the log was pruned.
  package var snapshotStartCount = 0
  package var snapshotRestoreCount = 0
  package var trace: [String]?

  package init(
    seed: UInt64, plan: SimulationPlan? = nil, faults: Set<PlantedFault> = [], isTraced: Bool = false,
    store: (any SimulatedStore)? = nil
  ) {
    self.seed = seed
    self.faults = faults
    random = SeededRandom(seed: seed)
    let drawn = SimulationPlan(&random)
    self.plan = plan ?? drawn
    trace = isTraced ? [] : nil
    self.store = store ?? FakeStore(leaseMilliseconds: self.plan.timing.leaseMilliseconds, faults: faults)
    let count = self.plan.nodeCount
    cutUntil = Array(repeating: Array(repeating: 0, count: count), count: count)
    generations = Array(repeating: Array(repeating: 0, count: count), count: count)
    arrivals = cutUntil
    for index in 0..<count {
      nodes.append(
        SimulatedNode(
          NodeID(["a", "b", "c", "d", "e"][index]), clockOffset: Int64(random.below(1_000_000)),
          clockSpeed: 1_000_000 + Int64(random.below(20_001)) - 10_000, timing: self.plan.timing, faults: faults))
      add(.deliver(node: index, process: 0, .tick), in: 5)
    }
    for _ in 0..<self.plan.clientCount { add(.newClient, in: 400) }
    if self.plan.snapshotMilliseconds > 0 { add(.snapshot, in: 2 * self.plan.snapshotMilliseconds) }
    for _ in 0..<self.plan.faultCount {
      schedule.add(.fault, at: 500 + Int64(random.below(Int(self.plan.faultsEnd) - 500)))
    }
  }

  /// Runs the simulation to its end.
  package func run() {
    while let (at, event) = schedule.next(), at <= plan.end {
      time = at
      take(event)
      if violations.count > 20 { return }
    }
  }

  package func add(_ event: Event, in most: Int) { schedule.add(event, at: time + Int64(random.below(most + 1))) }

  package func note(_ text: @autoclosure () -> String) { trace?.append("\(time): \(text())") }

  private func take(_ event: Event) {
    switch event {
    case .deliver(let node, let process, let delivery):
      if nodes[node].process == process, nodes[node].isUp { deliver(delivery, to: node) }
    case .message(let from, let to, let generation, let message, let sender):
      guard generations[from][to] == generation || message.isRelayed, nodes[to].isUp else { return }
      deliver(.member(.received(message, from: sender)), to: to)
    case .call(let node, let process, let asker, let ticket, let call):
      take(call, of: node, process, asker, ticket)
    case .completeAppend(let append, let node, let answersIn, let isWaitedFor):
      let isThere = append.failoverCount == store.failoverCount
      let isStored =
        isThere
        && store.completeAppend(
          append.row, after: append.before, claim: append.claim, by: nodes[node].id)
      note("store: \(append.row.summary) by \(nodes[node].id) \(isStored ? "lands" : "is refused")")
      if let answersIn {
        let event = MemberEvent.stored(
          .ownership, ticket: append.ticket, isStored ? .done : isThere ? .refused : .failed)
        schedule.add(.deliver(node: node, process: append.process, .member(event)), at: time + answersIn)
      }
      if isWaitedFor { appendNext(of: node) }
    case .leaseCall(let node, let process, let call, let sentAt):
      guard outageUntil <= time, nodes[node].storeCutUntil <= time else { return }
      let answer = store.take(call, at: time)
      if !happens(plan.lostAnswerPercent) {
        add(.deliver(node: node, process: process, .leaseAnswer(call, sentAt: sentAt, answer)), in: 4)
      }
    case .thaw(let node): thaw(node)
    case .restart(let node): restart(node)
    case .snapshot: takeSnapshot()
    case .repair(let left, let right):
      guard cutUntil[left][right] <= time else { return }
      connect(left, right)
    case .fault: injectFault()
    case .clientStep(let client): step(client)
    case .newClient: connectClient()
    }
  }

  // MARK: - Nodes

  package func deliver(_ delivery: SimulatedNode.Delivery, to index: Int) {
    guard nodes[index].frozenUntil <= time else {
      nodes[index].inbox.append(delivery)
      return
    }
    let now = nodes[index].clock(at: time)
    switch delivery {
    case .tick:
      perform(nodes[index].lease.tick(at: now), of: index)
      handle(.tick, on: index)
      checkStaleness(of: index, at: now)
      let next = time + 120 + Int64(random.below(80))
      schedule.add(.deliver(node: index, process: nodes[index].process, .tick), at: next)
    case .leaseAnswer(let call, let sentAt, let answer):
      perform(nodes[index].lease.answered(call, sentAt: sentAt, answer, at: now), of: index)
    case .member(let event): handle(event, on: index)
    case .connect(let client): accept(Int(client), on: index)
    case .ask(let client, let ticket, let kind):
      guard clients[Int(client)].node == index, clients[Int(client)].state != .gone else { return }
      handle(.submitted(clients[Int(client)].session, ticket: ticket, kind), on: index)
    case .restore: restore(index)
    case .finish: finish(index)
    }
  }

  package func standing(of index: Int) -> LeaseStatus {
    var standing = nodes[index].lease.status
    if faults.contains(.leaseAlwaysBelieved), standing.incarnation != nil {
      standing.validUntil = MonotonicInstant(milliseconds: .max)
      standing.gaplessSince = .distantPast
    }
    return standing
  }

  package func handle(_ event: MemberEvent, on index: Int) {
    var event = event
    let now = nodes[index].clock(at: time)
    if faults.contains(.beatsWithoutStamp), case .received(.beat(let epoch, let head, _), let peer) = event {
      event = .received(.beat(epoch: epoch, head: head, stamp: now), from: peer)
    }
    if trace != nil { describe(event, on: index) }
    if faults.contains(.toldBeforeApplied), case .received(.answer(_, let session, let request, let outcome), _) = event
    {
      acknowledge(session, ticket: request + SimulatedClient.ticketOffset, outcome, on: index)
    }
    let standing = standing(of: index)
    let actions = nodes[index].member.take(event, at: now, standing, &nodes[index].decider)
    let reordered = reordered(actions)
    for action in reordered { perform(action, of: index) }
    // A driver handles together the events that arrive together.
    guard random.chance(30) else { return finish(index) }
    schedule.add(.deliver(node: index, process: nodes[index].process, .finish), at: time + Int64(random.below(2)))
  }

  private func finish(_ index: Int) {
    let actions = nodes[index].member.finish(
      at: nodes[index].clock(at: time), standing(of: index), &nodes[index].decider)
    for action in reordered(actions) { perform(action, of: index) }
  }

  /// Returns the actions, changed by the planted fault if there is one.
  private func reordered(_ actions: [MemberAction]) -> [MemberAction] {
    guard faults.contains(.framesReordered) else { return actions }
    let rows = actions.filter { if case .apply = $0 { true } else { false } }
    guard rows.count > 1 else { return actions }
    return Array(rows.reversed()) + actions.filter { if case .apply = $0 { false } else { true } }
  }

  private func perform(_ actions: [NodeLease.Action], of index: Int) {
    for action in actions {
      switch action {
      case .ask(let call, let sentAt):
        add(.leaseCall(node: index, process: nodes[index].process, call, sentAt: sentAt), in: 4)
      case .dropAll(let incarnation):
        note("\(incarnation) is over")
        handle(.incarnationEnded(incarnation), on: index)
      case .began(let incarnation):
        note("\(incarnation) begins")
        for other in nodes.indices where other != index {
          generations[index][other] += 1
          generations[other][index] += 1
          connect(index, other)
        }
      }
    }
  }

  private func perform(_ action: MemberAction, of index: Int) {
    let process = nodes[index].process
    switch action {
    case .ask(let asker, let ticket, let call):
      if case .claim = call, !nodes[index].member.isWanted { violations.append("\(nodes[index].id) must not claim") }
      // The owner's calls share a connection.
      let arrival = max(asker == .ownership ? nodes[index].lastCallAt : 0, time + Int64(random.below(4)))
      if asker == .ownership { nodes[index].lastCallAt = arrival }
      schedule.add(.call(node: index, process: process, asker, ticket: ticket, call), at: arrival)
    case .send(let peer, let message): send(message, from: index, to: nodes.firstIndex { $0.id == peer } ?? index)
    case .apply(let row, let records):
      nodes[index].decider.apply(row, records)
      tell(row, records, on: index)
    case .acknowledge(let session, let ticket, let outcome): acknowledge(session, ticket: ticket, outcome, on: index)
    case .closeClient(let session):
      for client in clients.indices where clients[client].session == session { lose(client, "its session is over") }
    case .closeSockets:
      note("\(nodes[index].id) closes its sockets")
      nodes[index].areSocketsOpen = false
      for client in clients.indices where clients[client].node == index && clients[client].state == .connected {
        close(client)
      }
    case .openSockets: nodes[index].areSocketsOpen = true
    case .began(let epoch):
      note("\(nodes[index].id) owns epoch \(epoch)")
      nodes[index].isOwner = true
    case .rollBack(let position):
      note("\(nodes[index].id) owns no more, back to \(position)")
      nodes[index].isOwner = false
      nodes[index].decider.rollBack(to: position)
    case .ownerSeen(let owner): note("\(nodes[index].id) knows \(owner.map(\.name) ?? "nobody") as the owner")
    case .room(let isThere): note("\(nodes[index].id) has \(isThere ? "room again" : "no room")")
    case .reset: nodes[index].decider.reset()
    case .pruned(let position):
      note("\(nodes[index].id) finds no row behind \(position)")
      schedule.add(.deliver(node: index, process: process, .restore), at: time + 1 + Int64(random.below(200)))
    case .restored:
      if let snapshot = nodes[index].loaded { nodes[index].decider.reset(to: snapshot.state) }
    case .dataLost(let loss):
      note("\(nodes[index].id): \(loss)")
      losses.append(loss)
    case .unreadable(let finding): violations.append("\(nodes[index].id) cannot read a row: \(finding)")
    case .stored(let entries): if !entries.isEmpty { violations.append("entries that nobody made") }
    }
  }

  // MARK: - The store

  /// Returns true with the given probability in percent, and always false after the time of faults.
  private func happens(_ percent: Int) -> Bool { random.chance(percent) && time < plan.callsFailUntil }

  private func take(
    _ call: StoreCall, of node: Int, _ process: Int, _ asker: StoreCaller, _ ticket: UInt64
  ) {
    func answered(_ answer: StoreAnswer) -> Event {
      .deliver(node: node, process: process, .member(.stored(asker, ticket: ticket, answer)))
    }
    guard outageUntil <= time, nodes[node].storeCutUntil <= time, !happens(plan.lostCallPercent) else {
      schedule.add(answered(.failed), at: time + Self.callTimeout)
      return
    }
    let isAnswerLost = happens(plan.lostAnswerPercent)
    guard case .append(let row, let before, let claim, _) = call else {
      let answer = store.take(call, at: time)
      if trace != nil, asker != .replica { note("store: \(nodes[node].id) \(call.summary) -> \(answer.summary)") }
      schedule.add(
        answered(isAnswerLost ? .failed : answer), at: time + (isAnswerLost ? Self.callTimeout : Int64(random.below(4)))
      )
      return
    }
    nodes[node].appends.append(
      SimulatedAppend(row: row, before: before, claim: claim, ticket: ticket, process: process))
    if !nodes[node].isAppending { appendNext(of: node) }
  }

  /// Starts the node's next append; appends of one connection take effect in order.
  private func appendNext(of node: Int) {
    nodes[node].isAppending = false
    while !nodes[node].appends.isEmpty, !nodes[node].isAppending {
      append(nodes[node].appends.removeFirst(), of: node)
    }
  }

  private func append(_ append: SimulatedAppend, of node: Int) {
    var append = append
    append.failoverCount = store.failoverCount
    let (ticket, process) = (append.ticket, append.process)
    func answer(_ answer: StoreAnswer, in delay: Int64) {
      let event = MemberEvent.stored(.ownership, ticket: ticket, answer)
      schedule.add(.deliver(node: node, process: process, .member(event)), at: time + delay)
    }
    let isAnswerLost = happens(plan.lostAnswerPercent)
    guard store.mayAppend(append.row, after: append.before, claim: append.claim) else {
      note("store: \(append.row.summary) by \(nodes[node].id) refused")
      return answer(isAnswerLost ? .failed : .refused, in: isAnswerLost ? Self.callTimeout : Int64(random.below(4)))
    }
    if faults.contains(.acknowledgedAndLost), random.chance(10) { return answer(.done, in: 1) }
    let isTakeover = (try? LogRecord.decode(append.row.batch))?.first?.isTakeover ?? false
    if faults.contains(.takeoverWithoutRow), isTakeover {
      answer(.done, in: 1)
      return schedule.add(.completeAppend(append, node: node, answersIn: nil, isWaitedFor: false), at: time + 300)
    }
    // A statement waits for other servers while another node claims; sometimes longer than the caller's timeout.
    let isSlow = happens(plan.slowAppendPercent)
    let duration = Int64(1 + random.below(isSlow ? 4_000 : 5))
    let isAnswered = !isAnswerLost && duration < Self.callTimeout
    if !isAnswered { answer(.failed, in: Self.callTimeout) }
    nodes[node].isAppending = !isSlow
    schedule.add(
      .completeAppend(append, node: node, answersIn: isAnswered ? Int64(random.below(4)) : nil, isWaitedFor: !isSlow),
      at: time + duration)
  }
}

extension LogRow {
  package var summary: String { "row \(batch.firstPosition)-\(batch.lastPosition) of epoch \(epoch)" }
}
