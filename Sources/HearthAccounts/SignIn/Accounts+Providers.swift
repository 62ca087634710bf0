import HearthCrypto
import HearthEngine
import HearthPlugin
import HearthTree

extension Accounts {
  /// Shows a credential to a provider.
  ///
  /// - Throws: ``AccountError/Code/tooManyAttempts`` after many refusals; the provider's refusal; ``AccountError/Code/invalidProviderResponse`` or
  ///   ``AccountError/Code/unavailable`` when it failed or did not answer in time.
  func ask(
    _ provider: any SignInProvider, _ method: SignInMethod, _ operation: SignInRequest.Operation,
    parameters: [String: String], client: ClientInfo, now: Instant
  ) async throws(AccountError) -> SignInAnswer {
    let manifest = provider.manifest
    // Passwords and mailed codes have counters of their own, by account; a custom token cannot be guessed.
    let isCounted = method == .credential
    if isCounted, !throttle.admitCredential(address: client.address, now: now) {
      throw AccountError(.tooManyAttempts, "Too many refused credentials from your network. Try again later.")
    }
    let request = SignInRequest(
      id: client.requestID, providerID: manifest.id, method: method, operation: operation, parameters: parameters,
      facts: ProviderFacts(
        projectID: configuration.projectID, nowSeconds: now.wallMilliseconds / 1000,
        serviceAccounts: manifest.needs.contains(.serviceAccounts) ? enabledServiceAccounts : []))
    let answer = await Deadline.run(milliseconds: ProviderDirectory.timeoutMilliseconds) {
      try await provider.answer(request)
    }
    switch answer {
    case nil:
      environment.notice(AccountsNotice(.warning, "sign-in provider \(manifest.id) failed or did not answer in time"))
      if method == .credential { throw AccountError(.invalidProviderResponse, "The provider did not answer.") }
      throw AccountError(.unavailable)
    case .refused(let refusal)?:
      if isCounted { throttle.credentialRefused(address: client.address, now: now) }
      if isCounted || method == .customToken {
        await auditRefusal(
          AuditEvent(.signInFailed, client: client, detail: "\(manifest.id): \(refusal.code.rawValue)"), now: now)
      }
      throw AccountError(refusal)
    case let answer?: return answer
    }
  }

  /// Those that sign custom tokens: the registered ones, and the server's own.
  private var enabledServiceAccounts: [ProviderFacts.ServiceAccount] {
    let own = (try? keys.mintingAccount).map { own in
      ProviderFacts.ServiceAccount(email: own.email, publicKeys: [own.keyID: own.publicPEM])
    }
    return store.view.serviceAccounts.filter { !$0.isDisabled }
      .map { ProviderFacts.ServiceAccount(email: $0.email, publicKeys: $0.publicKeys) }
      + (own.map { [$0] } ?? [])
  }

  // MARK: Hooks

  /// Asks the hooks about an account that is about to be made.
  func decideCreation(_ user: UserRecord, provider: String, client: ClientInfo) async throws(AccountError) {
    _ = try await decide(.beforeCreate, user, provider: provider, client: client)
  }

  /// Asks the hooks about somebody who is about to come in; gives the claims that they add to the session's tokens.
  func decideSignIn(
    _ user: UserRecord, provider: String, client: ClientInfo
  ) async throws(AccountError) -> [ClaimValue.Member] {
    try await decide(.beforeSignIn, user, provider: provider, client: client)
  }

  private func decide(
    _ moment: HookEvent.Moment, _ user: UserRecord, provider: String, client: ClientInfo
  ) async throws(AccountError) -> [ClaimValue.Member] {
    var claims: [ClaimValue.Member] = []
    for hook in hooks {
      let event = HookEvent(
        moment: moment, uid: user.uid, email: user.email, isEmailVerified: user.isEmailVerified,
        displayName: user.displayName, signInProvider: provider, clientAddress: client.address)
      let verdict = await Deadline.run(milliseconds: ProviderDirectory.timeoutMilliseconds) {
        try await hook.decide(event)
      }
      switch verdict {
      case nil:
        environment.notice(AccountsNotice(.warning, "hook \(hook.name) failed or did not answer in time: denied"))
        throw AccountError(.blockingFunctionError, "The sign-in could not be checked.")
      case .deny(let message)?: throw AccountError(.blockingFunctionError, PlainText.line(message, lengthMax: 256))
      case .allow(let added)?:
        if let added { claims += try sessionClaims(added) }
      }
    }
    return claims
  }

  /// Claims for the tokens of one session: an object without reserved names, small enough.
  package func sessionClaims(_ json: JSON) throws(AccountError) -> [ClaimValue.Member] {
    guard let claims = try? ClaimValue(json: json.text()), let members = claims.members else {
      throw AccountError(.invalidClaims)
    }
    do {
      try IDTokenClaims.check(custom: members)
    } catch {
      if error.code == .claimsTooLarge { throw AccountError(.claimsTooLarge) }
      throw AccountError(
        .forbiddenClaim, members.first { IDTokenClaims.reservedNames.contains($0.name) }?.name ?? "claim")
    }
    return members
  }
}

extension AccountError {
  /// A provider's refusal in the words of the protocol.
  init(_ refusal: SignInRefusal) {
    self.init(
      Code(rawValue: refusal.code.rawValue) ?? .invalidCredentialOrProvider,
      refusal.message.map { PlainText.line($0, lengthMax: 512) })
  }
}
