import HearthCrypto

/// The tokens of a completed sign-in.
package struct TokenTriple: Sendable, Redacted {
  /// The signed token for requests.
  package let idToken: String
  /// The secret for the next refresh.
  package let refreshToken: String
  /// The lifetime of the ID token in seconds; the protocol shows it as a string.
  package let expiresInSeconds: Int64
}

extension RefreshToken: Redacted {}

/// A signed-in user.
package struct SignInResult: Sendable, Redacted {
  /// The account as it is stored.
  package let user: UserRecord
  /// The tokens of the session that has begun.
  package let tokens: TokenTriple
  /// True when the account was created with this sign-in.
  package let isNew: Bool
}
