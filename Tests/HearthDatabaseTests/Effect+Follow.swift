import HearthTree

@testable import HearthEngine

/// A change as a client that listens to all of a tree makes it in its own.
struct FollowedPut {
  let path: Path
  let node: Node

  func applied(to replica: Node) -> Node { replica.replacing(path, with: node) }
}

extension Effect {
  /// Calls `body` with everybody who is told of a put, and the put.
  func forEachPut(_ body: (ConnectionID, FollowedPut) -> Void) {
    guard case .event(let event, let recipients) = self, case .put(let node) = event.change else { return }
    for connection in recipients { body(connection, FollowedPut(path: event.path, node: node)) }
  }
}
