import HearthAccounts
import HearthGateway
import HearthTransport
import HearthTree
import NIOCore
import NIOHTTP1

/// What a hosted web app reads to find its project. Everything in it is public, and from the configuration alone.
struct WebAppConfiguration: HTTPResponder {
  static let path = "/__/firebase/init.json"

  let identity: IdentityResponder

  func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse> {
    loop.eventLoop.makeSucceededFuture(configuration(request))
  }

  func response(to failure: HTTPFailure, for request: HTTPRequest?) -> HTTPResponse {
    request.map { identity.response(to: failure, for: $0) } ?? HTTPResponse(failure.explanation.status)
  }

  func bodyLimit(for request: HTTPRequest) -> HTTPBodyLimit? { identity.bodyLimit(for: request) }

  func caller(of request: HTTPRequest, on loop: TransportLoop) -> HTTPBodyCaller { .anonymous }

  private func configuration(_ request: HTTPRequest) -> HTTPResponse {
    guard request.method != .OPTIONS else { return CrossOrigin.preflight(request.headers) }
    let settings = identity.services.accounts.own.configuration
    let origin = settings.publicURL
    let json = JSON.object([
      .init("projectId", .string(settings.projectID)),
      .init("apiKey", .string(settings.apiKeys?.sorted().first ?? settings.projectID)),
      .init("authDomain", .string(origin.split(separator: "/").last.map(String.init) ?? "")),
      .init("databaseURL", .string("\(origin)/?ns=\(identity.services.defaultNamespace)")),
    ])
    let isRead = request.method == .GET || request.method == .HEAD
    return HTTPResponse(
      isRead ? .ok : .methodNotAllowed,
      headers: IdentityResponder.headers(
        request, id: identity.requestIDs.next(), cacheControl: isRead ? "public, max-age=300" : "no-store"),
      body: ByteBuffer(bytes: isRead ? json.text() : Array("{}".utf8)))
  }
}
