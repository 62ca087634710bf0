import HearthBytes
import HearthCrypto
import HearthEngine
import HearthPlugin

/// Sign-in with a passkey: the key identifies the account, so that the user types nothing.
package struct PasskeySignIn: Sendable {
  let context: AccountsContext
  let providers: SignInProviders
  let sessions: Sessions
  let secondFactors: SecondFactors
  private var policy: PasskeyPolicy { PasskeyPolicy(context: context) }
  private var challenges: PasskeyChallenges { PasskeyChallenges(context: context) }

  /// The options with which a browser requests a key.
  package struct Start: Sendable, Redacted {
    /// The relying party whose keys are accepted.
    package let relyingParty: PasskeyRelyingParty
    /// The challenge, in base64url.
    package let challenge: String
    /// The lifetime of the challenge.
    package let timeoutSeconds = PasskeyChallenges.lifetimeSeconds
  }

  /// Issues a challenge, for any user's key.
  ///
  /// - Throws: `operationNotAllowed`.
  package func start(now: Instant) throws(AccountError) -> Start {
    Start(
      relyingParty: try policy.provider().relyingParty, challenge: try challenges.issue(.signIn, now: now))
  }

  /// The use of a key, as a browser sends it.
  package struct KeyAssertion: Sendable, Redacted {
    /// The credential id, in base64url.
    package var id: String
    /// The user handle, in base64url.
    package var userHandle: String?
    /// The client data (`CollectedClientData` of WebAuthn): the browser's description of the request.
    package var clientDataJSON: [UInt8]
    /// The authenticator's signed statement.
    package var authenticatorData: [UInt8]
    /// The signature over both.
    package var signature: [UInt8]

    /// Creates the value from a browser's data.
    package init(
      id: String, userHandle: String?, clientDataJSON: [UInt8], authenticatorData: [UInt8], signature: [UInt8]
    ) {
      self.id = id
      self.userHandle = userHandle
      self.clientDataJSON = clientDataJSON
      self.authenticatorData = authenticatorData
      self.signature = signature
    }
  }

  /// Signs in the owner of a key. A key that verified them counts as two factors; with any other key, an account's second factor is
  /// required in addition.
  ///
  /// - Throws: `operationNotAllowed`, `tooManyAttempts`, `invalidAuthenticatorResponse`, `passkeyNotFound`; the errors of
  ///   ``Sessions/start(of:secondFactor:client:now:change:)``.
  package func finish(
    _ assertion: KeyAssertion, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> SecondFactors.Step {
    let provider = try policy.provider()
    try providers.requireAdmitted(client, now: now)
    let challenge = try challenges.answered(by: assertion.clientDataJSON, .signIn, now: now)
    guard let user = context.store.view.user(passkey: assertion.id), let key = user.passkey(assertion.id) else {
      await refuse(nil, "unknown key", client: client, now: now)
      throw AccountError(.passkeyNotFound)
    }
    guard assertion.userHandle?.isSameText(as: key.userHandle) == true else {
      await refuse(user, "user handle", client: client, now: now)
      throw AccountError(.invalidAuthenticatorResponse, "userHandle is missing, or does not belong to the key.")
    }
    // Checked before the key's signature counter: a replayed answer does not advance the counter either, but it does not mean that
    // the key was copied.
    do throws(AccountError) { try challenges.requireUnused(challenge, in: context.store.view) } catch {
      await refuse(user, "used before", client: client, now: now)
      throw error
    }
    let proof: PasskeyUse
    do throws(PasskeyRefusal) {
      proof = try provider.use(
        PasskeyAssertion(
          challenge: challenge.bytes, key: NewPasskey(key), clientDataJSON: assertion.clientDataJSON,
          authenticatorData: assertion.authenticatorData, signature: assertion.signature))
    } catch {
      await refuse(user, error.reason, client: client, now: now)
      throw AccountError(.invalidAuthenticatorResponse, PlainText.line(error.message, lengthMax: 512))
    }
    let current: UserRecord
    do throws(AccountError) {
      current = try await note(proof, of: key.id, uid: user.uid, challenge, now: now)
    } catch {
      if error.code == .invalidAuthenticatorResponse { await refuse(user, "used before", client: client, now: now) }
      throw error
    }
    let authenticated = AuthenticatedUser(
      current, SignInContext(ProviderID.passkey, isUserVerified: proof.isUserVerified))
    guard proof.isUserVerified else {
      return try await secondFactors.continueAfterFirstFactor(of: authenticated, client: client, now: now)
    }
    return .signedIn(try await sessions.start(of: authenticated, client: client, now: now))
  }

  /// Signs in the owner of a key by the key's id alone, for an emulator's test suites, which have no authenticator.
  package func finishEmulated(
    id: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> SecondFactors.Step {
    _ = try policy.provider()
    guard let user = context.store.view.user(passkey: id), user.passkey(id)?.publicKey.isEmpty == true else {
      throw AccountError(.passkeyNotFound)
    }
    let authenticated = AuthenticatedUser(user, SignInContext(ProviderID.passkey, isUserVerified: true))
    return .signedIn(try await sessions.start(of: authenticated, client: client, now: now))
  }

  /// Consumes the challenge and advances the key's counter before the sign-in completes: of two requests with the same
  /// answer, or with answers out of order, one succeeds.
  private func note(
    _ proof: PasskeyUse, of id: String, uid: String, _ challenge: PasskeyChallenges.Challenge, now: Instant
  ) async throws(AccountError) -> UserRecord {
    try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) -> UserRecord in
      try challenges.consume(challenge, in: &transaction, now: now)
      guard var user = transaction.user(uid), let index = user.passkeys.firstIndex(where: { $0.id == id }) else {
        throw AccountError(.passkeyNotFound)
      }
      let last = user.passkeys[index].signCount
      guard Int64(proof.signCount) > last || (proof.signCount == 0 && last == 0) else {
        throw AccountError(
          .invalidAuthenticatorResponse, "The key was used by another sign-in at the same time. Start again.")
      }
      user.passkeys[index].signCount = Int64(proof.signCount)
      user.passkeys[index].isBackedUp = proof.isBackedUp
      if proof.isUserVerified { user.passkeys[index].isUserVerified = true }
      user.passkeys[index].lastUsedAtMilliseconds = now.wallMilliseconds
      try transaction.update(user)
      return user
    }
  }

  private func refuse(_ user: UserRecord?, _ detail: String, client: ClientInfo, now: Instant) async {
    await providers.noteRefusal(
      AuditEvent(.passkeyRefused, uid: user?.uid, email: user?.email, client: client, detail: detail), now: now)
  }
}

extension NewPasskey {
  fileprivate init(_ key: Passkey) {
    self.init(
      publicKey: Base64URL.decode(Array(key.publicKey.utf8)) ?? [], signCount: UInt32(clamping: key.signCount),
      isUserVerified: key.isUserVerified, isBackupEligible: key.isBackupEligible, isBackedUp: key.isBackedUp)
  }
}
