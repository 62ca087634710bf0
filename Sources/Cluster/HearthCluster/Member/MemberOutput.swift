/// The actions for a member's driver, and the node's messages to itself.
struct MemberOutput: Sendable {
  private let node: NodeID
  var actions: [MemberAction] = []
  /// The node's messages to itself, handled after the event that caused them and before any other.
  var ownMessages: [PeerMessage] = []

  init(node: NodeID) { self.node = node }

  /// Sends a message to a node, which may be this one.
  mutating func send(_ peer: NodeID, _ message: PeerMessage) {
    if peer == node { ownMessages.append(message) } else { actions.append(.send(peer, message)) }
  }

  /// Sends the outcome of a request to the node of its client.
  mutating func answer(_ outcome: RequestOutcome, _ origin: Origin, _ epoch: Int64, _ peer: NodeID) {
    send(peer, .answer(epoch: epoch, origin.session, request: origin.request, outcome))
  }

  /// Removes and returns the actions.
  mutating func takeActions() -> [MemberAction] {
    defer { actions = [] }
    return actions
  }
}
