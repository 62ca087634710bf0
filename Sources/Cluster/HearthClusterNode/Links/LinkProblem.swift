import HearthCluster

/// Why a connection between nodes ended, or was not taken. None of it holds what the other side sent but names that its
/// certificate proves.
package enum LinkProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// The other side closed it, or the network did.
  case closed
  /// Nothing came for too long.
  case silent
  /// No greeting came in time.
  case noHello
  /// What came is no message.
  case malformed(String)
  /// Too much waits to be sent.
  case overflow(bytes: Int)
  /// The other side's certificate is not of the name that it greets with.
  case otherName(NodeID)
  /// Another node answered at the address.
  case otherNode(NodeID, wanted: NodeID)
  /// It is no node of those that were named.
  case unknownNode(NodeID)
  /// It is of another cluster.
  case otherCluster
  /// There is no version of the protocol that both speak.
  case noCommonVersion
  /// The other side's run is over: there is a later one.
  case earlierRun
  /// A later connection to the same node took its place.
  case replaced
  /// This node's own run is over, or it was stopped.
  case ended
  /// Too many connections have not greeted, and this one was the oldest.
  case crowded
  /// TLS or the network failed.
  case failed(String)

  package var description: String {
    switch self {
    case .closed: "it was closed"
    case .silent: "nothing came for \(LinkLimits.silenceMilliseconds) ms"
    case .noHello: "no greeting came within \(LinkLimits.helloSeconds) s"
    case .malformed(let finding): "what came is no message: \(finding)"
    case .overflow(let bytes): "\(bytes) bytes wait to be sent: the node does not take them in, and has to begin anew"
    case .otherName(let node): "the certificate is not of the node \(node)"
    case .otherNode(let node, let wanted): "\(node) answered in the place of \(wanted)"
    case .unknownNode(let node): "\(node) is none of the cluster's nodes that may connect to this one"
    case .otherCluster: "it is of another cluster"
    case .noCommonVersion: "there is no version of the protocol that both speak"
    case .earlierRun: "a later run of the node is connected"
    case .replaced: "a later connection took its place"
    case .ended: "this node's run is over"
    case .crowded: "it had not greeted, and others took its place"
    case .failed(let text): text
    }
  }
}
