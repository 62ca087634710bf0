import HearthEngine

extension Accounts {
  /// Gives the account of who is signed in another address, together with a way in by it. As with every change of address
  /// the tokens so far end, and the old address is told how to take itself back.
  ///
  /// - Parameters:
  ///   - session: what the caller goes on with.
  ///   - way: what was linked, for the audit trail.
  ///   - change: puts the way in.
  /// - Throws: `credentialTooOld` unless they signed in a short while ago; `emailExists` for somebody else's address.
  func replaceAddress(
    of caller: Caller, with address: String, isVerified: Bool, session: NewSession, way: String, client: ClientInfo,
    now: Instant, change: @escaping @Sendable (inout AccountTransaction, inout UserRecord) throws(AccountError) -> Void
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple) {
    try requireRecentSignIn(caller, now: now)
    let recovery = try newRecovery(client)
    let (user, tokens) = try await changeCredentials(
      of: caller.user.uid, caller: caller, session: session, event: .emailChanged, detail: "linked: \(way)",
      client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      try change(&transaction, &user)
      try Self.moveAddress(
        of: &user, to: address, isVerified: isVerified, recovery: recovery, in: &transaction, now: now)
    }
    mailRecovery(recovery, to: user, from: address, client: client, now: now)
    // A caller gets tokens.
    guard let tokens else { throw AccountError(.internalError) }
    return (user, tokens)
  }
}
