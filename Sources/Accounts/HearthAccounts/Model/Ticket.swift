/// A short-lived right that was handed out as a random text: a code in a mail, a pending sign-in, an enrolment under
/// way. Kept under the text's SHA-256.
public struct Ticket: Sendable, Equatable {
  /// What a ticket is for. The texts are stored, and shown to clients; they are never renamed.
  package enum Purpose: String, Sendable, CaseIterable {
    case resetPassword = "PASSWORD_RESET"
    case verifyEmail = "VERIFY_EMAIL"
    case verifyAndChangeEmail = "VERIFY_AND_CHANGE_EMAIL"
    case emailSignIn = "EMAIL_SIGNIN"
    case recoverEmail = "RECOVER_EMAIL"
    /// Takes away the second factor that was just added.
    case revertSecondFactor = "REVERT_SECOND_FACTOR_ADDITION"
    /// Takes another change of what proves a person back.
    case revertChange = "REVERT_CHANGE"
    /// The first factor was right; the second is awaited.
    case pendingSecondFactor
    /// A TOTP secret was shown; its first code is awaited.
    case factorEnrolment
    /// A provider identity that was not linked because the address belongs to somebody.
    case pendingIdentity
    /// A code of a provider that was redeemed: it is not shown to the provider again.
    case redeemedCode
    /// A code was sent to a phone whose number signs in, or becomes that of who is signed in.
    case phoneSignIn
    /// A number was proven that belongs to another account.
    case phoneProof
    /// A code was sent to a phone that becomes a second factor.
    case phoneEnrolment
    /// A code was sent to a phone that is the second factor of a sign-in under way.
    case phoneSecondFactor
    /// A challenge for a passkey that was answered: no other answer to it is taken.
    case usedChallenge
  }

  /// What it is for.
  package var purpose: Purpose
  /// Nil for an e-mail sign-in of an address without an account.
  public var uid: String?
  /// The account's address when the ticket was made, in canonical form. It dies when the address changes.
  public var email: String?
  /// For a change of address.
  public var newEmail: String?
  /// The number that a code was sent to, in E.164.
  public var phoneNumber: String?
  /// When it was made, in seconds since 1970.
  public var createdAtSeconds: Int64
  /// When it ends, in seconds since 1970.
  public var expiresAtSeconds: Int64
  /// Wrong tries so far, counted before comparing.
  public var failedTries: Int64 = 0
  /// What else the purpose needs: the text of a JSON object.
  public var details: String?

  /// A ticket that nobody has tried yet.
  package init(purpose: Purpose, uid: String?, email: String?, createdAtSeconds: Int64, expiresAtSeconds: Int64) {
    self.purpose = purpose
    self.uid = uid
    self.email = email
    self.createdAtSeconds = createdAtSeconds
    self.expiresAtSeconds = expiresAtSeconds
  }
}
