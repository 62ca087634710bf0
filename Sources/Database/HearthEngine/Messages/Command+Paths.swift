import HearthTree

extension Command.Action {
  /// The path of the request; the root for an action without one.
  var path: Path {
    switch self {
    case .listen(let request): request.path
    case .get(let path, _), .unlisten(let path, _, _): path
    case .write(let operation): operation.path
    case .onDisconnect(let change): WriteOperation(change).path
    case .cancelOnDisconnect(let location): location.path
    case .connect, .disconnect, .authenticate, .unauthenticate, .transact, .endCredential, .barrier, .deployRules,
      .turnsDelivered, .tick:
      .root
    }
  }

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
