import HearthCrypto
import HearthGateway
import HearthIdentity
import HearthTransport
import NIOCore
import NIOHTTP1

/// Answers administrators' tools that were found to have the permission which their route needs.
protocol AuthorizedResponder: Sendable {
  /// What a body may hold.
  var bodyBytesMax: Int { get }

  func respond(
    to request: HTTPRequest, by authority: Authority, from origin: RequestOrigin, on loop: TransportLoop
  ) -> EventLoopFuture<HTTPResponse>
}

extension AuthorizedResponder {
  var bodyBytesMax: Int { 4 << 10 }
}

/// Holds a request's bearer against a permission.
struct PermissionCheck: Sendable {
  let services: GatewayServices

  /// The authority that has the permission, or the refusal.
  func authority(
    of request: HTTPRequest, from origin: RequestOrigin, for permission: Permission
  ) -> Result<Authority, Refusal> {
    let authority = services.gate.bearer(of: request, from: origin, now: SystemClock.now).authority
    switch authority.verdict(on: permission) {
    case .granted: return .success(authority)
    case .needsPresence: return .failure(.presence)
    case .refused: return .failure(authority.administratorName == nil ? .unauthorized : .forbidden)
    }
  }

  /// The answers to callers who may not.
  enum Refusal: Error {
    /// No administrator's credential came along.
    case unauthorized
    /// An administrator's that does not open this.
    case forbidden
    /// A console session whose user was not shown to be there.
    case presence

    var response: HTTPResponse {
      switch self {
      case .unauthorized: .refusal(.unauthorized, "Unauthorized request.")
      case .forbidden:
        .refusal(.forbidden, "This needs the server's own token; a service account's is not enough.")
      case .presence: .refusal(.preconditionRequired, "Show that you are there.")
      }
    }
  }
}

/// The permissions that the requests of a route need, by their methods.
struct MethodPermissions: Sendable {
  /// For GET.
  let reading: Permission
  /// For every other method.
  let changing: Permission

  /// Reads how the server is, and changes it.
  static let server = MethodPermissions(reading: .readServer, changing: .changeServer)
  /// Changes the server, whatever the method.
  static let serverChange = MethodPermissions(reading: .changeServer, changing: .changeServer)

  func permission(for method: HTTPMethod) -> Permission { method == .GET ? reading : changing }
}

/// Hands requests on whose bearer has the permission that they need, and refuses the others.
struct CheckedResponder: ToolResponder {
  let check: PermissionCheck
  let permissions: MethodPermissions
  let responder: any AuthorizedResponder

  var bodyBytesMax: Int { responder.bodyBytesMax }

  func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse> {
    let origin = check.services.origin(of: request)
    switch check.authority(of: request, from: origin, for: permissions.permission(for: request.method)) {
    case .success(let authority): return responder.respond(to: request, by: authority, from: origin, on: loop)
    case .failure(let refusal): return loop.eventLoop.makeSucceededFuture(refusal.response)
    }
  }
}
