import HearthCrypto
import HearthEngine

/// Makes accounts for people who come in for the first time.
struct SignUp: Sendable {
  let context: AccountsContext
  private var limit: SignUpLimit { SignUpLimit(throttle: context.throttle) }

  /// Refuses when clients may not make accounts.
  ///
  /// - Throws: `adminOnlyOperation`.
  func requireAllowed() throws(AccountError) {
    guard context.configuration.allowsSignUp else { throw AccountError(.adminOnlyOperation) }
  }

  /// Counts a new account of a client, or another request whose answer tells whether an address is taken.
  ///
  /// - Throws: `tooManyAttempts`.
  func admit(_ client: ClientInfo, isAnonymous: Bool = false, now: Instant) throws(AccountError) {
    try limit.admit(client, isAnonymous: isAnonymous, now: now)
  }

  /// An empty record.
  ///
  /// - Parameter uid: nil draws one.
  func newUser(uid: String? = nil, now: Instant) throws(AccountError) -> UserRecord {
    UserRecord(uid: try context.secrets.uid(wanted: uid), createdAtMilliseconds: now.wallMilliseconds)
  }

  /// Somebody whose account is made when they come in. What is taken by then is refused: an address, a number, a uid.
  func newcomer(_ user: UserRecord, _ way: SignInWay, client: ClientInfo) -> ProvenUser {
    ProvenUser(
      user, way,
      creation: AccountCreation(canJoin: false) { (transaction, user) throws(AccountError) in
        try transaction.addNewcomer(user, by: way.provider, client: client)
      } again: { () throws(AccountError) in
        throw AccountError(.duplicateLocalID)
      })
  }
}

extension AccountTransaction {
  /// Adds the account of somebody who comes in for the first time, and puts it on record. Others are told of it, but for
  /// one that a custom token names: it is the app's own back end that made that one up.
  ///
  /// - Parameter detail: how they came, for the audit trail.
  /// - Returns: the account as it is kept.
  /// - Throws: what ``insert(_:)`` throws.
  mutating func addNewcomer(
    _ user: UserRecord, by detail: String, client: ClientInfo
  ) throws(AccountError) -> UserRecord {
    let kept = try add(user)
    if detail != ProviderID.custom { tell(.created, user.uid) }
    audit(AuditEvent(.signUp, uid: user.uid, email: user.email, client: client, detail: detail))
    return kept
  }
}
