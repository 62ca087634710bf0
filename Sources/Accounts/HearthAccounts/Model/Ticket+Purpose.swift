extension Ticket.Purpose {
  /// The time that a ticket counts.
  package var lifetimeSeconds: Int64 {
    switch self {
    case .resetPassword: 3_600
    case .verifyEmail, .verifyAndChangeEmail: 3 * 86_400
    // A code that lets somebody in is short-lived, and the mail is being waited for.
    case .emailSignIn: 600
    // The owner of an address that was taken from an account may not look into their mail for weeks.
    case .recoverEmail, .revertSecondFactor, .revertChange: 30 * 86_400
    case .pendingSecondFactor, .factorEnrolment, .pendingIdentity, .phoneProof: 600
    // Six digits can be guessed, and the message is being waited for.
    case .phoneSignIn, .phoneEnrolment, .phoneSecondFactor: 300
    // Longer than what it marks counts.
    case .redeemedCode: 1_800
    // Beyond the challenge's own end.
    case .usedChallenge: 60
    }
  }

  /// What an action link calls it; nil for what is not mailed.
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
  /// What a change of password or address ends: everything but the codes that take a change back. Those exist for the case
  /// that an attacker made the change.
  static var endedByChange: Set<Ticket.Purpose> {
    Set(Ticket.Purpose.allCases).subtracting(.waysBack)
  }

  /// Tickets that a signed-in user asked for, or one in the middle of signing in: they end with that session. Codes
  /// that go to the account's own address stay valid.
  static let endedByRevocation: Set<Ticket.Purpose> = [
    .verifyAndChangeEmail, .factorEnrolment, .pendingSecondFactor, .phoneEnrolment, .phoneSecondFactor,
  ]
}

extension Ticket {
  /// Wrong tries after which a ticket is dead.
  static let failedTriesMax: Int64 = 5

  /// Returns true when the ticket counts no longer.
  package func isOver(nowSeconds: Int64) -> Bool { nowSeconds >= expiresAtSeconds }
}
