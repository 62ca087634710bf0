import HearthCrypto

/// What a completed sign-in gives the client.
package struct TokenTriple: Sendable, Redacted {
  /// The signed token that opens data.
  package let idToken: String
  /// The secret that gets the next one.
  package let refreshToken: String
  /// Seconds that the ID token lives; the protocol shows them as a string.
  package let expiresInSeconds: Int64
}

extension RefreshToken: Redacted {}

/// Somebody who is in.
package struct SignedIn: Sendable, Redacted {
  /// The account as it is stored.
  package let user: UserRecord
  /// Of the session that has begun.
  package let tokens: TokenTriple
  /// The account was made just now.
  package let isNew: Bool
}
