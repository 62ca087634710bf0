import HearthAccounts
import HearthCrypto
import HearthTree

/// An operation of the identity endpoints: the authority that it needs of its caller, its handler, and the requests
/// that ask for it. The table of all is ``IdentityTable``.
package struct IdentityOperation: Sendable {
  /// The accounts that an operation works on.
  enum Scope: Sendable {
    /// Those of the project or tenant that the request names, or of the credential that it shows.
    case named
    /// Those of the project in the path; a tenant in the path is the operation's object.
    case project
    /// Those of the server's own project.
    case server
    /// Those of the server's own project, or of the tenant that the body names.
    case serverOrTenant
  }

  /// The name in metrics.
  package let name: String
  /// The authority that a caller needs.
  package let requirement: Requirement
  let handler: OperationHandler
  /// The requests that ask for it.
  let addresses: [EndpointAddress]
  var scope = Scope.named

  /// The longest body, in bytes.
  var bodyBytesMax = IdentityBody.sizeBytesMax
  /// True when the body may be a form as well as JSON.
  var takesForm = false
  /// Returns the permission that is enough for a request of that body, instead of ``requirement``; `nil` for no other.
  var lesserPermission: (@Sendable (_ body: [UInt8]) -> Permission?)?

  /// The callers that an operation is for.
  package enum Audience: Sendable {
    /// Client and admin SDKs, and other programs.
    case programs
    /// People, in their browsers.
    case people
    /// Pages of web apps that look for their project.
    case webApps
  }

  /// The callers that it is for.
  package var audience: Audience { if case .page(let audience, _) = handler { audience } else { .programs } }

  /// True when it is about the server, and not about a project.
  var isOfServer: Bool { scope == .server || scope == .serverOrTenant }

  /// The operation of a request whose host name is one of Google's, when no row has its path.
  static let unknown = IdentityOperation(name: "unknown", requirement: .nothing, handler: .unknown, addresses: [])
}

extension IdentityOperation {
  /// An operation that reads one JSON object and answers one.
  static func call<Group: EndpointGroup>(
    _ name: String, _ requirement: Requirement,
    _ method: @escaping @Sendable (Group) -> @Sendable (IdentityCall) async throws(AccountError) -> JSON,
    at addresses: [EndpointAddress], scope: Scope = .named
  ) -> IdentityOperation {
    IdentityOperation(
      name: name, requirement: requirement,
      handler: .call { (accounts, call) async throws(AccountError) in try await method(Group(accounts: accounts))(call)
      },
      addresses: addresses, scope: scope)
  }

  /// An operation of 2.x clients.
  static func legacy<Group: EndpointGroup>(
    _ name: String, _ requirement: Requirement,
    _ method:
      @escaping @Sendable (Group) -> @Sendable (LegacyRequest) async throws(AccountError) -> Result<JSON, LegacyError>,
    at addresses: [EndpointAddress]
  ) -> IdentityOperation {
    IdentityOperation(
      name: name, requirement: requirement,
      handler: .legacy { (accounts, request) async throws(AccountError) in
        try await method(Group(accounts: accounts))(request)
      }, addresses: addresses)
  }

  /// A page, or a file that a page reads.
  static func page(
    _ name: String, _ requirement: Requirement, for audience: Audience = .people,
    _ show: @escaping @Sendable (IdentityEndpoints, IdentityRequest) async -> IdentityResponse,
    at addresses: [EndpointAddress]
  ) -> IdentityOperation {
    IdentityOperation(name: name, requirement: requirement, handler: .page(audience, show), addresses: addresses)
  }

  /// A document that is public and may be cached.
  static func published(
    _ name: String, _ requirement: Requirement, _ body: @escaping @Sendable (Accounts) -> [UInt8],
    at addresses: [EndpointAddress]
  ) -> IdentityOperation {
    IdentityOperation(name: name, requirement: requirement, handler: .published(body), addresses: addresses)
  }

  /// A part of the protocol that is not served here.
  static func unserved(
    _ name: String, _ requirement: Requirement, _ what: String, at addresses: [EndpointAddress]
  ) -> IdentityOperation {
    IdentityOperation(name: name, requirement: requirement, handler: .unserved(what), addresses: addresses)
  }

  /// Returns a copy of the operation with one property changed.
  func with<Value>(_ property: WritableKeyPath<IdentityOperation, Value>, _ value: Value) -> IdentityOperation {
    var operation = self
    operation[keyPath: property] = value
    return operation
  }
}
