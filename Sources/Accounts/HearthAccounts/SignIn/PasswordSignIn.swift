import HearthCrypto
import HearthEngine
import HearthPlugin

/// Sign-in with e-mail addresses and passwords, sign-up, and changes of passwords.
package struct PasswordSignIn: Sendable {
  let context: AccountsContext
  let providers: SignInProviders
  let passwords: NewPasswords
  let sessions: Sessions
  let changes: CredentialChangeService
  private var signUp: SignUp { SignUp(context: context) }
  private var addresses: AddressChanges { AddressChanges(changes: changes) }
  private var migration: PasswordMigration { PasswordMigration(context: context) }

  // MARK: Signing in

  /// Checks an e-mail address and a password.
  ///
  /// Unknown addresses, accounts without a password and wrong passwords cost the same work and get the same answer.
  /// Only the right password reveals that an account is disabled. A hash of lower cost is replaced afterwards. A
  /// password that does not match here may be another system's; the account is then created when its user signs in.
  ///
  /// - Returns: the user, who has no session yet.
  /// - Throws: `passwordLoginDisabled`, `missingEmail`, `invalidEmail`, `missingPassword`, `tooManyAttempts`,
  ///   `invalidLoginCredentials` (or, where addresses are no secret, `emailNotFound` and `invalidPassword`),
  ///   `userDisabled`, `unavailable`; the plugin's refusal; `blockingFunctionError` when a plugin failed to check the
  ///   password.
  package func signIn(
    email: String?, password: String?, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> AuthenticatedUser {
    guard providers.serves(.password) else { throw AccountError(.passwordLoginDisabled) }
    guard let email else { throw AccountError(.missingEmail) }
    guard let address = EmailAddress.canonical(email) else { throw AccountError(.invalidEmail) }
    guard let password, !password.isEmpty else { throw AccountError(.missingPassword) }
    // The policy's limit is for new passwords.
    guard password.utf8.count <= PasswordHash.passwordBytesMax else {
      throw AccountError(.invalidArgument, "password is too long")
    }
    try admitAttempt(account: address, client: client, now: now)
    let proof: PasswordProof
    let user: UserRecord?
    let verdict: PasswordPool.Verdict
    do throws(AccountError) {
      proof = try await passwords.proof(.signIn, email: address, password: password, client: client, now: now)
      user = context.store.view.user(email: proof.email)
      verdict = try await context.pool.check(proof.password, against: user?.password?.hash, for: client.address)
    } catch {
      context.throttle.attemptAbandoned(account: address, address: client.address, now: now)
      throw error
    }
    if case .right(let rehashed) = verdict, let user, let stored = user.password {
      context.throttle.passwordSucceeded(account: address, address: client.address, now: now)
      return try await known(user, stored, proof.password, rehashed: rehashed, client: client)
    }
    // From here on the attempt counts, whatever its result: while a plugin is down, wrong passwords of accounts on this
    // server must not be free.
    switch try await migration.askPlugins(about: proof, for: user, client: client, now: now) {
    case .wrong:
      throw await refusal(address: address, user: user, client: client, now: now)
    case .imported:
      guard let user, let stored = user.password else { throw AccountError(.invalidLoginCredentials) }
      context.throttle.passwordSucceeded(account: address, address: client.address, now: now)
      let hash = try await context.pool.hash(proof.password, for: client.address)
      return try await known(user, stored, proof.password, rehashed: hash, client: client)
    case .newUser(var user, let checker):
      context.throttle.passwordSucceeded(account: address, address: client.address, now: now)
      user.password = try await passwords.hash(proof.password, client: client, now: now)
      return migration.pendingUser(user, proof, checker: checker, client: client)
    }
  }

  /// Returns a user who has shown the password of an existing account.
  ///
  /// - Parameter rehashed: the replacement of the stored hash; nil keeps it.
  private func known(
    _ user: UserRecord, _ stored: StoredPassword, _ password: String, rehashed: String?, client: ClientInfo
  ) async throws(AccountError) -> AuthenticatedUser {
    guard !user.isDisabled else {
      await context.audit.record(
        AuditEvent(.signInFailed, uid: user.uid, email: user.email, client: client, detail: "disabled"))
      throw AccountError(.userDisabled)
    }
    let policy = context.configuration.passwordPolicy
    if policy.appliesAtSignIn, let refusal = policy.refusal(of: password) {
      await context.audit.record(
        AuditEvent(.signInFailed, uid: user.uid, email: user.email, client: client, detail: "password policy"))
      throw AccountError(refusal)
    }
    guard let rehashed else { return AuthenticatedUser(user, .password) }
    return AuthenticatedUser(try await replaceHash(stored, with: rehashed, uid: user.uid), .password)
  }

  private func admitAttempt(account: String, client: ClientInfo, now: Instant) throws(AccountError) {
    switch context.throttle.beginPasswordAttempt(account: account, address: client.address, now: now) {
    case .allowed: return
    case .refused:
      throw AccountError(
        .tooManyAttempts, "Too many failed sign-in attempts. Try again later or reset your password.")
    }
  }

  private func refusal(
    address: String, user: UserRecord?, client: ClientInfo, now: Instant
  ) async -> AccountError {
    let waitSeconds = context.throttle.passwordFailed(account: address, address: client.address, now: now)
    let reason = user == nil ? "unknown" : user?.password == nil ? "no password" : "wrong password"
    await context.audit.record(
      AuditEvent(.signInFailed, uid: user?.uid, email: address, client: client, detail: reason),
      waitSeconds.map {
        AuditEvent(.lockout, uid: user?.uid, email: address, client: client, detail: "for \($0) s")
      })
    if context.configuration.protectsFromEnumeration { return AccountError(.invalidLoginCredentials) }
    return AccountError(user == nil ? .emailNotFound : .invalidPassword)
  }

  /// Replaces the hash by compare and swap: a password that was changed meanwhile stays, and the checked one is no
  /// longer valid.
  private func replaceHash(
    _ old: StoredPassword, with hash: String, uid: String
  ) async throws(AccountError) -> UserRecord {
    let hides = context.configuration.protectsFromEnumeration
    return try await context.store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> UserRecord in
      guard var user = transaction.user(uid), let current = user.password,
        current.updatedAtMilliseconds == old.updatedAtMilliseconds
      else { throw AccountError(hides ? .invalidLoginCredentials : .invalidPassword) }
      guard current.hash == old.hash else { return user }
      user.password?.hash = hash
      try transaction.update(user)
      return user
    }
  }

  // MARK: Accounts

  /// Returns a user with an e-mail address and a password, whose account is created when the sign-in completes.
  ///
  /// - Parameter uid: nil generates one.
  /// - Throws: `missingEmail`, `missingPassword`, `operationNotAllowed`, `adminOnlyOperation`, `invalidEmail`,
  ///   `tooManyAttempts`, `emailExists`; the password policy's errors.
  package func newUser(
    email: String?, password: String?, displayName: String? = nil, uid: String? = nil, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> AuthenticatedUser {
    guard let email else { throw AccountError(.missingEmail) }
    guard let address = EmailAddress.canonical(email) else { throw AccountError(.invalidEmail) }
    guard let password, !password.isEmpty else { throw AccountError(.missingPassword) }
    guard providers.serves(.password) else { throw AccountError(.operationNotAllowed) }
    try signUp.requireAllowed()
    try signUp.admit(client, now: now)
    let accepted = try await passwords.accepted(password, email: address, .signUp, client: client, now: now)
    guard context.store.view.user(email: address) == nil else { throw AccountError(.emailExists) }
    var user = try signUp.newUser(uid: uid, now: now)
    user.email = address
    user.displayName = displayName
    user.password = try await passwords.hash(accepted, client: client, now: now)
    return signUp.pendingUser(user, .password, client: client)
  }

  /// Adds an address and a password to an account without a password, such as an anonymous one, and keeps its uid.
  /// Another address than the account's replaces that, and the password with it.
  ///
  /// - Throws: `emailExists` for another account's address, and for the own one with a password; `credentialTooOld`
  ///   without a recent sign-in, except for anonymous users.
  package func link(
    to caller: Caller, email: String?, password: String?, displayName: String?, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple) {
    guard let email else { throw AccountError(.missingEmail) }
    guard let password, !password.isEmpty else { throw AccountError(.missingPassword) }
    guard providers.serves(.password) else { throw AccountError(.operationNotAllowed) }
    guard let address = EmailAddress.canonical(email) else { throw AccountError(.invalidEmail) }
    try changes.require([.passwordLinked], of: caller, now: now)
    try signUp.admit(client, now: now)
    if let owner = context.store.view.user(email: address), owner.uid != caller.user.uid {
      throw AccountError(.emailExists)
    }
    let stored = try await passwords.checkAndHash(password, email: address, .link, client: client, now: now)
    let session = try await sessions.prepare(following: caller, provider: ProviderID.password, client: client)
    if let present = caller.user.email, !present.isSameText(as: address) {
      return try await addresses.replace(
        of: caller, with: address, isVerified: false, session: session, method: "password", client: client, now: now
      ) { (_, user) throws(AccountError) in
        user.password = stored
        user.hasTemporaryPassword = false
        if let displayName { user.displayName = displayName }
      }
    }
    let (user, tokens) = try await changes.change(
      [.passwordLinked], of: caller.user.uid, by: .session(caller, .given(session)), detail: ProviderID.password,
      client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      guard user.password == nil else { throw AccountError(.emailExists) }
      if let owner = transaction.user(email: address), owner.uid != user.uid { throw AccountError(.emailExists) }
      // The account got another address meanwhile.
      if let present = user.email, !present.isSameText(as: address) { throw AccountError(.operationNotAllowed) }
      user.email = address
      user.password = stored
      if let displayName { user.displayName = displayName }
    }
    // A change with a caller always returns tokens.
    guard let tokens else { throw AccountError(.internalError) }
    return (user, tokens)
  }

  /// Replaces a user's password, by the policy; their sessions and tokens end.
  ///
  /// - Parameter authenticated: the account as it was when its old password was checked; a later change of it refuses
  ///   this one.
  /// - Throws: the password policy's errors; `tokenExpired`, `userDisabled`.
  @discardableResult
  package func change(
    of authenticated: UserRecord, to password: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> UserRecord {
    let stored = try await passwords.checkAndHash(
      password, email: authenticated.email, .change, client: client, now: now)
    return try await changes.change(
      [.passwordChanged], of: authenticated.uid, by: .password(authenticated), client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      user.password = stored
      user.hasTemporaryPassword = false
      transaction.removeTickets(of: user.uid, purposes: .endedByChange)
    }.user
  }
}
