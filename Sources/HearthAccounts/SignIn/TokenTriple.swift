import HearthCrypto

/// What a completed sign-in gives the client.
struct TokenTriple: Sendable {
  var idToken: String
  var refreshToken: String
  /// Seconds; the protocol shows them as a string.
  var expiresInSeconds: Int64
}

extension TokenTriple: Redacted {}
extension NewSession: Redacted {}
extension RefreshToken: Redacted {}
extension NewCode: Redacted {}
extension ActionLink: Redacted {}
extension AddressRecovery: Redacted {}
extension Accounts.Enrolment: Redacted {}
