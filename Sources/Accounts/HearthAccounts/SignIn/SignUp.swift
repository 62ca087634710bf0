import HearthCrypto
import HearthEngine

/// Creates accounts of users who sign in for the first time.
struct SignUp: Sendable {
  let context: AccountsContext
  private var limit: SignUpLimit { SignUpLimit(throttle: context.throttle) }

  /// Refuses when clients may not create accounts.
  ///
  /// - Throws: `adminOnlyOperation`.
  func requireAllowed() throws(AccountError) {
    guard context.configuration.allowsSignUp else { throw AccountError(.adminOnlyOperation) }
  }

  /// Counts a new account of a client, or another request whose response reveals whether an address is taken.
  ///
  /// - Throws: `tooManyAttempts`.
  func admit(_ client: ClientInfo, isAnonymous: Bool = false, now: Instant) throws(AccountError) {
    try limit.admit(client, isAnonymous: isAnonymous, now: now)
  }

  /// Returns an empty record.
  ///
  /// - Parameter uid: nil generates one.
  func newUser(uid: String? = nil, now: Instant) throws(AccountError) -> UserRecord {
    UserRecord(uid: try context.secrets.uid(wanted: uid), createdAtMilliseconds: now.wallMilliseconds)
  }

  /// Returns a user whose account is created when they sign in. An address, number or uid that another account has at that time is
  /// refused.
  func pendingUser(_ user: UserRecord, _ signIn: SignInContext, client: ClientInfo) -> AuthenticatedUser {
    AuthenticatedUser(
      user, signIn,
      creation: AccountCreation(canJoin: false) { (transaction, user) throws(AccountError) in
        try transaction.addNewUser(user, by: signIn.provider, client: client)
      } reidentify: { () throws(AccountError) in
        throw AccountError(.duplicateLocalID)
      })
  }
}

extension AccountTransaction {
  /// Adds the account of a new user, and records it. Event subscribers are notified, except of an account that a custom
  /// token names: the app's own back end invented that one.
  ///
  /// - Parameter detail: the way of signing up, for the audit trail.
  /// - Returns: the account as it is stored.
  /// - Throws: the errors of ``insert(_:)``.
  mutating func addNewUser(
    _ user: UserRecord, by detail: String, client: ClientInfo
  ) throws(AccountError) -> UserRecord {
    let kept = try add(user)
    if detail != ProviderID.custom { addEvent(.created, user.uid) }
    audit(AuditEvent(.signUp, uid: user.uid, email: user.email, client: client, detail: detail))
    return kept
  }
}
