import HearthTree

/// Some of the listens that are there, and the state that they would be decided on.
public struct StandingListens: Sendable {
  /// Those of the first connections that were asked for.
  public var listens: [StandingListen] = []
  /// How many of the connections these are.
  public var connectionCount = 0
  /// The newest state.
  public var state: Published

  /// None, on some state.
  public init(state: Published) { self.state = state }
}

extension Engine {
  /// Everybody who was announced and has not ended.
  package var connectionIDs: Set<ConnectionID> { Set(connections.keys) }

  /// Connections that were announced and have not ended.
  public var connectionCount: Int { connections.count }

  /// Live listens of all connections together.
  public var listenCount: Int { listens.count }

  /// Connections that were announced and have not ended, in no order.
  public var knownConnections: [ConnectionID] { Array(connections.keys) }

  /// The listens of the first of these connections: of as many as it takes to come to so many listens. A connection that
  /// has ended has none.
  public func standingListens(of ids: ArraySlice<ConnectionID>, countMin: Int) -> StandingListens {
    var standing = StandingListens(state: state)
    for id in ids {
      guard standing.listens.count < countMin, standing.connectionCount < countMin else { break }
      standing.connectionCount += 1
      for (_, listen) in connections[id]?.listens.entries ?? [] { standing.listens.append(StandingListen(listen)) }
    }
    return standing
  }
}
