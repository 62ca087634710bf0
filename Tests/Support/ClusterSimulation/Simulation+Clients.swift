import HearthCluster

extension Simulation {
  /// Connects a client to a node that accepts it.
  package func connectClient() {
    guard clients.count(where: { $0.state == .connected }) < plan.clientCount, clients.count < 60_000 else { return }
    let open = nodes.indices.filter { nodes[$0].isUp && nodes[$0].areSocketsOpen }
    guard !open.isEmpty else {
      if time < plan.requestsEnd { schedule.add(.newClient, at: time + 300) }
      return
    }
    let client = SimulatedClient(
      index: UInt16(clients.count), session: SessionID(rawValue: random.next()), node: random.pick(open), listenStart: 0
    )
    clients.append(client)
    deliverToNode(of: clients.count - 1, .connect(client.index))
    schedule.add(.clientStep(clients.count - 1), at: time + 2)
    schedule.add(.clientStep(clients.count - 1), at: max(time + 2, plan.lastWriteAt + Int64(random.below(200))))
  }

  package func accept(_ client: Int, on node: Int) {
    guard clients[client].state == .connected, clients[client].node == node else { return }
    guard nodes[node].areSocketsOpen else {
      clients[client].state = .gone
      return replace(client)
    }
    clients[client].listenStart = nodes[node].member.replica.head.position
    clients[client].isListening = true
    handle(.opened(clients[client].session), on: node)
  }

  package func step(_ client: Int) {
    guard clients[client].state == .connected else { return }
    let isLast = time >= plan.lastWriteAt
    guard time < plan.requestsEnd || isLast else { return }
    if !isLast {
      schedule.add(.clientStep(client), at: time + 20 + Int64(random.below(plan.pauseMilliseconds)))
      if random.chance(3) {
        clients[client].state = .closing
        deliverToNode(of: client, .ask(clients[client].index, ticket: 0, .close))
        return replace(client)
      }
    }
    guard clients[client].pending < 3 || isLast else { return }
    lastNumber += 1
    let generator = isLast ? 0 : random.below(100)
    let target = random.pick(clients).index
    let (kind, request): (Operation.Kind, ForwardedRequest.Kind) =
      switch generator {
      case ..<60:
        write(WriteContent(number: lastNumber, effect: .plain))
      case ..<68: write(WriteContent(number: lastNumber, effect: .refused))
      case ..<71: write(WriteContent(number: lastNumber, effect: .cut, target: target))
      case ..<85: (.get, .get([]))
      default: write(WriteContent(number: lastNumber, effect: .onDisconnect))
      }
    clients[client].pending += 1
    clients[client].lastTicket += 1
    clients[client].operations[clients[client].lastTicket] = Operation(kind: kind, began: time)
    deliverToNode(of: client, .ask(clients[client].index, ticket: clients[client].lastTicket, request))
  }

  private func write(_ content: WriteContent) -> (Operation.Kind, ForwardedRequest.Kind) {
    (.write(content), .write(.encoded(content.bytes)))
  }

  private func deliverToNode(of client: Int, _ delivery: SimulatedNode.Delivery) {
    let node = clients[client].node
    schedule.add(.deliver(node: node, process: nodes[node].process, delivery), at: time + 1)
  }

  /// Ends a client's connection, with its node aware of it.
  package func lose(_ client: Int, _ why: String) {
    guard clients[client].state == .connected else { return }
    note("client \(clients[client].index) of \(nodes[clients[client].node].id) is let go: \(why)")
    clients[client].state = .gone
    replace(client)
  }

  /// Closes the connection on the node's side: the session ends as if the client had disconnected.
  package func close(_ client: Int) {
    clients[client].state = .closing
    deliverToNode(of: client, .ask(clients[client].index, ticket: 0, .close))
    replace(client)
  }

  package func replace(_ client: Int) {
    clients[client].isListening = false
    if time < plan.requestsEnd { add(.newClient, in: 500) }
  }

  /// Delivers a row to the listeners of a node.
  package func tell(_ row: LogRow, _ records: [LogRecord], on node: Int) {
    for client in clients.indices where clients[client].node == node && clients[client].state == .connected {
      for (place, record) in records.enumerated() {
        for content in record.deliveredWrites where clients[client].isListening {
          if content.effect == .cut, content.target == clients[client].index, !faults.contains(.cutsIgnored) {
            clients[client].isListening = false
          } else {
            clients[client].received.append((row.batch.firstPosition + Int64(place), content))
          }
        }
      }
    }
  }

  package func acknowledge(_ session: SessionID, ticket: UInt64, _ outcome: RequestOutcome, on node: Int) {
    guard let client = clients.firstIndex(where: { $0.session == session }),
      clients[client].operations[ticket] != nil, clients[client].operations[ticket]?.ended == nil
    else { return }
    clients[client].pending -= 1
    guard clients[client].state == .connected else { return }
    clients[client].operations[ticket]?.ended = time
    clients[client].operations[ticket]?.outcome = outcome
    let head = nodes[node].member.replica.head.position
    if let position = outcome.position, position > head {
      violations.append("client \(client) was told of position \(position) by a node that has applied \(head)")
    }
    if case .applied(let position, _) = outcome {
      acknowledged.append((time, max(position, acknowledged.last?.position ?? 0)))
    }
  }

  /// Checks that a node with listeners has every row that was acknowledged longer ago than the staleness bound.
  package func checkStaleness(of node: Int, at now: MonotonicInstant) {
    guard lostTailAt == nil, nodes[node].areSocketsOpen, nodes[node].member.replica.isFresh(at: now) else { return }
    let limit = time - plan.timing.stalenessMilliseconds * 102 / 100 - 10
    var (low, high) = (0, acknowledged.count)
    while low < high {
      let middle = (low + high) / 2
      if acknowledged[middle].time <= limit { low = middle + 1 } else { high = middle }
    }
    let head = nodes[node].member.replica.head.position
    if low > 0, acknowledged[low - 1].position > head {
      violations.append(
        "\(time): \(nodes[node].id) serves position \(head), and \(acknowledged[low - 1].position) was acknowledged long ago"
      )
    }
  }
}

extension RequestOutcome {
  package var position: Int64? {
    switch self {
    case .applied(let position, _), .value(_, let position): position
    // The position is 0 when the refusal did not depend on data.
    case .refused(let position, _): position > 0 ? position : nil
    default: nil
    }
  }
}
