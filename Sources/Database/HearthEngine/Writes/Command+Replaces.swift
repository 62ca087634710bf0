extension Command {
  /// Returns true when it may write at, above or below one of these locations.
  ///
  /// - Parameter sessions: The on-disconnect writes of connections.
  package func replaces(_ places: LocationSet, in sessions: OnDisconnectSessions) -> Bool {
    switch action {
    case .write(let operation): operation.change.overlaps(places)
    case .disconnect:
      sessions.contains(connection)
        && sessions.writes(of: connection).entries.contains { places.overlaps($0.location.path) }
    case .connect, .authenticate, .unauthenticate, .listen, .unlisten, .get, .onDisconnect, .cancelOnDisconnect,
      .transact, .barrier, .endCredential, .deployRules, .turnsDelivered, .tick:
      false
    }
  }
}
