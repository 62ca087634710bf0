/// What an engine does with a database.
package enum EngineRole: Sendable {
  /// It decides everything, for its own connections.
  case alone
  /// It follows what another one decides, and decides what its own connections may read.
  case following
  /// It decides for connections of others, and tells nobody. All that a change comes to has one position.
  case deciding
}

extension EngineRole {
  /// What its connections want to be done at their ends, as it is when the engine begins.
  func onDisconnectDesk(_ sessions: Sessions, _ limits: EngineLimits) -> OnDisconnectTable {
    switch self {
    case .alone: OnDisconnectTable(ended: sessions, limits: limits)
    case .following: OnDisconnectTable(limits: limits)
    case .deciding: OnDisconnectTable(open: sessions, limits: limits)
    }
  }
}
