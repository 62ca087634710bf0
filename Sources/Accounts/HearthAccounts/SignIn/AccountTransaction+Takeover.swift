extension AccountTransaction {
  /// Somebody made an account with an address that they never proved, and its owner has come: what the first one can
  /// get in with goes.
  mutating func purge(_ user: inout UserRecord, for reason: String, client: ClientInfo) {
    user.password = nil
    user.hasTemporaryPassword = false
    user.hasEmailLink = false
    user.dropUnprovenWaysIn()
    user.displayName = nil
    user.photoURL = nil
    endTokens(of: &user)
    removeTickets(of: user.uid)
    audit(
      AuditEvent(
        .revoked, uid: user.uid, email: user.email, client: client,
        detail: "unproven credentials removed: address \(reason)"))
  }
}

extension UserRecord {
  /// Somebody else may have made the account while its address was unproven: all but the password that they could have added
  /// to come in by, or to keep its owner out, goes.
  mutating func dropUnprovenWaysIn() {
    phoneNumber = nil
    identities = []
    factors = []
    recoveryCodes = []
    passkeys = []
  }
}
