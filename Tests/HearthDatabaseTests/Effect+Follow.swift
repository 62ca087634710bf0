import HearthTree

@testable import HearthEngine

/// A change as a client with a listen at the root applies it.
struct FollowedPut {
  let path: Path
  let node: Node

  func applied(to replica: Node) -> Node { replica.replacing(path, with: node) }
}

extension Effect {
  /// Calls `body` with each recipient of a put, and the put.
  func forEachPut(_ body: (ConnectionID, FollowedPut) -> Void) {
    guard case .event(let event, let recipients) = self, case .put(let node) = event.change else { return }
    for connection in recipients { body(connection, FollowedPut(path: event.path, node: node)) }
  }
}
