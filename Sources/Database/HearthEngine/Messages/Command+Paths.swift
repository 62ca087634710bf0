import HearthTree

extension Command.Action {
  /// The paths of data that the action names, from the root.
  package var namedPaths: [Path] {
    switch self {
    case .listen(let request): [request.path]
    case .get(let path, _): [path]
    case .write(let operation): operation.change.locations.map(\.path) + operation.shownPaths
    case .onDisconnect(let change): change.locations.map(\.path)
    case .connect, .disconnect, .authenticate, .unauthenticate, .unlisten, .cancelOnDisconnect, .transact,
      .endCredential, .barrier, .deployRules, .turnsDelivered, .tick:
      []
    }
  }
}
