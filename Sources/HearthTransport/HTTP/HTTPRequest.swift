import NIOCore
import NIOHTTP1

/// A whole request, its body collected.
package struct HTTPRequest: Sendable {
  package var method: HTTPMethod
  /// The request target as sent: path and query, not decoded.
  package var target: String
  package var headers: HTTPHeaders
  package var body = ByteBuffer()
  package var peer: Peer
  /// Tells whoever makes the answer that nobody waits for it any more.
  package var abandonment: Abandonment?

  /// The same without its body.
  package var head: HTTPRequest { HTTPRequest(method: method, target: target, headers: headers, peer: peer) }

  /// The first value of a header, whatever the case of its name.
  package func header(_ name: String) -> String? { headers.first(name: name) }
}
