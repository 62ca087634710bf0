extension Ticket.Purpose {
  /// The lifetime of a ticket.
  package var lifetimeSeconds: Int64 {
    switch self {
    case .resetPassword: 3_600
    case .verifyEmail, .verifyAndChangeEmail: 3 * 86_400
    // A code that signs a user in is short-lived, and the user waits for the mail.
    case .emailSignIn: 600
    // An owner whose address was removed from an account may not read their mail for weeks.
    case .recoverEmail, .revertSecondFactor, .revertChange: 30 * 86_400
    case .pendingSecondFactor, .factorEnrolment, .pendingIdentity, .phoneProof: 600
    // Six digits can be guessed, and the user waits for the message.
    case .phoneSignIn, .phoneEnrolment, .phoneSecondFactor: 300
    // Longer than the lifetime of the marked code.
    case .redeemedCode: 1_800
    // Longer than the challenge's own lifetime.
    case .usedChallenge: 60
    }
  }

  /// The name of the purpose in action links; nil for a purpose that is not mailed.
  public var linkMode: String? {
    switch self {
    case .resetPassword: "resetPassword"
    case .verifyEmail: "verifyEmail"
    case .verifyAndChangeEmail: "verifyAndChangeEmail"
    case .emailSignIn: "signIn"
    case .recoverEmail: "recoverEmail"
    case .revertSecondFactor: "revertSecondFactorAddition"
    case .revertChange: "revertChange"
    case .pendingSecondFactor, .factorEnrolment, .pendingIdentity, .redeemedCode: nil
    case .phoneSignIn, .phoneProof, .phoneEnrolment, .phoneSecondFactor, .usedChallenge: nil
    }
  }
}

extension Set<Ticket.Purpose> {
  /// The tickets that a change of password or address ends: all but the codes that revert a change. Those exist for the
  /// case that an attacker made the change.
  static var endedByChange: Set<Ticket.Purpose> {
    Set(Ticket.Purpose.allCases).subtracting(.reversalCodes)
  }

  /// The tickets that a signed-in user or a pending sign-in requested; they become invalid when the user's tokens are revoked.
  /// Codes to the account's own address stay valid.
  static let endedByRevocation: Set<Ticket.Purpose> = [
    .verifyAndChangeEmail, .factorEnrolment, .pendingSecondFactor, .phoneEnrolment, .phoneSecondFactor,
  ]
}

extension Ticket {
  /// The number of failed attempts after which a ticket is invalid.
  static let failedAttemptsMax: Int64 = 5

  /// Returns true when the ticket has expired.
  package func isExpired(nowSeconds: Int64) -> Bool { nowSeconds >= expiresAtSeconds }
}
