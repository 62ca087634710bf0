import HearthTransport
import NIOCore
import NIOHTTP1

/// Requests at the paths of the identity endpoints, those of browsers that ask for permission among them.
struct IdentityDoor: HTTPResponder {
  let identity: IdentityResponder
  /// Answers what the accounts do not serve after all.
  let otherwise: any HTTPResponder

  func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse> {
    if request.method == .OPTIONS {
      return loop.eventLoop.makeSucceededFuture(CrossOrigin.preflight(request.headers))
    }
    return identity.respond(to: request, on: loop).hop(to: loop.eventLoop).flatMap { response in
      if let response { return loop.eventLoop.makeSucceededFuture(response) }
      return otherwise.respond(to: request, on: loop)
    }
  }

  func response(to failure: HTTPFailure, for request: HTTPRequest?) -> HTTPResponse {
    request.map { identity.response(to: failure, for: $0) } ?? HTTPResponse(failure.explanation.status)
  }

  func bodyLimit(for request: HTTPRequest) -> HTTPBodyLimit? { identity.bodyLimit(for: request) }

  func caller(of request: HTTPRequest, on loop: TransportLoop) -> HTTPBodyCaller { identity.caller(of: request) }
}
