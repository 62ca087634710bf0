import NIOCore
import NIOHTTP1

/// A whole request, its body collected.
package struct HTTPRequest: Sendable {
  /// As sent; no method is refused before a responder sees it.
  package var method: HTTPMethod
  /// The request target as sent: path and query, not decoded.
  package var target: String
  /// In the order of the request; a name may come several times.
  package var headers: HTTPHeaders
  /// All of it, chunks put together; empty for a request without one.
  package var body = ByteBuffer()
  /// The other end of the connection: the client, or a proxy.
  package var peer: Peer
  /// What the request is called in logs and in its answer: see ``RequestIDs``.
  package var id = ""
  /// Tells whoever makes the answer that nobody waits for it any more.
  package var abandonment: Abandonment?

  /// A request of a client's, or one that another node of a cluster hands over.
  package init(
    method: HTTPMethod, target: String, headers: HTTPHeaders, body: ByteBuffer = ByteBuffer(), peer: Peer,
    id: String = ""
  ) {
    (self.method, self.target, self.headers, self.body) = (method, target, headers, body)
    (self.peer, self.id) = (peer, id)
  }

  /// The same without its body.
  package var head: HTTPRequest { HTTPRequest(method: method, target: target, headers: headers, peer: peer, id: id) }

  /// The first value of a header, whatever the case of its name.
  package func header(_ name: String) -> String? { headers.first(name: name) }
}
