import HearthBytes
import HearthTree
import NIOCore

/// The peer of a connection.
package struct Peer: Sendable {
  /// The peer's address; nil when the system does not report it.
  package var address: SocketAddress?
  /// True when the connection uses TLS.
  package var isEncrypted: Bool
  /// The client's IP address as reported by another node of the cluster, to which the client is connected; empty when
  /// it is not known there. Headers about addresses are then ignored. Nil when the client is connected to this server.
  package var clientAtOtherNode: String?

  /// Creates the peer of a connection to this server, or to another node that forwards its request.
  package init(address: SocketAddress?, isEncrypted: Bool, clientAtOtherNode: String? = nil) {
    (self.address, self.isEncrypted, self.clientAtOtherNode) = (address, isEncrypted, clientAtOtherNode)
  }

  /// The peer's network; nil for a Unix socket, and when the system does not report the address.
  var network: NetworkPrefix? {
    (clientAtOtherNode ?? address?.ipAddress).flatMap { IPAddress($0) }.map { NetworkPrefix($0) }
  }

  /// True when the connection comes from this machine. False for unknown addresses.
  package var isLoopback: Bool {
    switch address {
    case .v4?, .v6?: address?.ipAddress.flatMap { IPAddress($0) }?.isLoopback ?? false
    case .unixDomainSocket?: true
    case nil: false
    }
  }
}
