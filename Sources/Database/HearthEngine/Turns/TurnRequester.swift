/// Who tries a transaction: whoever is answered to be late tries again as the same requester.
struct TurnRequester: Sendable {
  /// A user, as far as the credential says who it is.
  struct User: Hashable, Sendable {
    /// nil when signed out.
    var uid: String?
    var isAdministrator = false
  }

  /// nil for a request over HTTP: that may come over any connection. Requests of one user share their turns.
  let connection: ConnectionID?
  /// As whom it tries now.
  let user: User

  init(_ command: Command, as principal: Principal) {
    connection = command.principal == nil ? command.connection : nil
    user = User(uid: principal.uid, isAdministrator: principal.isAdministrator)
  }

  /// The connection, whoever its user is.
  init(_ connection: ConnectionID) {
    self.connection = connection
    user = User()
  }
}

/// A connection is the same requester when another user signs in there.
extension TurnRequester: Equatable {
  static func == (a: TurnRequester, b: TurnRequester) -> Bool {
    a.connection == b.connection && (a.connection != nil || a.user == b.user)
  }
}
