/// The role of an engine in the decisions of its database.
package enum EngineRole: Sendable {
  /// The engine decides all requests of its own connections.
  case alone
  /// The engine follows another one's decisions, and decides the reads of its own connections.
  case following
  /// The engine decides for connections of other servers, and sends no events. All records of a change have one
  /// position.
  case deciding
}

extension EngineRole {
  /// Returns the table of on-disconnect writes at the start of the engine.
  func makeOnDisconnectTable(_ sessions: OnDisconnectSessions, _ limits: EngineLimits) -> OnDisconnectTable {
    switch self {
    case .alone: OnDisconnectTable(ended: sessions, limits: limits)
    case .following: OnDisconnectTable(limits: limits)
    case .deciding: OnDisconnectTable(open: sessions, limits: limits)
    }
  }
}
