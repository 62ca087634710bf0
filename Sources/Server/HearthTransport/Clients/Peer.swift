import HearthBytes
import HearthTree
import NIOCore

/// Who is at the other end of a connection.
package struct Peer: Sendable {
  /// Nil when the system does not say.
  package var address: SocketAddress?
  /// True when it has TLS.
  package var isEncrypted: Bool
  /// The client's IP address as the node of a cluster found it that the client is connected to, empty when it is not
  /// known; nil when that is this server. What headers say of addresses counts for nothing then.
  package var clientAtOtherNode: String?

  /// The other end of a connection to this server, or to another node that hands its request over.
  package init(address: SocketAddress?, isEncrypted: Bool, clientAtOtherNode: String? = nil) {
    (self.address, self.isEncrypted, self.clientAtOtherNode) = (address, isEncrypted, clientAtOtherNode)
  }

  /// The network of the connection's other end; nil for a socket of this machine, and where the system does not say.
  var network: NetworkPrefix? {
    (clientAtOtherNode ?? address?.ipAddress).flatMap { IPAddress($0) }.map { NetworkPrefix($0) }
  }

  /// True when the connection comes from this machine. Unknown addresses do not.
  package var isLoopback: Bool {
    switch address {
    case .v4?, .v6?: address?.ipAddress.flatMap { IPAddress($0) }?.isLoopback ?? false
    case .unixDomainSocket?: true
    case nil: false
    }
  }
}
