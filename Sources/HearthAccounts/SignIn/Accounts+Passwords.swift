import HearthCrypto
import HearthEngine
import HearthPlugin

extension Accounts {
  /// Checks an e-mail address and a password.
  ///
  /// Unknown addresses, accounts without a password and wrong passwords cost the same work and get the same answer. That
  /// an account is disabled is told only to who knows its password. A hash of lower cost is replaced afterwards.
  ///
  /// - Returns: the account, which has no session by that.
  package func passwordSignIn(
    email: String?, password: String?, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> UserRecord {
    guard let provider = providers.provider(for: .password) else { throw AccountError(.passwordLoginDisabled) }
    guard let email else { throw AccountError(.missingEmail) }
    guard let address = EmailAddress.canonical(email) else { throw AccountError(.invalidEmail) }
    guard let password, !password.isEmpty else { throw AccountError(.missingPassword) }
    // The policy's limit is for new passwords.
    guard password.utf8.count <= PasswordHash.passwordBytesMax else {
      throw AccountError(.invalidArgument, "password is too long")
    }
    try admitPasswordAttempt(account: address, client: client, now: now)
    let proof: PasswordProof
    let user: UserRecord?
    let verdict: PasswordPool.Verdict
    do throws(AccountError) {
      proof = try await passwordProof(
        provider, .signIn, email: address, password: password, client: client, now: now)
      user = store.view.user(email: proof.email)
      verdict = try await pool.check(proof.password, against: user?.password?.hash, for: client.address)
    } catch {
      throttle.attemptAbandoned(account: address, address: client.address, now: now)
      throw error
    }
    guard case .right(let rehashed) = verdict, let user, let stored = user.password else {
      throw await refusedPassword(address: address, user: user, client: client, now: now)
    }
    throttle.passwordSucceeded(account: address, address: client.address, now: now)
    guard !user.isDisabled else {
      await auditQuietly(AuditEvent(.signInFailed, uid: user.uid, email: address, client: client, detail: "disabled"))
      throw AccountError(.userDisabled)
    }
    guard let rehashed else { return user }
    return try await replaceHash(stored, with: rehashed, uid: user.uid)
  }

  /// Makes an account with an e-mail address and a password.
  ///
  /// - Parameter uid: nil draws one.
  package func createPasswordUser(
    email: String?, password: String?, displayName: String? = nil, uid: String? = nil, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> UserRecord {
    guard let email else { throw AccountError(.missingEmail) }
    guard let password, !password.isEmpty else { throw AccountError(.missingPassword) }
    guard providers.provider(for: .password) != nil else { throw AccountError(.operationNotAllowed) }
    guard configuration.allowsSignUp else { throw AccountError(.adminOnlyOperation) }
    guard let address = EmailAddress.canonical(email) else { throw AccountError(.invalidEmail) }
    try admitSignUp(client, now: now)
    let accepted = try await acceptedPassword(password, email: address, .signUp, client: client, now: now)
    guard store.view.user(email: address) == nil else { throw AccountError(.emailExists) }
    var user = UserRecord(uid: try chosenUID(uid), createdAtMilliseconds: now.wallMilliseconds)
    user.email = address
    user.initialEmail = address
    user.displayName = displayName
    user.password = try await stored(accepted, client: client, now: now)
    try await decideCreation(user, provider: "password", client: client)
    return try await insert(user, provider: "password", client: client)
  }

  /// Checks a new password against the policy and hashes it.
  ///
  /// - Parameter email: the account's, in canonical form, when it has one.
  package func hashedPassword(
    _ password: String, email: String?, operation: SignInRequest.Operation, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> StoredPassword {
    let accepted = try await acceptedPassword(password, email: email, operation, client: client, now: now)
    return try await stored(accepted, client: client, now: now)
  }

  /// The password, when the policy has nothing against it.
  func acceptedPassword(
    _ password: String, email: String?, _ operation: SignInRequest.Operation, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> String {
    let policy = configuration.passwordPolicy
    guard !password.isEmpty else { throw AccountError(.missingPassword) }
    guard password.unicodeScalars.count >= policy.lengthMin else {
      throw AccountError(.weakPassword, "Password should be at least \(policy.lengthMin) characters")
    }
    guard password.utf8.count <= policy.sizeBytesMax else {
      throw AccountError(.passwordRequirements, "Password may have at most \(policy.sizeBytesMax) bytes")
    }
    guard let provider = providers.provider(for: .password), let email else { return password }
    return try await passwordProof(
      provider, operation, email: email, password: password, client: client, now: now
    ).password
  }

  func stored(_ password: String, client: ClientInfo, now: Instant) async throws(AccountError) -> StoredPassword {
    StoredPassword(
      hash: try await pool.hash(password, for: client.address), updatedAtMilliseconds: now.wallMilliseconds)
  }

  private func passwordProof(
    _ provider: any SignInProvider, _ operation: SignInRequest.Operation, email: String, password: String,
    client: ClientInfo, now: Instant
  ) async throws(AccountError) -> PasswordProof {
    let answer = try await ask(
      provider, .password, operation, parameters: ["email": email, "password": password], client: client, now: now)
    guard case .password(let proof) = answer, EmailAddress.canonical(proof.email) == proof.email else {
      environment.notice(AccountsNotice(.error, "the password provider gave an answer of another kind"))
      throw AccountError(.unavailable)
    }
    return proof
  }

  private func admitPasswordAttempt(account: String, client: ClientInfo, now: Instant) throws(AccountError) {
    switch throttle.beginPasswordAttempt(account: account, address: client.address, now: now) {
    case .allowed: return
    case .refused:
      throw AccountError(
        .tooManyAttempts, "Too many failed sign-in attempts. Try again later or reset your password.")
    }
  }

  private func refusedPassword(
    address: String, user: UserRecord?, client: ClientInfo, now: Instant
  ) async -> AccountError {
    let waitSeconds = throttle.passwordFailed(account: address, address: client.address, now: now)
    let reason = user == nil ? "unknown" : user?.password == nil ? "no password" : "wrong password"
    await auditQuietly(
      AuditEvent(.signInFailed, uid: user?.uid, email: address, client: client, detail: reason),
      waitSeconds.map {
        AuditEvent(.lockout, uid: user?.uid, email: address, client: client, detail: "for \($0) s")
      })
    if configuration.protectsFromEnumeration { return AccountError(.invalidLoginCredentials) }
    return AccountError(user == nil ? .emailNotFound : .invalidPassword)
  }

  /// Compare and swap: a password that was changed meanwhile stays, and the one that was checked counts no longer.
  private func replaceHash(
    _ old: StoredPassword, with hash: String, uid: String
  ) async throws(AccountError) -> UserRecord {
    let wrong = AccountError(configuration.protectsFromEnumeration ? .invalidLoginCredentials : .invalidPassword)
    return try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) -> UserRecord in
      guard var user = transaction.user(uid), let current = user.password,
        current.updatedAtMilliseconds == old.updatedAtMilliseconds
      else { throw wrong }
      guard current.hash == old.hash else { return user }
      user.password?.hash = hash
      try transaction.update(user)
      return user
    }
  }

  /// The record of a credential that was refused, unless there were many from that network just now: it costs its sender
  /// nothing, and would push what happened out of the trail.
  func auditRefusal(_ event: AuditEvent, now: Instant) async {
    let countMax = store.limits.refusalRecordsPerMinute
    guard throttle.admitRefusalRecord(address: event.clientAddress, countMax: countMax, now: now) else { return }
    await auditQuietly(event)
  }

  /// A record whose loss does not undo what it tells of.
  func auditQuietly(_ event: AuditEvent, _ second: AuditEvent? = nil) async {
    do throws(AccountError) {
      try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
        transaction.audit(event)
        if let second { transaction.audit(second) }
      }
    } catch {
      environment.notice(AccountsNotice(.error, "an audit record (\(event.kind.rawValue)) could not be written"))
    }
  }
}
