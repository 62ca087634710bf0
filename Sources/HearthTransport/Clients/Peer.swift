import NIOCore

/// Who is at the other end of a connection.
package struct Peer: Sendable {
  var address: SocketAddress?
  var isEncrypted: Bool

  /// True when the connection comes from this machine. Unknown addresses do not.
  package var isLoopback: Bool {
    switch address {
    case .v4?: address?.ipAddress?.hasPrefix("127.") ?? false
    case .v6?: address?.ipAddress == "::1" || address?.ipAddress?.hasPrefix("::ffff:127.") ?? false
    case .unixDomainSocket?: true
    case nil: false
    }
  }
}
