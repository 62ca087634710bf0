import HearthCrypto
import HearthGateway
import HearthIdentity
import HearthTransport
import NIOCore
import NIOHTTP1

/// A responder for administrators' tools whose permission was checked.
protocol AuthorizedResponder: Sendable {
  /// The maximum size of a body.
  var bodyBytesMax: Int { get }

  func respond(
    to request: HTTPRequest, by authority: Authority, from origin: RequestOrigin, on loop: TransportLoop
  ) -> EventLoopFuture<HTTPResponse>
}

extension AuthorizedResponder {
  var bodyBytesMax: Int { 4 << 10 }
}

/// A check of a request's bearer against a permission.
struct PermissionCheck: Sendable {
  let services: GatewayServices

  /// Returns the authority that has the permission, or the refusal.
  func authority(
    of request: HTTPRequest, from origin: RequestOrigin, for permission: Permission
  ) -> Result<Authority, Refusal> {
    let authority = services.authenticator.bearer(of: request, from: origin, now: SystemClock.now).authority
    switch authority.verdict(on: permission) {
    case .granted: return .success(authority)
    case .needsPresence: return .failure(.presence)
    case .refused: return .failure(authority.administratorName == nil ? .unauthorized : .forbidden)
    }
  }

  /// The refusals of unauthorized callers.
  enum Refusal: Error {
    /// The request has no administrator's credential.
    case unauthorized
    /// The administrator's credential lacks the permission.
    case forbidden
    /// The console session lacks a recent proof of presence.
    case presence

    var response: HTTPResponse {
      switch self {
      case .unauthorized: .refusal(.unauthorized, "Unauthorized request.")
      case .forbidden:
        .refusal(.forbidden, "This request needs the server's own token; a service account is not enough.")
      case .presence: .refusal(.preconditionRequired, "Confirm your presence.")
      }
    }
  }
}

/// The permissions that the requests of a route need, by their methods.
struct MethodPermissions: Sendable {
  /// The permission for GET.
  let reading: Permission
  /// The permission for every other method.
  let changing: Permission

  /// The permissions to read the server's state, and to change it.
  static let server = MethodPermissions(reading: .readServer, changing: .changeServer)
  /// The permission to change the server, for every method.
  static let serverChange = MethodPermissions(reading: .changeServer, changing: .changeServer)

  func permission(for method: HTTPMethod) -> Permission { method == .GET ? reading : changing }
}

/// A responder that passes on requests whose bearer has the required permission, and refuses the others.
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
