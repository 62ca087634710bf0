import HearthCrypto
import HearthEngine
import HearthPlugin

extension Accounts {
  /// Makes an account of nobody in particular.
  ///
  /// - Parameter uid: nil draws one.
  package func createAnonymousUser(
    uid: String? = nil, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> UserRecord {
    guard let provider = providers.provider(for: .anonymous), configuration.allowsSignUp else {
      throw AccountError(.adminOnlyOperation)
    }
    try admitSignUp(client, isAnonymous: true, now: now)
    let answer = try await ask(provider, .anonymous, .signUp, parameters: [:], client: client, now: now)
    guard case .anonymous = answer else { throw AccountError(.adminOnlyOperation) }
    let user = UserRecord(uid: try chosenUID(uid), createdAtMilliseconds: now.wallMilliseconds)
    try await decideCreation(user, provider: "anonymous", client: client)
    return try await insert(user, provider: "anonymous", client: client)
  }

  /// Counts a new account of a client, or another request whose answer tells whether an address is taken.
  func admitSignUp(_ client: ClientInfo, isAnonymous: Bool = false, now: Instant) throws(AccountError) {
    guard throttle.admitSignUp(address: client.address, isAnonymous: isAnonymous, now: now) else {
      throw AccountError(.tooManyAttempts, "Too many new accounts or addresses from your network. Try again later.")
    }
  }

  /// Signs in with a token that names the uid, made by a service account; on an emulator by any program of this machine.
  package func customTokenSignIn(
    token: String?, isFromLoopback: Bool, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, provider: String, claims: [ClaimValue.Member], isNew: Bool) {
    guard let token, !token.isEmpty else { throw AccountError(.missingCustomToken) }
    if emulation != nil, isFromLoopback,
      let named = try EmulatedCredential.user(customToken: token, keys: keys, now: now)
    {
      return try await signIn(named, provider: "custom", client: client, now: now)
    }
    guard let provider = providers.provider(for: .customToken) else { throw AccountError(.operationNotAllowed) }
    let answer = try await ask(
      provider, .customToken, .signIn, parameters: ["token": token], client: client, now: now)
    guard case .user(let named) = answer else { throw AccountError(.invalidCustomToken) }
    return try await signIn(named, provider: named.signInProvider ?? "custom", client: client, now: now)
  }

  /// Finds or makes the account that a provider named.
  package func signIn(
    _ named: NamedUser, provider: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, provider: String, claims: [ClaimValue.Member], isNew: Bool) {
    guard UserRecord.isUID(named.uid) else { throw AccountError(.missingIdentifier) }
    let claims: [ClaimValue.Member] = if let json = named.claims { try sessionClaims(json) } else { [] }
    let view = store.view
    try view.requireNotOfDeleted(named)
    if let user = view.user(named.uid) {
      guard !user.isDisabled else { throw AccountError(.userDisabled) }
      return (user, provider, claims, false)
    }
    var user = UserRecord(uid: named.uid, createdAtMilliseconds: now.wallMilliseconds)
    user.isCustomAuth = true
    try await decideCreation(user, provider: provider, client: client)
    do {
      let kept = try await insert(user, provider: provider, client: client) { transaction throws(AccountError) in
        try transaction.requireNotOfDeleted(named)
      }
      return (kept, provider, claims, true)
    } catch {
      // Somebody came in with the same uid meanwhile.
      guard error.code == .duplicateLocalID, let present = store.view.user(named.uid) else { throw error }
      guard !present.isDisabled else { throw AccountError(.userDisabled) }
      return (present, provider, claims, false)
    }
  }

  /// Keeps a new account.
  ///
  /// - Parameter check: something that has to hold in the same step.
  /// - Returns: the account as it is kept.
  func insert(
    _ user: UserRecord, provider: String, client: ClientInfo,
    check: @escaping @Sendable (AccountTransaction) throws(AccountError) -> Void = { (_) throws(AccountError) in }
  ) async throws(AccountError) -> UserRecord {
    let event = AuditEvent(.signUp, uid: user.uid, email: user.email, client: client, detail: provider)
    return try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) -> UserRecord in
      try check(transaction)
      let kept = try transaction.add(user)
      transaction.audit(event)
      return kept
    }
  }

  /// 28 letters and digits, about 166 bits.
  package func newUID() throws(AccountError) -> String {
    try drawn { (random) throws(RandomnessError) in try random.alphanumeric(length: 28) }
  }

  /// The uid that was asked for, or a drawn one.
  func chosenUID(_ wanted: String?) throws(AccountError) -> String {
    guard let wanted else { return try newUID() }
    guard UserRecord.isUID(wanted) else { throw AccountError(.invalidArgument, "A localId has 1 to 128 characters") }
    return wanted
  }

  /// 256 random bits as text.
  func newSecretText() throws(AccountError) -> String {
    try drawn { (random) throws(RandomnessError) in Base64URL.encode(try random.bytes(32)) }
  }

  func drawn<Value>(
    _ draw: (RandomBytes) throws(RandomnessError) -> Value
  ) throws(AccountError) -> Value {
    do {
      return try draw(environment.random)
    } catch {
      environment.notice(AccountsNotice(.error, error.description))
      throw AccountError(.unavailable)
    }
  }
}

extension AccountReading {
  /// Refuses a credential that was made for an account that was deleted since: whoever holds it gets neither that account
  /// back nor into another one of its uid.
  func requireNotOfDeleted(_ named: NamedUser) throws(AccountError) {
    guard let issuedAt = named.issuedAtSeconds, let last = tombstone(named.uid),
      !last.admitsCustomToken(issuedAtSeconds: issuedAt)
    else { return }
    throw AccountError(.invalidCustomToken, "The account was deleted after the token was made.")
  }
}

extension UserRecord {
  /// Whether a text can be a user id: 1 to 128 UTF-16 units, no control characters.
  static func isUID(_ text: String) -> Bool { IDTokenClaims.isUID(text) }
}
