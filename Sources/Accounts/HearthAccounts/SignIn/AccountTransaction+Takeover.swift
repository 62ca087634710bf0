extension AccountTransaction {
  /// Purges an account whose address was never proven, once the owner of the address signs in: the credentials of its
  /// creator are removed.
  mutating func purge(_ user: inout UserRecord, for reason: String, client: ClientInfo) {
    user.password = nil
    user.hasTemporaryPassword = false
    user.hasEmailLink = false
    user.removeUnprovenCredentials()
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
  /// Removes all credentials but the password from an account whose address was unproven: its creator, possibly an
  /// attacker, could have added them to sign in, or to lock the owner out.
  mutating func removeUnprovenCredentials() {
    phoneNumber = nil
    identities = []
    factors = []
    recoveryCodes = []
    passkeys = []
  }
}
