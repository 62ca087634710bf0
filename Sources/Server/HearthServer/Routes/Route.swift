import HearthCrypto
import HearthTransport
import NIOHTTP1

/// A row of the list of routes: the requests that it is for, what they need, and the responder that answers them.
struct Route: Sendable {
  /// Where requests come in.
  enum Listener: String, Sendable, CaseIterable {
    /// The port, for everybody whom the network lets through.
    case port
    /// The Unix socket in the data folder, for commands of the folder's owner.
    case folder
    /// The address that the console has for itself, if it has one.
    case console
  }

  let name: String
  let listeners: Set<Listener>
  /// What a request needs of its caller, by its method.
  let requirement: @Sendable (HTTPMethod) -> Requirement
  /// The responder for a request; nil when the row is not for it. What was found out about the request on the way goes along
  /// in the responder.
  let responder: @Sendable (RoutedRequest) -> (any HTTPResponder)?

  /// A row whose requests need nothing here: its answers are public, or each operation behind it declares what it needs.
  init(
    _ name: String, on listeners: Set<Listener>, needs requirement: OpenRequirement,
    answeredBy responder: @escaping @Sendable (RoutedRequest) -> (any HTTPResponder)?
  ) {
    self.name = name
    self.listeners = listeners
    self.requirement = { _ in requirement.requirement }
    self.responder = responder
  }

  /// A row whose requests are held against what they need before its responder sees them.
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
  /// What a row may declare whose requests are not checked by the list.
  enum OpenRequirement: Sendable {
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
