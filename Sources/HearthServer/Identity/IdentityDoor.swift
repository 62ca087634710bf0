import HearthIdentity
import HearthTransport
import NIOCore
import NIOHTTP1

/// Requests at the paths of the identity endpoints and their pages.
struct IdentityDoor: HTTPResponder {
  let identity: IdentityResponder
  /// Answers what is no path of theirs.
  let otherwise: any HTTPResponder

  /// The rows of the identity endpoints' table that a request is for; nil when there are none.
  static func match(_ request: HTTPRequest) -> IdentityRouter.Match? {
    IdentityRouter.match(path: request.path, host: request.hostName)
  }

  func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse> {
    guard let match = Self.match(request) else { return otherwise.respond(to: request, on: loop) }
    return identity.respond(to: request, at: match, on: loop)
  }

  func response(to failure: HTTPFailure, for request: HTTPRequest?) -> HTTPResponse {
    guard let request, let match = Self.match(request) else { return otherwise.response(to: failure, for: request) }
    return identity.response(to: failure, for: request, at: match)
  }

  func bodyLimit(for request: HTTPRequest) -> HTTPBodyLimit? {
    Self.match(request).map { identity.bodyLimit(for: request, at: $0) }
  }

  func caller(of request: HTTPRequest, on loop: TransportLoop) -> HTTPBodyCaller {
    Self.match(request).map { identity.caller(of: request, at: $0) } ?? otherwise.caller(of: request, on: loop)
  }
}
