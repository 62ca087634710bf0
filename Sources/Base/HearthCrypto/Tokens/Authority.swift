/// The authority of a caller: computed once, where a credential is verified, and held against the ``Requirement`` of
/// every route and operation.
public enum Authority: Sendable, Equatable {
  /// The operator: shows the token of the data folder, or one that was made with the folder's keys. The name is for the
  /// audit trail.
  case `operator`(name: String)
  /// A console session that changes things.
  ///
  /// - `isPresent`: its user was shown to be there a short time ago, as the console's limits say.
  case consoleAdministrator(session: UInt64, isPresent: Bool)
  /// A console session that reads everything and changes nothing.
  case consoleViewer(session: UInt64)
  /// A back-end program with a service account's access token of these scopes.
  case serviceAccount(email: String, scopes: AdminScopes)
  /// A database secret, or a token that one signed for an administrator.
  case databaseSecret
  /// An emulator's client that says it is the owner; from this machine alone.
  case emulatorOwner
  /// A signed-in user: security rules, and the proofs in a request, say what is allowed.
  case user
  /// A signed-out client.
  case signedOut

  /// True when security rules are not asked about what the caller reads and writes.
  public var bypassesRules: Bool { verdict(on: .changeDatabases) == .granted }

  /// True when nothing may be changed.
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

/// A right that a caller has by its ``Authority``, beyond what security rules and its own account give it.
public enum Permission: String, Sendable, CaseIterable {
  /// Reads data past the rules, and what is kept of databases: rules, history, denials, receipts, triggers, metrics.
  case readDatabases
  /// Reads data of the past, also as the rules of then showed it to somebody.
  case readPast
  /// Writes data past the rules; makes databases; changes settings, triggers and staged rules.
  case changeDatabases
  /// Puts rules in force.
  case deployRules
  /// Removes a database.
  case deleteDatabase
  /// Reads accounts, tenants and the settings of sign-in.
  case readUsers
  /// Changes accounts in ways that let nobody in; reads what an export has, hashes among it.
  case changeUsers
  /// Gives a way in: accounts, claims, passwords, links, addresses, factors, providers, tenants.
  case giveAccess
  /// Removes accounts and tenants.
  case deleteUsers
  /// Reads how the server is: status, audit trail, names of keys and service accounts, plugins, the cluster.
  case readServer
  /// Ends sessions and connections.
  case endSessions
  /// Makes and takes away credentials and console links, erases, exports hashes, drains a node, reloads plugins.
  case changeServer
}

extension Authority {
  /// What a caller is answered that asks for a permission.
  public enum Verdict: Sendable, Equatable {
    /// The permission is given.
    case granted
    /// Granted once the console's user has shown to be there.
    case needsPresence
    /// The authority never has it.
    case refused
  }

  /// The table of who may do what. It has no default on purpose: a new permission is decided for each authority.
  public func verdict(on permission: Permission) -> Verdict {
    switch self {
    case .operator, .emulatorOwner: .granted
    case .consoleAdministrator(_, let isPresent): permission.asksPresence && !isPresent ? .needsPresence : .granted
    case .consoleViewer: permission.isRead ? .granted : .refused
    case .serviceAccount(_, let scopes):
      permission.scope.map { scopes.isSuperset(of: $0) } == true ? .granted : .refused
    case .databaseSecret: permission.scope == .database ? .granted : .refused
    case .user, .signedOut: .refused
    }
  }

  /// Returns true when a permission is granted now.
  public func allows(_ permission: Permission) -> Bool { verdict(on: permission) == .granted }
}

extension Permission {
  /// The scope of an access token that gives it; nil for what no service account and no database secret may do.
  public var scope: AdminScopes? {
    switch self {
    case .readDatabases, .readPast, .changeDatabases, .deployRules, .deleteDatabase: .database
    case .readUsers, .changeUsers, .giveAccess, .deleteUsers: .identity
    case .readServer, .endSessions, .changeServer: nil
    }
  }

  /// True when nothing is changed by it, so that a console's viewer has it.
  public var isRead: Bool {
    switch self {
    case .readDatabases, .readPast, .readUsers, .readServer: true
    case .changeDatabases, .deployRules, .deleteDatabase, .changeUsers, .giveAccess, .deleteUsers, .endSessions,
      .changeServer:
      false
    }
  }

  /// True when a console session must have shown a short time ago that its user is there.
  public var asksPresence: Bool {
    switch self {
    case .deployRules, .deleteDatabase, .giveAccess, .deleteUsers, .changeServer: true
    case .readDatabases, .readPast, .changeDatabases, .readUsers, .changeUsers, .readServer, .endSessions: false
    }
  }
}

/// What a route or an operation needs of its caller. Every one declares it, where it is listed, and it is checked there
/// before its handler is called.
public enum Requirement: Sendable, Equatable {
  /// Nothing: the answer is public, or a proof in the request decides.
  case nothing
  /// Nothing by itself: security rules decide on each place.
  case rules
  /// A client names the project with an API key; administrators of accounts need none. A proof in the request decides.
  case apiKey
  /// A program on an emulator's own machine.
  case emulator
  /// A session of the console.
  case consoleSession
  /// A permission of the caller's authority.
  case permission(Permission)
  /// The same; a program on an emulator's own machine needs none.
  case permissionOrEmulator(Permission)
  /// Each operation behind the route declares its own.
  case ofItsOperations
}
