import HearthEngine

/// Changes the e-mail address of accounts. The old address gets a mail with a link that reverts the change.
package struct AddressChanges: Sendable {
  let changes: CredentialChangeService
  private var signUp: SignUpLimit { SignUpLimit(throttle: changes.context.throttle) }

  /// Gives a user another address, unverified; their sessions and tokens end.
  ///
  /// - Parameter authenticated: the account as it was when its password was checked; a later change of it refuses this
  ///   one.
  /// - Throws: `invalidEmail`, `emailExists`, `tooManyAttempts`, `tokenExpired`, `userDisabled`.
  @discardableResult
  package func set(
    of authenticated: UserRecord, to email: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> UserRecord {
    guard let address = EmailAddress.canonical(email) else { throw AccountError(.invalidEmail) }
    try signUp.admit(client, now: now)
    return try await changes.change(
      [.addressChanged], of: authenticated.uid, by: .password(authenticated), client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      try transaction.changeAddress(of: &user, to: address, isVerified: false)
    }.user
  }

  /// Gives the signed-in user another address, together with a credential for it. As with every change of address the
  /// tokens so far end.
  ///
  /// - Parameters:
  ///   - session: the caller's new session.
  ///   - method: the linked provider, for the audit trail.
  ///   - change: adds the credential.
  /// - Throws: `credentialTooOld` without a recent sign-in; `emailExists` for another account's address.
  func replace(
    of caller: Caller, with address: String, isVerified: Bool, session: NewSession, method: String, client: ClientInfo,
    now: Instant, change: @escaping @Sendable (inout AccountTransaction, inout UserRecord) throws(AccountError) -> Void
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple) {
    let (user, tokens) = try await changes.change(
      [.addressChanged], of: caller.user.uid, by: .session(caller, .given(session)), detail: "linked: \(method)",
      client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      try change(&transaction, &user)
      try transaction.changeAddress(of: &user, to: address, isVerified: isVerified)
    }
    // A change with a caller always returns tokens.
    guard let tokens else { throw AccountError(.internalError) }
    return (user, tokens)
  }
}
