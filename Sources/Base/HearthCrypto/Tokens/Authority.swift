/// The authority of a caller: computed once, when a credential is verified, and compared with the ``Requirement`` of
/// every route and operation.
public enum Authority: Sendable, Equatable {
  /// The operator, with the token in the data folder, or a token that was created with the folder's keys. The name is
  /// for the audit trail.
  case `operator`(name: String)
  /// A console session of an administrator. `isPresent` is true when the user has confirmed to be present within the
  /// time that the console's limits define.
  case consoleAdministrator(session: UInt64, isPresent: Bool)
  /// A console session of a viewer, who reads everything and changes nothing.
  case consoleViewer(session: UInt64)
  /// A back-end program with a service account's access token of these scopes.
  case serviceAccount(email: String, scopes: AdminScopes)
  /// A database secret, or an administrator's token that was signed with one.
  case databaseSecret
  /// An emulator's client that claims to be the owner; only from this machine.
  case emulatorOwner
  /// A signed-in user: their rights are decided by security rules and by the proofs in a request.
  case user
  /// A signed-out client.
  case signedOut

  /// True when the caller's reads and writes bypass security rules.
  public var bypassesRules: Bool { verdict(on: .changeDatabases) == .granted }

  /// True when the caller may change nothing.
  public var isReadOnly: Bool { if case .consoleViewer = self { true } else { false } }

  /// The administrator's name for the audit trail; nil for users and signed-out clients.
  public var administratorName: String? {
    switch self {
    case .operator(let name): name
    case .consoleAdministrator(let session, _), .consoleViewer(let session): "console session \(session)"
    case .serviceAccount(let email, _): email
    case .databaseSecret: "database-secret"
    case .emulatorOwner: "emulator-owner"
    case .user, .signedOut: nil
    }
  }
}

/// A right that a caller has by its ``Authority``, in addition to those that security rules and its own account give
/// it.
public enum Permission: String, Sendable, CaseIterable {
  /// Reads data regardless of the rules, and records about databases: rules, history, denials, receipts, triggers,
  /// metrics.
  case readDatabases
  /// Reads past data, and evaluates what a user could read at that time.
  case readPast
  /// Writes data regardless of the rules; creates databases; changes settings, triggers and staged rules.
  case changeDatabases
  /// Puts rules in force.
  case deployRules
  /// Removes a database.
  case deleteDatabase
  /// Reads accounts, tenants and the settings of sign-in.
  case readUsers
  /// Changes accounts without giving access; reads the data of an export, including hashes.
  case changeUsers
  /// Gives access: accounts, claims, passwords, links, addresses, factors, providers, tenants.
  case giveAccess
  /// Removes accounts and tenants.
  case deleteUsers
  /// Reads the state of the server: status, audit trail, names of keys and service accounts, plugins, the cluster.
  case readServer
  /// Ends sessions and connections.
  case endSessions
  /// Creates and revokes credentials and console links, erases, exports hashes, drains a node, reloads plugins.
  case changeServer
}

extension Authority {
  /// The answer to a caller that requests a permission.
  public enum Verdict: Sendable, Equatable {
    /// The permission is granted.
    case granted
    /// The permission is granted once the console's user has confirmed to be present.
    case needsPresence
    /// The authority never has the permission.
    case refused
  }

  /// The table of permissions by authority. It intentionally has no default, so that each new permission must be
  /// decided for every authority.
  public func verdict(on permission: Permission) -> Verdict {
    switch self {
    case .operator, .emulatorOwner: .granted
    case .consoleAdministrator(_, let isPresent): permission.requiresPresence && !isPresent ? .needsPresence : .granted
    case .consoleViewer: permission.isRead ? .granted : .refused
    case .serviceAccount(_, let scopes):
      permission.scope.map { scopes.isSuperset(of: $0) } == true ? .granted : .refused
    case .databaseSecret: permission.scope == .database ? .granted : .refused
    case .user, .signedOut: .refused
    }
  }

  /// True for the operator and for an administrator of the console, even before the administrator has confirmed to be
  /// present.
  public var actsForOperator: Bool { verdict(on: .changeServer) != .refused }

  /// Returns true when a permission is granted now.
  public func allows(_ permission: Permission) -> Bool { verdict(on: permission) == .granted }
}

extension Permission {
  /// The scope of an access token that gives the permission; nil when no service account and no database secret may
  /// have it.
  public var scope: AdminScopes? {
    switch self {
    case .readDatabases, .readPast, .changeDatabases, .deployRules, .deleteDatabase: .database
    case .readUsers, .changeUsers, .giveAccess, .deleteUsers: .identity
    case .readServer, .endSessions, .changeServer: nil
    }
  }

  /// True when the permission changes nothing, so that a console's viewer has it.
  public var isRead: Bool {
    switch self {
    case .readDatabases, .readPast, .readUsers, .readServer: true
    case .changeDatabases, .deployRules, .deleteDatabase, .changeUsers, .giveAccess, .deleteUsers, .endSessions,
      .changeServer:
      false
    }
  }

  /// True when the user of a console session must have confirmed to be present recently.
  public var requiresPresence: Bool {
    switch self {
    case .deployRules, .deleteDatabase, .giveAccess, .deleteUsers, .changeServer: true
    case .readDatabases, .readPast, .changeDatabases, .readUsers, .changeUsers, .readServer, .endSessions: false
    }
  }
}

/// The authority that a route or an operation requires of its caller. Routes and operations declare it in their tables,
/// and it is checked before the handler is called.
public enum Requirement: Sendable, Equatable {
  /// No requirement: the answer is public, or the handler verifies a proof in the request.
  case nothing
  /// Security rules decide, for each location.
  case rules
  /// The client names the project with an API key; administrators of accounts need none. The handler verifies a proof
  /// in the request.
  case apiKey
  /// A program on an emulator's own machine.
  case emulator
  /// A session of the console.
  case consoleSession
  /// A permission of the caller's authority.
  case permission(Permission)
  /// A permission of the caller's authority; a program on an emulator's own machine does not need it.
  case permissionOrEmulator(Permission)
  /// The requirement that each operation behind the route declares.
  case ofItsOperations
}
