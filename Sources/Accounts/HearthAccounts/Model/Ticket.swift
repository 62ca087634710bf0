/// A short-lived capability, issued as a random text: a code in a mail, a pending sign-in, a pending enrolment. Stored
/// under the text's SHA-256.
public struct Ticket: Sendable, Equatable {
  /// The purpose of a ticket. The texts are stored, and shown to clients; they are never renamed.
  package enum Purpose: String, Sendable, CaseIterable {
    case resetPassword = "PASSWORD_RESET"
    case verifyEmail = "VERIFY_EMAIL"
    case verifyAndChangeEmail = "VERIFY_AND_CHANGE_EMAIL"
    case emailSignIn = "EMAIL_SIGNIN"
    case recoverEmail = "RECOVER_EMAIL"
    /// Removes the second factor that was just added.
    case revertSecondFactor = "REVERT_SECOND_FACTOR_ADDITION"
    /// Reverts another change of a user's credentials.
    case revertChange = "REVERT_CHANGE"
    /// The first factor was right; the second is awaited.
    case pendingSecondFactor
    /// A TOTP secret was shown; its first code is awaited.
    case factorEnrolment
    /// A provider identity that was not linked because its address belongs to another account.
    case pendingIdentity
    /// A redeemed code of a provider: it is not shown to the provider again.
    case redeemedCode
    /// A code was sent to a phone number, to sign in with it or to add it to the signed-in user.
    case phoneSignIn
    /// A proven number that belongs to another account.
    case phoneProof
    /// A code was sent to a phone that becomes a second factor.
    case phoneEnrolment
    /// A code was sent to a phone that is the second factor of a sign-in under way.
    case phoneSecondFactor
    /// An answered challenge for a passkey: no other answer to it is accepted.
    case usedChallenge
  }

  /// The purpose.
  package var purpose: Purpose
  /// The user's uid; nil for an e-mail sign-in of an address without an account.
  public var uid: String?
  /// The account's address when the ticket was made, in canonical form. The ticket becomes invalid when the address
  /// changes.
  public var email: String?
  /// The new address of a change.
  public var newEmail: String?
  /// The number that a code was sent to, in E.164.
  public var phoneNumber: String?
  /// The time of creation, in seconds since 1970.
  public var createdAtSeconds: Int64
  /// The end of its validity, in seconds since 1970.
  public var expiresAtSeconds: Int64
  /// The failed attempts so far, counted before comparing.
  public var failedAttempts: Int64 = 0
  /// Further data for the purpose: the text of a JSON object.
  public var details: String?

  /// Creates a ticket without failed attempts.
  package init(purpose: Purpose, uid: String?, email: String?, createdAtSeconds: Int64, expiresAtSeconds: Int64) {
    self.purpose = purpose
    self.uid = uid
    self.email = email
    self.createdAtSeconds = createdAtSeconds
    self.expiresAtSeconds = expiresAtSeconds
  }
}
