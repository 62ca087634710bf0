import HearthCrypto

/// The tokens of a completed sign-in.
package struct TokenTriple: Sendable, Redacted {
  /// The signed token that opens data.
  package let idToken: String
  /// The secret that gets the next one.
  package let refreshToken: String
  /// Seconds that the ID token lives; the protocol shows them as a string.
  package let expiresInSeconds: Int64
}

extension RefreshToken: Redacted {}

/// A signed-in user.
package struct SignedIn: Sendable, Redacted {
  /// The account as it is stored.
  package let user: UserRecord
  /// The tokens of the session that has begun.
  package let tokens: TokenTriple
  /// The account was made just now.
  package let isNew: Bool
}
