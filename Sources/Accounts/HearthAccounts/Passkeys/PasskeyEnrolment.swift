import HearthBytes
import HearthCrypto
import HearthEngine
import HearthPlugin

/// Adds passkeys to accounts, and takes them away.
package struct PasskeyEnrolment: Sendable {
  let context: AccountsContext
  let sessions: Sessions
  let changes: CredentialChanges
  private var policy: PasskeyPolicy { PasskeyPolicy(context: context) }
  private var challenges: PasskeyChallenges { PasskeyChallenges(context: context) }

  /// What a browser makes a key with.
  package struct Start: Sendable, Redacted {
    /// Whom the key is for.
    package let relyingParty: PasskeyRelyingParty
    /// In base64url.
    package let challenge: String
    /// What the authenticator is to know the user by, in base64url.
    package let userHandle: String
    /// Whose key it will be.
    package let user: UserRecord
    /// The time that the challenge is good for.
    package let timeoutSeconds = PasskeyChallenges.lifetimeSeconds
  }

  /// Gives out a challenge to make a key with.
  ///
  /// - Throws: `operationNotAllowed`, `credentialTooOld`, `passkeyLimit`, `unverifiedEmail`.
  package func start(_ caller: Caller, now: Instant) throws(AccountError) -> Start {
    let party = try policy.provider().relyingParty
    try changes.require([.passkeyAdded], of: caller, now: now)
    try Self.requireEnrollable(caller.user, party)
    let handle: String =
      if let known = caller.user.passkeys.first(where: { !$0.userHandle.isEmpty })?.userHandle {
        known
      } else { Base64URL.encode(Array(try context.secrets.userHandle().utf8)) }
    return Start(
      relyingParty: party,
      challenge: try challenges.new(.enrolment, uid: caller.user.uid, userHandle: handle, now: now), userHandle: handle,
      user: caller.user)
  }

  /// A key that was made, as a browser sends it.
  package struct Made: Sendable, Redacted {
    /// In base64url.
    package var id: String
    /// What the user calls it.
    package var name: String
    /// How the authenticator is reached.
    package var transports: [String]
    /// What the browser says that it was asked for.
    package var clientDataJSON: [UInt8]
    /// What the authenticator says of the key.
    package var attestationObject: [UInt8]

    /// A key as it was sent.
    package init(
      id: String, name: String, transports: [String], clientDataJSON: [UInt8], attestationObject: [UInt8]
    ) {
      self.id = id
      self.name = name
      self.transports = transports
      self.clientDataJSON = clientDataJSON
      self.attestationObject = attestationObject
    }
  }

  /// Enrols a key.
  ///
  /// - Throws: `invalidCredentialID`, `invalidAuthenticatorResponse`, `credentialInUse`; what ``start(_:now:)`` throws.
  package func finish(
    _ caller: Caller, _ made: Made, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple) {
    let provider = try policy.provider()
    try changes.require([.passkeyAdded], of: caller, now: now)
    guard let id = Base64URL.decode(Array(made.id.utf8)), !id.isEmpty else { throw AccountError(.invalidCredentialID) }
    let challenge = try challenges.answered(by: made.clientDataJSON, .enrolment, now: now)
    guard challenge.uid?.isSameText(as: caller.user.uid) == true, let handle = challenge.userHandle else {
      throw AccountError(.invalidAuthenticatorResponse, "The challenge was given out to somebody else.")
    }
    let new: NewPasskey
    do throws(PasskeyRefusal) {
      new = try provider.register(
        PasskeyRegistration(
          challenge: challenge.bytes, credentialID: id, clientDataJSON: made.clientDataJSON,
          attestationObject: made.attestationObject))
    } catch {
      await context.audit.recordRefusal(
        AuditEvent(
          .passkeyRefused, uid: caller.user.uid, email: caller.user.email, client: client,
          detail: "enrolment: \(error.reason)"), now: now)
      throw AccountError(.invalidAuthenticatorResponse, PlainText.line(error.message, lengthMax: 512))
    }
    var key = Passkey(
      id: made.id, name: made.name, publicKey: Base64URL.encode(new.publicKey), userHandle: handle,
      enrolledAtMilliseconds: now.wallMilliseconds)
    key.signCount = Int64(new.signCount)
    key.isUserVerified = new.isUserVerified
    key.isBackupEligible = new.isBackupEligible
    key.isBackedUp = new.isBackedUp
    key.transports = made.transports
    return try await add(key, to: caller, provider.relyingParty, client: client, now: now) {
      (transaction) throws(AccountError) in
      try challenges.useUp(challenge, in: &transaction, now: now)
    }
  }

  /// Enrols a key that is only named. For an emulator's test suites, which have no authenticator.
  package func finishEmulated(
    _ caller: Caller, id: String, name: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple) {
    let key = Passkey(id: id, name: name, publicKey: "", userHandle: "", enrolledAtMilliseconds: now.wallMilliseconds)
    return try await add(key, to: caller, try policy.provider().relyingParty, client: client, now: now)
  }

  /// Keeps a key. Its owner goes on in a session that began with it, if it has shown that it knows them.
  private func add(
    _ key: Passkey, to caller: Caller, _ party: PasskeyRelyingParty, client: ClientInfo, now: Instant,
    first: @escaping @Sendable (inout AccountTransaction) throws(AccountError) -> Void = { (_) throws(AccountError) in }
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple) {
    let isProof = key.isUserVerified || key.publicKey.isEmpty
    let session = try await sessions.new(
      following: caller, provider: isProof ? ProviderID.passkey : nil, isUserVerified: isProof, client: client)
    let (user, tokens) = try await changes.change(
      [.passkeyAdded], of: caller.user.uid, by: .session(caller, .given(session)), client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      try Self.requireEnrollable(user, party)
      try first(&transaction)
      guard transaction.user(passkey: key.id) == nil else { throw AccountError(.credentialInUse) }
      user.passkeys.append(key)
    }
    guard let tokens else { throw AccountError(.internalError) }
    return (user, tokens)
  }

  private static func requireEnrollable(_ user: UserRecord, _ party: PasskeyRelyingParty) throws(AccountError) {
    guard user.passkeys.count < party.keysMax else {
      throw AccountError(.passkeyLimit, "An account has at most \(party.keysMax) passkeys; remove one.")
    }
    // Who does not own the address could lock its owner out.
    guard !party.isRequiredOnceEnrolled || user.email == nil || user.isEmailVerified else {
      throw AccountError(.unverifiedEmail)
    }
  }

  /// Takes keys away. The tokens so far end: they may have begun with one of the keys.
  ///
  /// - Parameter ids: those that the account does not have are passed over.
  /// - Returns: the account, and new tokens if anything was taken away.
  /// - Throws: `credentialTooOld`.
  package func remove(
    _ ids: Set<String>, of caller: Caller, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple?) {
    try changes.require([.passkeyRemoved], of: caller, now: now)
    guard caller.user.passkeys.contains(where: { ids.contains($0.id) }) else { return (caller.user, nil) }
    return try await changes.change(
      [.passkeyRemoved], of: caller.user.uid, by: .session(caller, .following), client: client, now: now
    ) { (_, user) throws(AccountError) in
      user.passkeys.removeAll { ids.contains($0.id) }
    }
  }
}
