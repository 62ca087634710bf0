import HearthCrypto

/// A session of the console, with its remaining time.
package struct ConsoleSession: Sendable, Equatable {
  /// The session's id inside of the server; no credential.
  package var id: UInt64
  /// The session's permissions.
  package var role: ConsoleRole
  /// The name of the user or link that opened it, for display and the audit trail.
  package var name: String
  /// The user whose claim opened it; nil for a link.
  package var user: ConsoleUser?
  /// The seconds until it ends in any case.
  package var endsInSeconds: Int64
  /// The seconds until it ends unless it is used.
  package var idleSeconds: Int64
  /// True when its user has recently proved to be present.
  package var isPresent: Bool

  /// The uid of the user whose claim opened it; nil for a link.
  package var uid: String? { user?.uid }

  /// The person behind the session, with whose other sessions it shares limits.
  package var person: ConsolePerson { ConsolePerson(uid: uid, name: name) }
}

/// The user whose claim opened a session, with the credential that proved it.
package struct ConsoleUser: Sendable, Equatable {
  /// The user's id.
  package var uid: String
  /// The generation of the user's tokens then. Signing out everywhere, disabling and deleting raise it, so that the
  /// session ends with it.
  package var generation: Int64
  /// The id of the key that signed the ID token; nil for a token without one.
  package var keyID: String?

  /// Creates the user of a session.
  package init(uid: String, generation: Int64, keyID: String? = nil) {
    (self.uid, self.generation, self.keyID) = (uid, generation, keyID)
  }
}

/// A person of whom several sessions may be open: an account, or the name that a link was made for.
package struct ConsolePerson: Sendable, Hashable {
  /// The account; nil for a link.
  package var uid: String?
  /// The name of the account or of the link.
  package var name: String

  /// Creates the person of an account, or of a link when there is no `uid`.
  package init(uid: String?, name: String) { (self.uid, self.name) = (uid, name) }
}

/// The browser's secrets of a session: two halves, each useless alone.
package struct ConsoleSecrets: Sendable, Equatable {
  /// The cookie, which the browser sends by itself, and scripts cannot read.
  package var cookie: String
  /// The token, which the page stores for one origin and sends.
  package var token: String
}

/// The owner of a credential for the socket.
package struct ConsoleCredential: Sendable, Equatable {
  /// The session that it was made in, and ends with.
  package var session: UInt64
  /// The session's permissions.
  package var role: ConsoleRole
  /// The seconds until it expires.
  package var endsInSeconds: Int64
}
