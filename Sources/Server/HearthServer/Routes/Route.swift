import HearthCrypto
import HearthTransport
import NIOHTTP1

/// A row of the list of routes: the requests that it matches, the permission that they need, and their responder.
struct Route: Sendable {
  /// A listener of the server.
  enum Listener: String, Sendable, CaseIterable {
    /// The port, for every client that the network admits.
    case port
    /// The Unix socket in the data folder, for commands of the folder's owner.
    case folder
    /// The separate address of the console, if it has one.
    case console
  }

  let name: String
  let listeners: Set<Listener>
  /// Returns the requirement of a request by its method.
  let requirement: @Sendable (HTTPMethod) -> Requirement
  /// The responder for a request; nil when the row is not for it. The responder may keep what the match has found out about the
  /// request.
  let responder: @Sendable (RoutedRequest) -> (any HTTPResponder)?

  /// Creates a row without a check: its responses are public, or each operation behind it declares its requirement.
  init(
    _ name: String, on listeners: Set<Listener>, needs requirement: UncheckedRequirement,
    answeredBy responder: @escaping @Sendable (RoutedRequest) -> (any HTTPResponder)?
  ) {
    self.name = name
    self.listeners = listeners
    self.requirement = { _ in requirement.requirement }
    self.responder = responder
  }

  /// Creates a row whose requests are checked before its responder gets them.
  init(
    _ name: String, on listeners: Set<Listener>, needs permissions: MethodPermissions, checkedBy check: PermissionCheck,
    answeredBy responder: @escaping @Sendable (String) -> (any AuthorizedResponder)?
  ) {
    self.name = name
    self.listeners = listeners
    requirement = { .permission(permissions.permission(for: $0)) }
    self.responder = { request in
      responder(request.path).map { CheckedResponder(check: check, permissions: permissions, responder: $0) }
    }
  }
}

extension Route {
  /// The requirement that a row may declare when the list does not check its requests.
  enum UncheckedRequirement: Sendable {
    case nothing
    case emulator
    case ofItsOperations

    fileprivate var requirement: Requirement {
      switch self {
      case .nothing: .nothing
      case .emulator: .emulator
      case .ofItsOperations: .ofItsOperations
      }
    }
  }
}
