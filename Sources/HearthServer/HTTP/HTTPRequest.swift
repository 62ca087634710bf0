import NIOCore
import NIOHTTP1

/// A whole request, its body collected.
struct HTTPRequest: Sendable {
  var method: HTTPMethod
  /// The request target as sent: path and query, not decoded.
  var target: String
  var headers: HTTPHeaders
  var body = ByteBuffer()
  var peer: Peer
  /// Tells whoever makes the answer that nobody waits for it any more.
  var abandonment: Abandonment?

  /// The same without its body.
  var head: HTTPRequest { HTTPRequest(method: method, target: target, headers: headers, peer: peer) }

  /// The first value of a header, whatever the case of its name.
  func header(_ name: String) -> String? { headers.first(name: name) }
}

/// Who is at the other end of a connection.
struct Peer: Sendable {
  var address: SocketAddress?
  var isEncrypted: Bool

  /// True when the connection comes from this machine. Unknown addresses do not.
  var isLoopback: Bool {
    switch address {
    case .v4?: address?.ipAddress?.hasPrefix("127.") ?? false
    case .v6?: address?.ipAddress == "::1" || address?.ipAddress?.hasPrefix("::ffff:127.") ?? false
    case .unixDomainSocket?: true
    case nil: false
    }
  }
}
