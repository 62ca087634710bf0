import HearthBytes
import HearthCrypto
import HearthEngine
import HearthPlugin

/// Adds passkeys to accounts, and removes them.
package struct PasskeyEnrolment: Sendable {
  let context: AccountsContext
  let sessions: Sessions
  let changes: CredentialChangeService
  private var policy: PasskeyPolicy { PasskeyPolicy(context: context) }
  private var challenges: PasskeyChallenges { PasskeyChallenges(context: context) }

  /// The options with which a browser creates a key.
  package struct Start: Sendable, Redacted {
    /// The relying party of the key.
    package let relyingParty: PasskeyRelyingParty
    /// The challenge, in base64url.
    package let challenge: String
    /// The user handle, in base64url.
    package let userHandle: String
    /// The owner of the new key.
    package let user: UserRecord
    /// The lifetime of the challenge.
    package let timeoutSeconds = PasskeyChallenges.lifetimeSeconds
  }

  /// Issues a challenge for creating a key.
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
      challenge: try challenges.issue(.enrolment, uid: caller.user.uid, userHandle: handle, now: now),
      userHandle: handle,
      user: caller.user)
  }

  /// A created key, as a browser sends it.
  package struct CreatedKey: Sendable, Redacted {
    /// The credential id, in base64url.
    package var id: String
    /// The name that the user gave it.
    package var name: String
    /// The transports of the authenticator.
    package var transports: [String]
    /// The client data (`CollectedClientData` of WebAuthn): the browser's description of the request.
    package var clientDataJSON: [UInt8]
    /// The attestation object: the authenticator's statement about the key.
    package var attestationObject: [UInt8]

    /// Creates the value from a browser's data.
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
  /// - Throws: `invalidCredentialID`, `invalidAuthenticatorResponse`, `credentialInUse`; the errors of
  ///   ``start(_:now:)``.
  package func finish(
    _ caller: Caller, _ created: CreatedKey, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple) {
    let provider = try policy.provider()
    try changes.require([.passkeyAdded], of: caller, now: now)
    guard let id = Base64URL.decode(Array(created.id.utf8)), !id.isEmpty else {
      throw AccountError(.invalidCredentialID)
    }
    let challenge = try challenges.answered(by: created.clientDataJSON, .enrolment, now: now)
    guard challenge.uid?.isSameText(as: caller.user.uid) == true, let handle = challenge.userHandle else {
      throw AccountError(.invalidAuthenticatorResponse, "The challenge was issued to another user.")
    }
    let new: NewPasskey
    do throws(PasskeyRefusal) {
      new = try provider.register(
        PasskeyRegistration(
          challenge: challenge.bytes, credentialID: id, clientDataJSON: created.clientDataJSON,
          attestationObject: created.attestationObject))
    } catch {
      await context.audit.recordRefusal(
        AuditEvent(
          .passkeyRefused, uid: caller.user.uid, email: caller.user.email, client: client,
          detail: "enrolment: \(error.reason)"), now: now)
      throw AccountError(.invalidAuthenticatorResponse, PlainText.line(error.message, lengthMax: 512))
    }
    var key = Passkey(
      id: created.id, name: created.name, publicKey: Base64URL.encode(new.publicKey), userHandle: handle,
      enrolledAtMilliseconds: now.wallMilliseconds)
    key.signCount = Int64(new.signCount)
    key.isUserVerified = new.isUserVerified
    key.isBackupEligible = new.isBackupEligible
    key.isBackedUp = new.isBackedUp
    key.transports = created.transports
    return try await add(key, to: caller, provider.relyingParty, client: client, now: now) {
      (transaction) throws(AccountError) in
      try challenges.consume(challenge, in: &transaction, now: now)
    }
  }

  /// Enrols a key by its id alone, for an emulator's test suites, which have no authenticator.
  package func finishEmulated(
    _ caller: Caller, id: String, name: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple) {
    let key = Passkey(id: id, name: name, publicKey: "", userHandle: "", enrolledAtMilliseconds: now.wallMilliseconds)
    return try await add(key, to: caller, try policy.provider().relyingParty, client: client, now: now)
  }

  /// Stores a key. Its owner continues in a session that began with it, if the key has verified them.
  private func add(
    _ key: Passkey, to caller: Caller, _ party: PasskeyRelyingParty, client: ClientInfo, now: Instant,
    first: @escaping @Sendable (inout AccountTransaction) throws(AccountError) -> Void = { (_) throws(AccountError) in }
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple) {
    let isProof = key.isUserVerified || key.publicKey.isEmpty
    let session = try await sessions.prepare(
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
      throw AccountError(.passkeyLimit, "An account can have at most \(party.keysMax) passkeys. Remove one first.")
    }
    // A user who does not own the address could lock its owner out.
    guard !party.isRequiredOnceEnrolled || user.email == nil || user.isEmailVerified else {
      throw AccountError(.unverifiedEmail)
    }
  }

  /// Removes keys. The user's existing tokens become invalid, because they may be of a sign-in with one of the keys.
  ///
  /// - Parameter ids: the credential ids; unknown ones are ignored.
  /// - Returns: the account, and new tokens if a key was removed.
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
