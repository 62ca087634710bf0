/// A requester of a transaction, the same for each of its attempts.
struct TurnRequester: Sendable {
  /// A user, as identified by the credential.
  struct User: Hashable, Sendable {
    /// The user ID; nil when signed out.
    var uid: String?
    var isAdministrator = false
  }

  /// The connection; nil for a request over HTTP, which may use any connection. Requests of one user share their turns.
  let connection: ConnectionID?
  /// The user of the present attempt.
  let user: User

  init(_ command: Command, as principal: Principal) {
    connection = command.principal == nil ? command.connection : nil
    user = User(uid: principal.uid, isAdministrator: principal.isAdministrator)
  }

  /// Creates the requester for a connection, whose user does not matter.
  init(_ connection: ConnectionID) {
    self.connection = connection
    user = User()
  }
}

/// Equality: a connection remains the same requester when another user signs in on it.
extension TurnRequester: Equatable {
  static func == (a: TurnRequester, b: TurnRequester) -> Bool {
    a.connection == b.connection && (a.connection != nil || a.user == b.user)
  }
}
