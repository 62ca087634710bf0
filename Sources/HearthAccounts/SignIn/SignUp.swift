import HearthCrypto
import HearthEngine

/// Makes accounts for people who come in for the first time.
struct SignUp: Sendable {
  private let store: AccountStore
  private let limit: SignUpLimit
  private let hooks: SignInHooks
  private let secrets: SecretGenerator
  private let configuration: LiveConfiguration

  init(
    store: AccountStore, limit: SignUpLimit, hooks: SignInHooks, secrets: SecretGenerator,
    configuration: LiveConfiguration
  ) {
    self.store = store
    self.limit = limit
    self.hooks = hooks
    self.secrets = secrets
    self.configuration = configuration
  }

  /// Refuses when clients may not make accounts.
  ///
  /// - Throws: `adminOnlyOperation`.
  func requireAllowed() throws(AccountError) {
    guard configuration.value.allowsSignUp else { throw AccountError(.adminOnlyOperation) }
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
    UserRecord(uid: try secrets.uid(wanted: uid), createdAtMilliseconds: now.wallMilliseconds)
  }

  /// Asks the hooks about an account that is about to be made.
  ///
  /// - Throws: `blockingFunctionError`.
  func decide(_ user: UserRecord, provider: String, client: ClientInfo) async throws(AccountError) {
    try await hooks.decideCreation(user, provider: provider, client: client)
  }

  /// Asks the hooks, and keeps a new account.
  ///
  /// - Parameters:
  ///   - provider: as tokens show it.
  ///   - check: something that has to hold in the same step.
  /// - Returns: the account as it is kept.
  /// - Throws: `blockingFunctionError`; what ``AccountTransaction/insert(_:)`` throws.
  func create(
    _ user: UserRecord, provider: String, client: ClientInfo,
    check: @escaping @Sendable (AccountTransaction) throws(AccountError) -> Void = { (_) throws(AccountError) in }
  ) async throws(AccountError) -> UserRecord {
    try await decide(user, provider: provider, client: client)
    let event = AuditEvent(.signUp, uid: user.uid, email: user.email, client: client, detail: provider)
    return try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) -> UserRecord in
      try check(transaction)
      let kept = try transaction.add(user)
      transaction.audit(event)
      return kept
    }
  }
}
