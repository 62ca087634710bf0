import HearthBytes
import HearthCrypto
import HearthEngine
import HearthPlugin

/// The sign-in pages of providers, and their authorization codes.
extension SignInProviders {
  /// The providers with sign-in pages of their own, in the order of the operator's file.
  package var authorizationProviders: [ProviderManifest] { context.plugins.authorizationProviders }

  /// Returns true when the provider with the given id has a sign-in page of its own.
  package func servesAuthorizationCodes(of providerID: String) -> Bool {
    pageProvider(providerID) != nil
  }

  /// The kind of redirect URI that a provider has.
  func redirectURIKind(of providerID: String) -> RedirectURIKind {
    guard let oidc = configuredOIDC(providerID) else { return .shared }
    return oidc.usesSharedRedirectURI ? .sharedWithIssuer : .own
  }

  /// Returns true when a configuration is enabled and serves sign-in on the provider's page.
  func servesPage(of configuration: ProviderConfiguration) -> Bool {
    configuration.isEnabled && configuration.oidc?.takesCodes == true
      && context.plugins.credentialProvider(configuration.id) == nil
  }

  /// A short text that changes with the provider's issuer or this server's client id there. A sign-in on the provider's page that
  /// began before a change cannot be finished after it.
  func fingerprint(of providerID: String) -> String {
    guard let oidc = configuredOIDC(providerID) else { return "" }
    return Self.digest("\(oidc.issuer.utf8.count) \(oidc.issuer) \(oidc.clientID)")
  }

  /// The first 128 bits of a text's digest.
  static func digest(_ text: String) -> String { Base64URL.encode(Array(Digest(sha256: text.utf8).bytes.prefix(16))) }

  /// The configuration of a provider that was configured while the server ran; providers of the operator's file take
  /// precedence.
  private func configuredOIDC(_ providerID: String) -> ProviderConfiguration.OIDC? {
    context.plugins.credentialProvider(providerID) == nil ? configured.enabled(providerID)?.oidc : nil
  }

  /// Returns a provider's page for the request.
  ///
  /// - Throws: `operationNotAllowed` when there is no such provider, or none with a page; `invalidProviderResponse`
  ///   when it failed or did not answer in time.
  func authorizationPage(
    of providerID: String, _ request: AuthorizationRequest
  ) async throws(AccountError) -> AuthorizationPage {
    let provider = try authorizationProvider(providerID)
    return try await answer(of: providerID) { try await provider.authorizationPage(request) }
  }

  /// Redeems a code at its provider.
  ///
  /// - Parameter fingerprint: the provider's configuration digest from the start of the sign-in on its page.
  /// - Returns: the parts of a credential, not yet verified.
  /// - Throws: as ``authorizationPage(of:_:)``, and `tooManyAttempts` after many refusals.
  func credential(
    of providerID: String, _ code: AuthorizationCode, fingerprint: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> [String: String] {
    let provider = try authorizationProvider(providerID)
    guard self.fingerprint(of: providerID) == fingerprint else {
      throw AccountError(.invalidProviderResponse, "The provider was changed during the sign-in. Start again.")
    }
    try requireAdmitted(client, now: now)
    do throws(AccountError) {
      return try await answer(of: providerID) { try await provider.credential(code) }
    } catch {
      context.throttle.credentialRefused(address: client.address, now: now)
      await context.audit.recordRefusal(
        AuditEvent(.signInFailed, client: client, detail: "\(providerID): \(error.code.rawValue)"), now: now)
      throw error
    }
  }

  private func authorizationProvider(_ id: String) throws(AccountError) -> any AuthorizationCodeProvider {
    guard let provider = pageProvider(id) else {
      throw AccountError(.operationNotAllowed, "The identity provider configuration is not found.")
    }
    return provider
  }

  private func pageProvider(_ id: String) -> (any AuthorizationCodeProvider)? {
    (credentialProvider(id) as? any AuthorizationCodeProvider).flatMap { $0.servesAuthorizationCodes ? $0 : nil }
  }

  private func answer<Value: Sendable>(
    of providerID: String, _ ask: @escaping @Sendable () async throws -> Value
  ) async throws(AccountError) -> Value {
    let answer = await Deadline.run(milliseconds: ActivePlugins.timeoutMilliseconds) {
      () -> Result<Value, SignInRefusal> in
      do {
        return .success(try await ask())
      } catch let refusal as SignInRefusal {
        return .failure(refusal)
      }
    }
    switch answer {
    case .success(let value)?: return value
    case .failure(let refusal)?: throw AccountError(refusal)
    case nil:
      context.notice(AccountsNotice(.warning, "sign-in provider \(providerID) failed or did not answer in time"))
      throw AccountError(.invalidProviderResponse, "The provider \(providerID) did not answer.")
    }
  }
}
