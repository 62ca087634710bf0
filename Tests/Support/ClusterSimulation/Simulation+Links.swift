import HearthCluster
import HearthJournal
import RandomTestKit

/// The connections between nodes, and the messages on them.
extension Simulation {
  /// Opens a link between two nodes if both run and can reach each other.
  package func connect(_ left: Int, _ right: Int) {
    guard cutUntil[left][right] <= time, nodes[left].isUp, nodes[right].isUp,
      nodes[left].lease.status.incarnation != nil, nodes[right].lease.status.incarnation != nil
    else { return }
    for (from, to) in [(left, right), (right, left)] {
      add(.deliver(node: to, process: nodes[to].process, .member(.linkUp(nodes[from].id))), in: 3)
    }
  }

  func send(_ message: PeerMessage, from: Int, to: Int) {
    guard let sender = nodes[from].lease.status.incarnation else { return }
    var message = message
    if faults.contains(.resentUnderAnotherNumber), case .request(let epoch, var request) = message,
      case .write = request.kind, random.chance(30)
    {
      // The driver with the planted fault repeats the request under an unused number.
      request.origin.request += 1
      let again = PeerMessage.request(epoch: epoch, request)
      message = .request(epoch: epoch, request.with(request: request.origin.request - 1))
      deliverLater(message, from: from, to: to, sender)
      message = again
    }
    deliverLater(message, from: from, to: to, sender)
  }

  func deliverLater(_ message: PeerMessage, from: Int, to: Int, _ sender: Incarnation) {
    let generation = generations[from][to]
    guard cutUntil[from][to] <= time || from == to else { return }
    if message.isRelayed, from != to, random.chance(plan.relayPercent) {
      // Relayed by another node: late, twice, or out of order.
      for _ in 0...random.below(2) {
        add(.message(from: from, to: to, generation: generation, message, sender: sender), in: 600)
      }
      return
    }
    let delay = from == to ? random.below(2) : random.chance(4) ? random.below(500) : random.below(5)
    let arrival = max(arrivals[from][to], time + Int64(delay))
    arrivals[from][to] = arrival
    schedule.add(.message(from: from, to: to, generation: generation, message, sender: sender), at: arrival)
  }
}

extension PeerMessage {
  /// True when the message may take another path than the direct connection.
  var isRelayed: Bool {
    switch self {
    case .commits, .beat: true
    default: false
    }
  }
}

extension ForwardedRequest {
  fileprivate func with(request: UInt64) -> ForwardedRequest {
    var copy = self
    copy.origin.request = request
    return copy
  }
}
