import HearthCrypto

/// Who a session of the console is, and what is left of it.
package struct ConsoleSession: Sendable, Equatable {
  /// Counts up; names the session inside of the server, and opens nothing.
  package var id: UInt64
  /// What it may do.
  package var role: ConsoleRole
  /// Who opened it, for people and the audit trail.
  package var name: String
  /// The user whose claim opened it; nil for a link.
  package var uid: String?
  /// Seconds until it ends, whatever is done.
  package var endsInSeconds: Int64
  /// Seconds until it ends unless it is used.
  package var idleSeconds: Int64
  /// True when it was shown a short time ago that whoever opened it is still there.
  package var isPresent: Bool
}

/// What a browser keeps of a session: two halves, neither of which opens anything alone.
package struct ConsoleSecrets: Sendable, Equatable {
  /// Sent by the browser by itself, and out of reach of scripts.
  package var cookie: String
  /// Kept for one origin, and sent by the page.
  package var token: String
}

/// Whose a credential for the socket is.
package struct ConsoleCredential: Sendable, Equatable {
  /// The session that it was given out in, and ends with.
  package var session: UInt64
  /// What it may do.
  package var role: ConsoleRole
  /// Seconds until it ends.
  package var endsInSeconds: Int64
}
