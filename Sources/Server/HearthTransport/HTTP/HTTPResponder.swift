import NIOCore
import NIOHTTP1

/// Answers requests. The transport calls it on the connection's event loop, one request of a connection at a time.
package protocol HTTPResponder: Sendable {
  /// The responder that answers a request, by its head; asked once for each request.
  func responder(for request: HTTPRequest) -> any HTTPResponder

  /// The future may be completed from any thread. Until it is, the connection's next request waits.
  func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse>

  /// The answer to what the transport itself refuses.
  ///
  /// - Parameter request: as far as it had arrived; nil when its head could not be read.
  func response(to failure: HTTPFailure, for request: HTTPRequest?) -> HTTPResponse

  /// A tighter limit on the request's body than the transport's own; asked when the head is there.
  func bodyLimit(for request: HTTPRequest) -> HTTPBodyLimit?

  /// Who sends a large body; asked on the connection's event loop before it is read, with the request's head.
  func caller(of request: HTTPRequest, on loop: TransportLoop) -> HTTPBodyCaller

  /// The time at which the rest of a body is read that is not small; asked on the connection's event loop with the request's
  /// head.
  ///
  /// - Parameter waits: the number of times that the request has waited already.
  func admission(of request: HTTPRequest, waits: Int, on loop: TransportLoop) -> HTTPBodyAdmission
}

/// The time at which a body is read that is not small. Until then it stays with its client.
package enum HTTPBodyAdmission: Sendable {
  case now
  /// It is asked again after so many milliseconds.
  case later(milliseconds: Int64)
  /// Never: the request is answered so.
  case refused(HTTPResponse)
}

/// Who sends a large body.
package enum HTTPBodyCaller: Sendable {
  /// Somebody whose credential counts.
  case known
  /// No credential was shown.
  case anonymous
  /// Somebody to whom the request will be refused in any case: with this answer.
  case refused(HTTPResponse)
}

/// The number of bytes that a request's body may have, and what is answered to a longer one.
package struct HTTPBodyLimit: Sendable {
  var bytesMax: Int
  var response: @Sendable () -> HTTPResponse

  /// - Parameter response: made for each request that is over the limit.
  package init(bytesMax: Int, response: @escaping @Sendable () -> HTTPResponse) {
    self.bytesMax = bytesMax
    self.response = response
  }
}

/// Why the transport did not pass a request on, or another node of a cluster gave no answer to it.
package enum HTTPFailure: Sendable, Equatable {
  /// Not HTTP/1, or a request that could be read in two ways.
  case malformed
  /// The target or the headers are over their limit.
  case headTooLong
  /// The body is over its limit.
  case bodyTooLong
  /// What clients make the server hold is over its limit, and this request is the one to go.
  case overloaded
  /// The body is larger than any that is taken without a credential.
  case bodyNeedsCredential
  /// The request did not arrive in time.
  case timeout
  /// A WebSocket handshake of another version, or with a broken key.
  case badUpgrade
  /// The responder failed.
  case internalError
  /// The node that answers such requests is not known, or not reached. Nothing was done.
  case unreachable
  /// No answer came from the node that was handed the request. Whether it was carried out is not known.
  case outcomeUnknown
  /// The request was carried out, and the answer is none that a node hands to another.
  case unrelayable
}

extension HTTPFailure {
  /// The status that fits, and a sentence for the client.
  package var explanation: (status: HTTPResponseStatus, text: String) {
    switch self {
    case .malformed: (.badRequest, "The request is not valid HTTP/1.1.")
    case .headTooLong: (.requestHeaderFieldsTooLarge, "The request's target or headers are too long.")
    case .bodyTooLong:
      (.payloadTooLarge, "The request's body is too long.")
    case .overloaded:
      (.serviceUnavailable, "The server has no memory left for so large or slow a request. Try again later.")
    case .bodyNeedsCredential: (.unauthorized, "Unauthorized request: so large a body needs a credential.")
    case .timeout: (.requestTimeout, "The request did not arrive in time, or its body came too slowly.")
    case .badUpgrade: (.upgradeRequired, "The server speaks WebSocket version 13.")
    case .internalError: (.internalServerError, "Internal server error.")
    case .unreachable:
      (.serviceUnavailable, "The node of the cluster that answers this is not reached. Try again.")
    case .outcomeUnknown:
      (
        .serviceUnavailable,
        "No answer came from the node of the cluster that was asked: the request may have been carried out."
      )
    case .unrelayable:
      (.badGateway, "The node of the cluster that was asked has an answer that it cannot hand on.")
    }
  }
}

extension HTTPResponder {
  /// This responder.
  package func responder(for request: HTTPRequest) -> any HTTPResponder { self }
  /// None but the transport's own.
  package func bodyLimit(for request: HTTPRequest) -> HTTPBodyLimit? { nil }
  /// Everybody may send large bodies.
  package func caller(of request: HTTPRequest, on loop: TransportLoop) -> HTTPBodyCaller { .known }
  /// Every body is read as it comes.
  package func admission(of request: HTTPRequest, waits: Int, on loop: TransportLoop) -> HTTPBodyAdmission { .now }
}
