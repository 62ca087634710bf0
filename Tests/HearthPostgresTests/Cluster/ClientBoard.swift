import ClusterSimulation
import HearthCluster
import Synchronization

/// The clients of driven nodes: their requests and answers, in an order common to all threads.
final class ClientBoard: Sendable {
  private struct State {
    var clients: [SimulatedClient] = []
    var heads: [NodeID: Int64] = [:]
    var serving: Set<NodeID> = []
    var violations: [String] = []
    var moment: Int64 = 0
    /// The node of each client.
    var nodes: [NodeID] = []

    mutating func next() -> Int64 {
      moment += 1
      return moment
    }
  }

  private let state = Mutex(State())

  var clients: [SimulatedClient] { state.withLock { $0.clients } }
  var violations: [String] { state.withLock { $0.violations } }

  /// Returns true when a node accepts clients.
  func isServing(_ node: NodeID) -> Bool { state.withLock { $0.serving.contains(node) } }

  /// The connected clients without an open request.
  var idle: [Int] {
    state.withLock { state in
      state.clients.indices.filter { state.clients[$0].state == .connected && state.clients[$0].pending == 0 }
    }
  }

  var acknowledgedCount: Int {
    state.withLock { $0.clients.reduce(0) { $0 + $1.operations.values.count { $0.outcome != nil } } }
  }

  func serve(_ node: NodeID) { state.withLock { _ = $0.serving.insert(node) } }

  func report(_ text: String) { state.withLock { $0.violations.append(text) } }

  func open(_ session: SessionID, node: NodeID, index: Int) -> Int {
    state.withLock { state in
      var client = SimulatedClient(
        index: UInt16(state.clients.count), session: session, node: index, listenStart: state.heads[node] ?? 0)
      client.isListening = true
      state.clients.append(client)
      state.nodes.append(node)
      return state.clients.count - 1
    }
  }

  func asks(_ client: Int, _ kind: Operation.Kind) -> (SessionID, NodeID, ticket: UInt64)? {
    state.withLock { state in
      guard state.clients[client].state == .connected else { return nil }
      state.clients[client].lastTicket += 1
      state.clients[client].pending += 1
      state.clients[client].operations[state.clients[client].lastTicket] = Operation(kind: kind, began: state.next())
      return (state.clients[client].session, state.nodes[client], state.clients[client].lastTicket)
    }
  }

  func tell(_ row: LogRow, _ records: [LogRecord], on node: NodeID) {
    state.withLock { state in
      state.heads[node] = row.batch.lastPosition
      for client in state.clients.indices
      where state.nodes[client] == node && state.clients[client].state == .connected
        && state.clients[client].isListening
      {
        for (place, record) in records.enumerated() {
          for content in record.deliveredWrites {
            state.clients[client].received.append((row.batch.firstPosition + Int64(place), content))
          }
        }
      }
    }
  }

  func acknowledge(_ session: SessionID, ticket: UInt64, _ outcome: RequestOutcome, on node: NodeID) {
    state.withLock { state in
      guard let client = state.clients.firstIndex(where: { $0.session == session }),
        state.clients[client].state == .connected, state.clients[client].operations[ticket] != nil
      else { return }
      let ended = state.next()
      if state.clients[client].operations[ticket]?.ended != nil {
        state.violations.append("client \(client) was told twice of request \(ticket)")
      }
      state.clients[client].pending -= 1
      state.clients[client].operations[ticket]?.ended = ended
      state.clients[client].operations[ticket]?.outcome = outcome
      if let position = outcome.position, position > state.heads[node] ?? 0 {
        state.violations.append("client \(client) was told of \(position) by a node that had not applied it")
      }
    }
  }

  func lose(_ session: SessionID) {
    state.withLock { state in
      for client in state.clients.indices where state.clients[client].session == session {
        state.clients[client].state = .gone
      }
    }
  }

  func lose(allOf node: NodeID) {
    state.withLock { state in
      for client in state.clients.indices where state.nodes[client] == node { state.clients[client].state = .gone }
    }
  }
}
