import HearthTree

/// The listens of some connections, with the state for their decisions.
public struct StandingListens: Sendable {
  /// The listens of the first ``connectionCount`` of the requested connections.
  public var listens: [StandingListen] = []
  /// The number of connections whose listens were read.
  public var connectionCount = 0
  /// The newest state.
  public var state: DatabaseState

  /// Creates an empty list on a state.
  public init(state: DatabaseState) { self.state = state }

  /// Reads the listens of the first of these connections, as many as give at least `countMin` listens. A closed
  /// connection has none.
  public init(of ids: ArraySlice<ConnectionID>, in engine: borrowing Engine, countMin: Int) {
    self.init(state: engine.state)
    for id in ids {
      guard listens.count < countMin, connectionCount < countMin else { break }
      connectionCount += 1
      for (_, listen) in engine.connections[id]?.listens.entries ?? [] { listens.append(StandingListen(listen)) }
    }
  }
}

extension Engine {
  /// The IDs of connections that were announced and have not ended.
  package var connectionIDs: Set<ConnectionID> { Set(connections.ids) }

  /// The number of connections that were announced and have not ended.
  public var connectionCount: Int { connections.count }

  /// The number of live listens of all connections.
  public var listenCount: Int { listens.count }

  /// The connections that were announced and have not ended, in no order.
  public var knownConnections: [ConnectionID] { Array(connections.ids) }
}
