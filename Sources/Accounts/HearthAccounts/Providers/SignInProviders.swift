import HearthCrypto
import HearthEngine
import HearthPlugin
import HearthTree

/// Verifies credentials with the sign-in plugins.
package struct SignInProviders: Sendable {
  let context: AccountsContext
  /// The providers that an administrator configured.
  let configured: ConfiguredProviders

  /// The ids of the providers that are switched on, sorted.
  package var ids: [String] { context.plugins.ids }

  /// Returns true when a method with a single provider is switched on.
  package func serves(_ method: SignInMethod) -> Bool { provider(for: method) != nil }

  /// Returns true when a plugin serves a method, even if it is switched off for now.
  package func has(_ method: SignInMethod) -> Bool { context.plugins.provider(for: method) != nil }

  /// Returns the provider for a method; nil when it is switched off, or the tenant does not allow it.
  private func provider(for method: SignInMethod) -> (any SignInProvider)? {
    guard context.settings.tenant?.allows(method) ?? context.configuration.allows(method) else { return nil }
    return context.plugins.provider(for: method)
  }

  /// Returns true when a provider with the given id accepts credentials of other servers.
  package func servesCredential(of providerID: String) -> Bool { credentialProvider(providerID) != nil }

  /// The provider with the given id, when it accepts credentials of other servers: from the server's settings, or configured
  /// since.
  func credentialProvider(_ id: String) -> (any SignInProvider)? {
    context.plugins.credentialProvider(id) ?? configured.provider(id)
  }

  /// Sends a request to the provider of a method.
  ///
  /// - Parameter otherwise: the code when no provider has the method.
  /// - Throws: see ``ask(credentialOf:_:parameters:client:now:)``.
  func ask(
    _ method: SignInMethod, _ operation: SignInRequest.Operation, parameters: [String: String],
    otherwise: AccountError.Code, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> SignInAnswer {
    guard let provider = provider(for: method) else { throw AccountError(otherwise) }
    var parameters = parameters
    if method == .customToken { parameters["tenantId"] = context.settings.tenant?.id }
    return try await ask(provider, method, operation, parameters: parameters, client: client, now: now)
  }

  /// Verifies another server's credential with the provider of that id.
  ///
  /// - Throws: `operationNotAllowed` when there is no such provider; `tooManyAttempts` after many refusals; the
  ///   provider's refusal; `invalidProviderResponse` or `unavailable` when it failed or did not answer in time.
  func ask(
    credentialOf providerID: String, _ operation: SignInRequest.Operation, parameters: [String: String],
    client: ClientInfo, now: Instant
  ) async throws(AccountError) -> SignInAnswer {
    guard let provider = credentialProvider(providerID) else {
      throw AccountError(.operationNotAllowed, "The identity provider configuration is not found.")
    }
    return try await ask(provider, .credential, operation, parameters: parameters, client: client, now: now)
  }

  private func ask(
    _ provider: any SignInProvider, _ method: SignInMethod, _ operation: SignInRequest.Operation,
    parameters: [String: String], client: ClientInfo, now: Instant
  ) async throws(AccountError) -> SignInAnswer {
    let manifest = provider.manifest
    // Passwords and mailed codes have counters of their own, by account; a custom token cannot be guessed.
    let isCounted = method == .credential
    if isCounted { try requireAdmitted(client, now: now) }
    let request = SignInRequest(
      id: client.requestID, providerID: manifest.id, method: method, operation: operation, parameters: parameters,
      facts: ProviderFacts(
        projectID: context.configuration.projectID, nowSeconds: now.wallMilliseconds / 1000,
        serviceAccounts: manifest.needs.contains(.serviceAccounts) ? enabledServiceAccounts : []))
    let answer = await Deadline.run(milliseconds: ActivePlugins.timeoutMilliseconds) {
      try await provider.answer(request)
    }
    switch answer {
    case nil:
      context.notice(AccountsNotice(.warning, "sign-in provider \(manifest.id) failed or did not answer in time"))
      if method == .credential {
        throw AccountError(.invalidProviderResponse, "The provider \(manifest.id) did not answer.")
      }
      throw AccountError(.unavailable)
    case .refused(let refusal)?:
      if isCounted { context.throttle.credentialRefused(address: client.address, now: now) }
      if isCounted || method == .customToken {
        await context.audit.recordRefusal(
          AuditEvent(.signInFailed, client: client, detail: "\(manifest.id): \(refusal.code.rawValue)"), now: now)
      }
      throw AccountError(refusal)
    case let answer?: return answer
    }
  }

  /// Counts and records a credential that was refused without asking a plugin.
  package func noteRefused(by providerID: String, _ reason: String, client: ClientInfo, now: Instant) async {
    context.throttle.credentialRefused(address: client.address, now: now)
    await context.audit.recordRefusal(
      AuditEvent(.signInFailed, client: client, detail: "\(providerID): \(reason)"), now: now)
  }

  /// - Throws: `tooManyAttempts` for a network with many refused credentials.
  func requireAdmitted(_ client: ClientInfo, now: Instant) throws(AccountError) {
    guard context.throttle.admitCredential(address: client.address, now: now) else {
      throw AccountError(.tooManyAttempts, "Too many refused credentials from your network. Try again later.")
    }
  }

  /// Counts a refused credential against its network, and records it.
  func noteRefusal(_ event: AuditEvent, now: Instant) async {
    context.throttle.credentialRefused(address: event.clientAddress, now: now)
    await context.audit.recordRefusal(event, now: now)
  }

  /// The service accounts that may sign custom tokens: the registered ones, and the server's own.
  private var enabledServiceAccounts: [ProviderFacts.ServiceAccount] {
    let own = (try? context.keys.mintingAccount).map { own in
      ProviderFacts.ServiceAccount(email: own.email, publicKeys: [own.keyID: own.publicPEM])
    }
    return context.projectStore.view.serviceAccounts.filter { !$0.isDisabled }
      .map { ProviderFacts.ServiceAccount(email: $0.email, publicKeys: $0.publicKeys) }
      + (own.map { [$0] } ?? [])
  }
}

extension AccountError {
  /// Creates the protocol's error for a provider's refusal.
  init(_ refusal: SignInRefusal) {
    self.init(
      Code(rawValue: refusal.code.rawValue) ?? .invalidCredentialOrProvider,
      refusal.message.map { PlainText.line($0, lengthMax: 512) })
  }
}
