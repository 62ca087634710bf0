import HearthCluster

/// The reason that a connection between nodes ended or was refused. It contains no data from the peer except names that
/// its certificate proves.
package enum LinkProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// The peer or the network closed it.
  case closed
  /// The peer was silent for too long.
  case silent
  /// The hello did not arrive in time.
  case noHello
  /// The received bytes are no message.
  case malformed(String)
  /// The unsent bytes exceed the limit.
  case overflow(bytes: Int)
  /// The peer's certificate does not have the name in its hello.
  case otherName(NodeID)
  /// Another node answered at the address.
  case otherNode(NodeID, wanted: NodeID)
  /// The peer is none of the configured nodes.
  case unknownNode(NodeID)
  /// The peer belongs to another cluster.
  case otherCluster
  /// The protocol versions of both sides do not overlap.
  case noCommonVersion
  /// The peer's incarnation has ended: a later one is connected.
  case earlierIncarnation
  /// A later connection to the same node replaced it.
  case replaced
  /// The incarnation of this node has ended, or the node was stopped.
  case ended
  /// Too many connections were without a hello, and this one was the oldest.
  case crowded
  /// TLS or the network failed.
  case failed(String)

  package var description: String {
    switch self {
    case .closed: "the connection was closed"
    case .silent: "no message arrived for \(LinkLimits.silenceMilliseconds) ms"
    case .noHello: "no greeting arrived within \(LinkLimits.helloSeconds) s"
    case .malformed(let finding): "the node sent a malformed message: \(finding)"
    case .overflow(let bytes): "\(bytes) bytes wait to be sent: the node reads too slowly and has to reconnect"
    case .otherName(let node): "the certificate is not that of the node \(node)"
    case .otherNode(let node, let wanted): "\(node) answered at the address of \(wanted)"
    case .unknownNode(let node): "\(node) is not a node of the cluster that may connect to this one"
    case .otherCluster: "the node belongs to another cluster"
    case .noCommonVersion: "the two nodes have no protocol version in common; upgrade the older one"
    case .earlierIncarnation: "a later run of the node is connected"
    case .replaced: "a later connection replaced it"
    case .ended: "this node is stopping"
    case .crowded: "the node sent no greeting, and other connections needed the slot"
    case .failed(let text): text
    }
  }
}
