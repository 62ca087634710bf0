import HearthCrypto

/// What a completed sign-in gives the client.
package struct TokenTriple: Sendable {
  /// What the client shows from now on.
  package var idToken: String
  /// What it gets the next ID token with.
  package var refreshToken: String
  /// How long the ID token counts.
  package var expiresInSeconds: Int64
}

extension TokenTriple: Redacted {}
extension NewSession: Redacted {}
extension RefreshToken: Redacted {}
extension NewCode: Redacted {}
extension ActionLink: Redacted {}
extension AddressRecovery: Redacted {}
extension Accounts.Enrolment: Redacted {}
