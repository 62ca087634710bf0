import HearthIdentity
import HearthTransport
import NIOCore

/// A request at a path of the identity endpoints or their pages.
struct RoutedIdentityResponder: HTTPResponder {
  let identity: IdentityResponder
  /// The request's head.
  let head: HTTPRequest
  /// The rows of the identity endpoints' table that match the request.
  let match: IdentityRouter.Match

  func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse> {
    identity.respond(to: request, at: match, on: loop)
  }

  func response(to failure: HTTPFailure, for request: HTTPRequest?) -> HTTPResponse {
    identity.response(to: failure, for: request ?? head, at: match)
  }

  func bodyLimit(for request: HTTPRequest) -> HTTPBodyLimit? { identity.bodyLimit(for: request, at: match) }

  func caller(of request: HTTPRequest, on loop: TransportLoop) -> HTTPBodyCaller {
    identity.caller(of: request, at: match)
  }
}
