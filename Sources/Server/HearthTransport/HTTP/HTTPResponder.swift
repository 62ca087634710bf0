import NIOCore
import NIOHTTP1

/// A handler that responds to requests. The transport calls it on the connection's event loop, one request of a
/// connection at a time.
package protocol HTTPResponder: Sendable {
  /// Returns the responder for a request, by the request's head. Called once for each request.
  func responder(for request: HTTPRequest) -> any HTTPResponder
  /// Responds to a request. The future may be completed from any thread. Until then the connection's next request
  /// waits.
  func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse>

  /// Returns the response to a request that the transport itself refuses.
  ///
  /// - Parameter request: as far as it had arrived; nil when its head could not be read.
  func response(to failure: HTTPFailure, for request: HTTPRequest?) -> HTTPResponse

  /// Returns a tighter limit on the request's body than the transport's own. Called once the head has arrived.
  func bodyLimit(for request: HTTPRequest) -> HTTPBodyLimit?

  /// Authenticates the sender of a large body. Called on the connection's event loop before the body is read, with the
  /// request's head.
  func caller(of request: HTTPRequest, on loop: TransportLoop) -> HTTPBodyCaller

  /// Decides when the rest of a larger body is read. Called on the connection's event loop with the request's head.
  ///
  /// - Parameter waits: the number of times that the request has waited already.
  func admission(of request: HTTPRequest, waits: Int, on loop: TransportLoop) -> HTTPBodyAdmission
}

/// The time at which a larger body is read. Until then it stays at the client.
package enum HTTPBodyAdmission: Sendable {
  case now
  /// The body waits; the responder is asked again after so many milliseconds.
  case later(milliseconds: Int64)
  /// The body is never read; the request gets this response.
  case refused(HTTPResponse)
}

/// The sender of a large body.
package enum HTTPBodyCaller: Sendable {
  /// The request has a valid credential.
  case known
  /// The request has no credential.
  case anonymous
  /// The request will be refused in any case, with this response.
  case refused(HTTPResponse)
}

/// The maximum size of a request's body, and the response to a larger one.
package struct HTTPBodyLimit: Sendable {
  var bytesMax: Int
  var response: @Sendable () -> HTTPResponse

  /// - Parameter response: called for each request that is over the limit.
  package init(bytesMax: Int, response: @escaping @Sendable () -> HTTPResponse) {
    self.bytesMax = bytesMax
    self.response = response
  }
}

/// The reason why the transport did not pass a request on, or why another node of a cluster sent no response to it.
package enum HTTPFailure: Sendable, Equatable {
  /// The request is not HTTP/1, or is ambiguous.
  case malformed
  /// The target or the headers are over their limit.
  case headTooLong
  /// The body is over its limit.
  case bodyTooLong
  /// The memory held for clients is over its limit, and this request was chosen to be dropped.
  case overloaded
  /// The body is larger than any that is accepted without a credential.
  case bodyNeedsCredential
  /// The request did not arrive in time.
  case timeout
  /// A WebSocket handshake of another version, or with a broken key.
  case badUpgrade
  /// The responder failed.
  case internalError
  /// The node for such requests is not known, or not reachable. The request was not carried out.
  case unreachable
  /// The node that the request was forwarded to sent no response. Whether it was carried out is not known.
  case outcomeUnknown
  /// The request was carried out, and its response cannot be passed between nodes.
  case unrelayable
}

extension HTTPFailure {
  /// The status for the failure, and a sentence for the client.
  package var explanation: (status: HTTPResponseStatus, text: String) {
    switch self {
    case .malformed: (.badRequest, "The request is not valid HTTP/1.1.")
    case .headTooLong: (.requestHeaderFieldsTooLarge, "The request's target or headers are too long.")
    case .bodyTooLong:
      (.payloadTooLarge, "The request's body is too long.")
    case .overloaded:
      (.serviceUnavailable, "The server has no memory for a request this large or slow. Try again later.")
    case .bodyNeedsCredential: (.unauthorized, "Unauthorized request: a body of this size needs a credential.")
    case .timeout: (.requestTimeout, "The request did not arrive in time, or its body came too slowly.")
    case .badUpgrade: (.upgradeRequired, "The server supports WebSocket version 13 only.")
    case .internalError: (.internalServerError, "Internal server error.")
    case .unreachable:
      (.serviceUnavailable, "The cluster node that serves this request is unreachable. Try again.")
    case .outcomeUnknown:
      (
        .serviceUnavailable,
        "The cluster node that serves this request did not answer. The request may have been carried out."
      )
    case .unrelayable:
      (.badGateway, "The response of the cluster node that serves this request cannot be forwarded.")
    }
  }
}

extension HTTPResponder {
  /// The default: this responder.
  package func responder(for request: HTTPRequest) -> any HTTPResponder { self }
  /// The default: the transport's own limit.
  package func bodyLimit(for request: HTTPRequest) -> HTTPBodyLimit? { nil }
  /// The default: every client may send large bodies.
  package func caller(of request: HTTPRequest, on loop: TransportLoop) -> HTTPBodyCaller { .known }
  /// The default: every body is read as it arrives.
  package func admission(of request: HTTPRequest, waits: Int, on loop: TransportLoop) -> HTTPBodyAdmission { .now }
}
