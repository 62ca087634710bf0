import HearthCluster

extension Simulation {
  /// Causes a random fault of a machine, a network or the store.
  package func injectFault() {
    faultCount += 1
    let node = random.below(nodes.count)
    let other = (node + 1 + random.below(nodes.count - 1)) % nodes.count
    switch random.below(plan.losesTails ? 11 : 9) {
    case 0, 1: freeze(node, for: 100 + Int64(random.below(4_900)))
    case 2: crash(node, for: 200 + Int64(random.below(3_800)))
    case 3: cut(node, other, for: 200 + Int64(random.below(4_800)))
    case 4: cutFromStore(node, for: 200 + Int64(random.below(4_800)))
    case 5:
      note("the store is away")
      outageUntil = max(outageUntil, time + 200 + Int64(random.below(3_800)))
    case 6:
      let duration = 500 + Int64(random.below(4_500))
      cutFromStore(node, for: duration)
      for peer in nodes.indices where peer != node { cut(node, peer, for: duration) }
    case 7:
      guard let owner = nodes.indices.first(where: { nodes[$0].isOwner && nodes[$0].isUp }) else { return }
      let peer = owner == node ? other : node
      note("\(nodes[owner].id) is to give the database to \(nodes[peer].id)")
      deliver(.member(.handOver(to: nodes[peer].id)), to: owner)
    case 8: drain(node, to: other, for: 200 + Int64(random.below(3_800)))
    default:
      lostTailAt = lostTailAt ?? time
      let (count, withClaims) = (1 + random.below(6), random.isOne(in: 2))
      note("the store loses \(count) rows\(withClaims ? " and claims" : "")")
      store.loseTail(count, withClaims: withClaims)
      loseSnapshots()
      outageUntil = max(outageUntil, time + 100 + Int64(random.below(2_000)))
    }
  }

  /// Keeps a node from owning databases for a while.
  private func drain(_ node: Int, to peer: Int, for duration: Int64) {
    guard nodes[node].isUp else { return }
    note("\(nodes[node].id) is drained for \(duration)")
    deliver(.member(.wanted(false)), to: node)
    deliver(.member(.handOver(to: nodes[peer].id)), to: node)
    schedule.add(
      .deliver(node: node, process: nodes[node].process, .member(.wanted(true))), at: time + duration)
  }

  private func freeze(_ node: Int, for duration: Int64) {
    guard nodes[node].isUp else { return }
    note("\(nodes[node].id) is frozen for \(duration)")
    nodes[node].frozenUntil = max(nodes[node].frozenUntil, time + duration)
    schedule.add(.thaw(node), at: nodes[node].frozenUntil)
  }

  package func thaw(_ node: Int) {
    guard nodes[node].isUp, nodes[node].frozenUntil <= time else { return }
    note("\(nodes[node].id) wakes")
    let inbox = nodes[node].inbox
    nodes[node].inbox = []
    for delivery in inbox where nodes[node].isUp { deliver(delivery, to: node) }
  }

  private func crash(_ node: Int, for duration: Int64) {
    guard nodes[node].isUp else { return }
    note("\(nodes[node].id) dies")
    nodes[node].isUp = false
    nodes[node].isOwner = false
    nodes[node].process += 1
    for client in clients.indices where clients[client].node == node && clients[client].state != .gone {
      clients[client].state = .gone
      replace(client)
    }
    for peer in nodes.indices where peer != node { disconnect(node, peer) }
    schedule.add(.restart(node), at: time + duration)
  }

  private func cut(_ node: Int, _ peer: Int, for duration: Int64) {
    note("\(nodes[node].id) and \(nodes[peer].id) cannot reach each other for \(duration)")
    let until = max(cutUntil[node][peer], time + duration)
    cutUntil[node][peer] = until
    cutUntil[peer][node] = until
    disconnect(node, peer)
    schedule.add(.repair(node, peer), at: until)
  }

  private func disconnect(_ node: Int, _ peer: Int) {
    for (from, to) in [(node, peer), (peer, node)] {
      generations[from][to] += 1
      add(.deliver(node: to, process: nodes[to].process, .member(.linkDown(nodes[from].id))), in: 3)
    }
  }

  private func cutFromStore(_ node: Int, for duration: Int64) {
    note("\(nodes[node].id) cannot reach the store for \(duration)")
    nodes[node].storeCutUntil = max(nodes[node].storeCutUntil, time + duration)
  }
}
