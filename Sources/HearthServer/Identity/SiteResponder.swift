import HearthAccounts
import HearthGateway
import HearthIdentity
import HearthTransport
import HearthTree
import NIOCore
import NIOHTTP1

/// Everything that the port answers beside sockets: the identity interface, the pages behind mailed links, the long polls
/// of browsers without a socket, and the database's REST interface for all that is left.
struct SiteResponder: HTTPResponder {
  let rest: RESTResponder
  let identity: IdentityResponder
  let pages: ActionPages

  private enum Place {
    case identity
    case page
    case configuration
    case poll
    case database
  }

  func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse> {
    switch place(of: request) {
    case .database: return rest.respond(to: request, on: loop)
    case .page: return pages.respond(to: request, on: loop)
    case .poll: return PollResponder(services: rest.services).respond(to: request, on: loop)
    case .configuration: return loop.eventLoop.makeSucceededFuture(configuration(request))
    case .identity:
      if request.method == .OPTIONS {
        return loop.eventLoop.makeSucceededFuture(CrossOrigin.preflight(request.headers))
      }
      return identity.respond(to: request, on: loop).hop(to: loop.eventLoop).flatMap { response in
        if let response { return loop.eventLoop.makeSucceededFuture(response) }
        return rest.respond(to: request, on: loop)
      }
    }
  }

  func response(to failure: HTTPFailure, for request: HTTPRequest?) -> HTTPResponse {
    guard let request else { return rest.response(to: failure, for: nil) }
    switch place(of: request) {
    case .database: return rest.response(to: failure, for: request)
    case .page: return pages.response(to: failure)
    case .poll: return PollResponder.refusal(failure.explanation.status)
    case .identity, .configuration: return identity.response(to: failure, for: request)
    }
  }

  func bodyLimit(for request: HTTPRequest) -> HTTPBodyLimit? {
    switch place(of: request) {
    case .database: nil
    case .poll: HTTPBodyLimit(bytesMax: 4 << 10) { PollResponder.refusal(.payloadTooLarge) }
    case .identity, .page, .configuration: identity.bodyLimit(for: request)
    }
  }

  func caller(of request: HTTPRequest, on loop: TransportLoop) -> HTTPBodyCaller {
    switch place(of: request) {
    case .database: rest.caller(of: request, on: loop)
    case .identity: identity.caller(of: request)
    case .poll, .page, .configuration: .anonymous
    }
  }

  private func place(of request: HTTPRequest) -> Place {
    let path = request.path
    if path == Self.configurationPath { return .configuration }
    if path == PollResponder.path { return .poll }
    if ActionPages.paths.contains(path) { return .page }
    return IdentityRouter.claims(path: path, host: request.hostName) ? .identity : .database
  }
}

// MARK: The web app's configuration

extension SiteResponder {
  static let configurationPath = "/__/firebase/init.json"

  /// What a hosted web app reads to find its project. Everything in it is public, and from the configuration alone.
  private func configuration(_ request: HTTPRequest) -> HTTPResponse {
    guard request.method != .OPTIONS else { return CrossOrigin.preflight(request.headers) }
    let settings = identity.services.accounts.configuration
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
