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
  package var uid: String?
  /// The seconds until it ends in any case.
  package var endsInSeconds: Int64
  /// The seconds until it ends unless it is used.
  package var idleSeconds: Int64
  /// True when its user has recently proved to be present.
  package var isPresent: Bool
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
