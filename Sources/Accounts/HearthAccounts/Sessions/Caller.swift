import HearthCrypto
import HearthEngine

/// A client with a valid ID token of this server, and its account.
package struct Caller: Sendable {
  /// The account as it was when the token was verified.
  package let user: UserRecord
  /// The provider's id, as tokens show it.
  package let provider: String
  /// The time of the interactive sign-in, since 1970.
  package let authTimeSeconds: Int64
  /// The time of the token's issue, since 1970.
  package let issuedAtSeconds: Int64
  /// The ``TokenCutoff/generation`` of the user when the token was issued; nil for a token without one.
  package let generation: Int64?
  /// The enrolment id of the second factor that was shown.
  package let secondFactor: String?
  /// The token's content. For the claims of its session see ``Sessions/claims(of:)``.
  package let token: ClaimValue

  /// The attributes of the user from the sign-in's provider, as the token repeats them: the text of a JSON object.
  var signInAttributes: String? { token["firebase"]?["sign_in_attributes"]?.json }

  /// Checks that the token is valid for the account as it is now.
  func check(against user: UserRecord) throws(AccountError) {
    guard !user.isDisabled else { throw AccountError(.userDisabled) }
    guard user.cutoff.admits(generation: generation, issuedAtSeconds: issuedAtSeconds) else {
      throw AccountError(.tokenExpired)
    }
  }

  /// Returns true when the session began with the token's sign-in.
  func owns(_ session: SessionRecord) -> Bool {
    !session.isLegacy && session.authTimeSeconds == authTimeSeconds && session.signInProvider == provider
  }

  /// Returns true when the account is the caller's, and the token is still valid for it.
  func isValid(for user: UserRecord) -> Bool {
    user.uid.isSameText(as: self.user.uid) && (try? check(against: user)) != nil
  }
}
