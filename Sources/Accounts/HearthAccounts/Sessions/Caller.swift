import HearthCrypto
import HearthEngine

/// A client that has shown an ID token of ours, and the account behind it.
package struct Caller: Sendable {
  /// As it was when the token was looked at.
  package let user: UserRecord
  /// As tokens show it.
  package let provider: String
  /// Since 1970, of the interactive sign-in.
  package let authTimeSeconds: Int64
  /// Since 1970, of the token.
  package let issuedAtSeconds: Int64
  /// ``TokenCutoff/generation`` of the user when the token was made; nil when it does not say.
  package let generation: Int64?
  /// The enrolment id of the second factor that was shown.
  package let secondFactor: String?
  /// All that the token says. For the claims of its session see ``Sessions/claims(of:)``.
  package let token: ClaimValue

  /// What the provider of the sign-in said of the person, as the token repeats it: the text of a JSON object.
  var signInAttributes: String? { token["firebase"]?["sign_in_attributes"]?.json }

  /// Returns true when the token counts for the account as it is now.
  func check(against user: UserRecord) throws(AccountError) {
    guard !user.isDisabled else { throw AccountError(.userDisabled) }
    guard user.border.admits(generation: generation, issuedAtSeconds: issuedAtSeconds) else {
      throw AccountError(.tokenExpired)
    }
  }

  /// Returns true when a session began with the sign-in that the token is of.
  func owns(_ session: SessionRecord) -> Bool {
    !session.isLegacy && session.authTimeSeconds == authTimeSeconds && session.signInProvider == provider
  }

  /// Returns true when this is the caller's account, and lets them in still.
  func stands(for user: UserRecord) -> Bool {
    user.uid.isSameText(as: self.user.uid) && (try? check(against: user)) != nil
  }
}
