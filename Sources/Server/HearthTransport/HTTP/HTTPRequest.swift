import NIOCore
import NIOHTTP1

/// A complete request with its body.
package struct HTTPRequest: Sendable {
  /// The method as sent; no method is refused before a responder sees it.
  package var method: HTTPMethod
  /// The request target as sent: path and query, not decoded.
  package var target: String
  /// The headers in the order of the request; a name may occur several times.
  package var headers: HTTPHeaders
  /// The whole body with its chunks joined; empty for a request without a body.
  package var body = ByteBuffer()
  /// The other end of the connection: the client, or a proxy.
  package var peer: Peer
  /// The request's id in logs and in its response: see ``RequestIDs``.
  package var id = ""
  /// The flag that the client no longer waits for the response; nil when there is none.
  package var cancellation: RequestCancellation?

  /// Creates a request of a client, or one that another node of a cluster forwards.
  package init(
    method: HTTPMethod, target: String, headers: HTTPHeaders, body: ByteBuffer = ByteBuffer(), peer: Peer,
    id: String = ""
  ) {
    (self.method, self.target, self.headers, self.body) = (method, target, headers, body)
    (self.peer, self.id) = (peer, id)
  }

  /// The request without its body.
  package var head: HTTPRequest { HTTPRequest(method: method, target: target, headers: headers, peer: peer, id: id) }

  /// Returns the first value of a header; the case of its name does not matter.
  package func header(_ name: String) -> String? { headers.first(name: name) }
}
