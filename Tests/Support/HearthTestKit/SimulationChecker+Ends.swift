import HearthEngine
import HearthTree

/// The ends of connections: what they wanted then is done once, in their order, as far as the rules allow it to who they
/// were.
extension SimulationChecker {
  /// Follows a command that says what is to be done at the end of a connection.
  mutating func wish(_ connection: ConnectionID, _ wish: Wish) {
    guard clients[connection] != nil else { return }
    wished = (connection, wish)
  }

  /// A wish counts when it was taken; it is refused to who could not write that now.
  mutating func answerWish(_ reply: Reply) throws {
    guard let (connection, wish) = wished else { return }
    wished = nil
    switch (wish, reply) {
    case (.cancel(let location), .ok): clients[connection]?.wishes.cancel(location)
    case (.change(let change), .ok):
      guard clients[connection]?.user != nil || change.isNothing else {
        throw broken("\(connection) may not ask for \(change)")
      }
      clients[connection]?.wishes.ask(change)
    case (.change(let change), .failure(let failure)):
      let isWrong = change.hasPriority && failure.code == .invalidData
      let isRefused = clients[connection]?.user == nil && failure.code == .permissionDenied
      guard isWrong || isRefused else { throw broken("\(connection) is refused \(change): \(failure)") }
    default: throw broken("\(wish) is answered by \(reply)")
    }
  }

  /// A connection ends.
  mutating func leave(_ connection: ConnectionID) {
    guard let client = clients.removeValue(forKey: connection) else { return }
    var tree = tree
    // The rules let everybody write who is signed in.
    if client.user != nil { client.wishes.make(in: &tree) }
    expected = tree
  }

  /// After all records of a step: what was to be done is done.
  mutating func requireExpected() throws {
    defer { expected = nil }
    guard let expected, expected != tree else { return }
    throw broken("after an end there should be \(expected) and there is \(tree)")
  }

  /// Follows a start of the server: all connections have ended, in the order of their numbers, and nobody is told.
  mutating func checkStart(_ batches: [Batch], at instant: Instant) throws {
    now = instant
    var expected = tree
    for (_, client) in clients.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where client.user != nil {
      client.wishes.make(in: &expected)
    }
    clients = [:]
    for batch in batches {
      for record in try CommitRecord.decode(batch.payload) { apply(record) }
      guard batch.state.position == position else { throw broken("a start ends at \(batch.state.position)") }
      for effect in batch.effects {
        guard case .denied(let denial) = effect, denial.operation == .onDisconnect else {
          throw broken("a start has the effect \(effect)")
        }
      }
    }
    self.expected = expected
    try requireExpected()
  }

  /// Follows a start that found this.
  func checkFound(_ state: Published) throws {
    guard state.position == position, SimulationTree(state.root) == tree else {
      throw broken("a start found position \(state.position) and \(state.root)")
    }
  }

  /// What a connection says about its end.
  enum Wish {
    case change(WriteOperation.Change)
    case cancel(Location)
  }
}

extension WriteOperation.Change {
  /// A merge of no places, which nobody is refused.
  fileprivate var isNothing: Bool { if case .merge(_, let writes) = self { writes.isEmpty } else { false } }

  fileprivate var hasPriority: Bool {
    switch self {
    case .put(let location, _): location.isPriority
    case .merge(_, let writes): writes.contains { $0.location.isPriority }
    }
  }
}
