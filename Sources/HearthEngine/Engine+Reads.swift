import HearthRules
import HearthTree

/// Listens and one-shot reads.
extension Engine {
  mutating func listen(_ command: Command, _ path: Path, _ hash: String) {
    guard let connection = connections[command.connection] else { return fail(command, .unknownConnection) }
    guard isAddressable(path) else { return fail(command, .invalidPath) }
    let known = listens.node(at: path).flatMap { connection.listen(at: $0) }
    if known == nil, connection.listens.count >= limits.listensPerConnectionMax {
      return fail(command, Failure(.tooManyListens, "This connection has too many listeners"))
    }
    let decision = decideListen(path, connection.identity)
    if let decision, !decision.isAllowed {
      if let known { forget(known) }
      return deny(command, .listen, path, connection.identity, decision)
    }
    grant(known ?? listens.add(connection, at: path), by: decision)
    let node = state.root[path]
    let isComparing = hash.isEmpty || hashes.isCheap(node, at: path, sizeBytesMax: limits.hashSizeBytesMax)
    if !isComparing || !hashes.isKnown(node, at: path, hash: hash) {
      let event = Event(path: path, change: .put(node), position: state.position)
      effects.append(.event(event, to: [connection.id]))
    }
    reply(command, .ok)
  }

  mutating func unlisten(_ command: Command, _ path: Path) {
    guard let connection = connections[command.connection] else { return fail(command, .unknownConnection) }
    if let listen = listens.node(at: path).flatMap({ connection.listen(at: $0) }) { forget(listen) }
    reply(command, .ok)
  }

  mutating func get(_ command: Command, _ path: Path) {
    guard let identity = identity(of: command) else { return fail(command, .unknownConnection) }
    guard isAddressable(path) else { return fail(command, .invalidPath) }
    do {
      reply(command, .value(try state.read(path, as: identity, nowMilliseconds: now.wallMilliseconds)))
    } catch {
      deny(command, .get, path, identity, error.decision)
    }
  }

  mutating func deny(
    _ command: Command, _ operation: Denial.Operation, _ path: Path, _ identity: Identity, _ decision: Decision?
  ) {
    effects.append(
      .denied(
        Denial(
          connection: command.connection, request: command.request, operation: operation, path: path,
          identity: identity, decision: decision)))
    fail(command, .permissionDenied)
  }

  /// False for `.info`, which is the client's own, and for paths deeper than the tree can be.
  func isAddressable(_ path: Path) -> Bool {
    path.count <= limits.depthMax && path.keys.first.map { $0 != Self.infoKey } ?? true
  }

  private static let infoKey: Key = ".info"
}
