import HearthEngine
import HearthTree

/// Checks of disconnects: on-disconnect writes are executed once, in order, with the permissions of the connection's
/// user.
extension SimulationChecker {
  /// Follows a command that sets or cancels an on-disconnect write.
  mutating func onDisconnect(_ connection: ConnectionID, _ onDisconnect: OnDisconnectRequest) {
    guard clients[connection] != nil else { return }
    currentOnDisconnect = (connection, onDisconnect)
  }

  /// Checks the answer to an on-disconnect request, which is refused to a user without permission to write now.
  mutating func answerOnDisconnect(_ reply: Reply) throws {
    guard let (connection, onDisconnect) = currentOnDisconnect else { return }
    currentOnDisconnect = nil
    switch (onDisconnect, reply) {
    case (.cancel(let location), .ok): clients[connection]?.onDisconnectWrites.cancel(location)
    case (.change(let change), .ok):
      guard clients[connection]?.user != nil || change.isNothing else {
        throw violation("\(connection) may not ask for \(change)")
      }
      clients[connection]?.onDisconnectWrites.add(change)
    case (.change(let change), .failure(let failure)):
      let isWrong = change.hasPriority && failure.code == .invalidData
      let isRefused = clients[connection]?.user == nil && failure.code == .permissionDenied
      guard isWrong || isRefused else { throw violation("\(connection) is refused \(change): \(failure)") }
    default: throw violation("\(onDisconnect) is answered by \(reply)")
    }
  }

  /// Follows the end of a connection.
  mutating func leave(_ connection: ConnectionID) {
    guard let client = clients.removeValue(forKey: connection) else { return }
    var tree = tree
    // The rules let every signed-in user write.
    if client.user != nil { client.onDisconnectWrites.execute(in: &tree) }
    expected = tree
  }

  /// Checks after all records of a step that the on-disconnect writes were executed.
  mutating func requireExpected() throws {
    defer { expected = nil }
    guard let expected, expected != tree else { return }
    throw violation("after an end there should be \(expected) and there is \(tree)")
  }

  /// Follows a restart of the server: all connections have ended, in the order of their numbers, and receive nothing.
  mutating func checkStart(_ batches: [Batch], at instant: Instant) throws {
    now = instant
    var expected = tree
    for (_, client) in clients.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where client.user != nil {
      client.onDisconnectWrites.execute(in: &expected)
    }
    clients = [:]
    for batch in batches {
      for record in try CommitRecord.decode(batch.payload) { apply(record) }
      guard batch.state.position == position else { throw violation("a start ends at \(batch.state.position)") }
      for effect in batch.effects {
        guard case .denied(let denial) = effect, denial.operation == .onDisconnect else {
          throw violation("a start has the effect \(effect)")
        }
      }
    }
    self.expected = expected
    try requireExpected()
  }

  /// Checks the state that a restarted server recovered.
  func checkRecovered(_ state: DatabaseState) throws {
    guard state.position == position, SimulationTree(state.root) == tree else {
      throw violation("a start found position \(state.position) and \(state.root)")
    }
  }

  /// An on-disconnect request of a connection.
  enum OnDisconnectRequest {
    case change(WriteOperation.Change)
    case cancel(Location)
  }
}

extension WriteOperation.Change {
  /// True for a merge without paths, which is never refused.
  fileprivate var isNothing: Bool { if case .merge(_, let writes) = self { writes.isEmpty } else { false } }

  fileprivate var hasPriority: Bool {
    switch self {
    case .put(let location, _): location.isPriority
    case .merge(_, let writes): writes.contains { $0.location.isPriority }
    }
  }
}
