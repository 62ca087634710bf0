import HearthCrypto

/// The administration of providers that are configured while the server runs, in a project or one of its tenants.
package struct ProviderAdministration: Sendable {
  let context: AccountsContext

  /// A provider's configuration.
  ///
  /// - Throws: `configurationNotFound`.
  package func configuration(_ id: String) throws(AccountError) -> ProviderConfiguration {
    guard let found = context.store.view.providerConfiguration(id) else { throw Self.notFound(id) }
    return found
  }

  /// The providers whose ids begin with `prefix`, in the order of their ids.
  ///
  /// - Parameter id: the last id of the previous page; nil begins with the first.
  package func page(prefix: String, after id: String?, limit: Int) -> [ProviderConfiguration] {
    context.store.view.providerConfigurations(prefix: prefix, after: id, limit: limit)
  }

  /// Stores a new provider.
  ///
  /// - Throws: `configurationExists` for an id in use here or in the server's settings; `quotaExceeded`.
  package func create(
    _ configuration: ProviderConfiguration, by administrator: Administrator
  ) async throws(AccountError) {
    let id = configuration.id
    guard context.plugins.credentialProvider(id) == nil else {
      throw AccountError(.configurationExists, "The provider \(id) is configured in the server's settings file.")
    }
    try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      guard transaction.providerConfiguration(id) == nil else {
        throw AccountError(.configurationExists, "The provider \(id) already exists.")
      }
      guard transaction.providerConfigurationCount < ProviderConfiguration.countMax else {
        throw AccountError(.quotaExceeded, "There can be at most \(ProviderConfiguration.countMax) providers.")
      }
      transaction.putProviderConfiguration(configuration)
      transaction.audit(administrator.event(.configurationChanged, detail: "provider \(id) made"))
    }
  }

  /// Replaces a provider's configuration, from the next request on.
  ///
  /// - Parameters:
  ///   - seen: the configuration that the change is based on.
  ///   - configuration: the new one.
  /// - Throws: `configurationNotFound`; `unavailable` after a concurrent change.
  package func replace(
    _ seen: ProviderConfiguration, with configuration: ProviderConfiguration, by administrator: Administrator
  ) async throws(AccountError) {
    try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      guard let current = transaction.providerConfiguration(seen.id) else { throw Self.notFound(seen.id) }
      guard current == seen, configuration.id == seen.id else { throw AccountError(.unavailable) }
      transaction.putProviderConfiguration(configuration)
      transaction.audit(administrator.event(.configurationChanged, detail: "provider \(seen.id) changed"))
    }
  }

  /// Deletes a provider. Users who signed in by it stay signed in.
  ///
  /// - Throws: `configurationNotFound`.
  package func delete(_ id: String, by administrator: Administrator) async throws(AccountError) {
    try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      guard transaction.providerConfiguration(id) != nil else { throw Self.notFound(id) }
      transaction.removeProviderConfiguration(id)
      transaction.audit(administrator.event(.configurationChanged, detail: "provider \(id) deleted"))
    }
  }

  private static func notFound(_ id: String) -> AccountError {
    AccountError(.configurationNotFound, "Unknown provider configuration.")
  }

  /// The redirect URIs to register at an issuer with a page: one for each origin of this server's pages.
  package func redirectURIs(of configuration: ProviderConfiguration, origins: [String]) -> [String] {
    let redirectURIKind: RedirectURIKind = configuration.oidc?.usesSharedRedirectURI == false ? .own : .shared
    return origins.map { redirectURIKind.address(of: configuration.id, tenantID: context.keys.tenant, origin: $0) }
  }

  // MARK: Secrets

  /// Returns a client secret in the sealed form that a configuration stores.
  package func sealed(clientSecret: String, of id: String) throws(AccountError) -> String {
    try context.keys.sealed(clientSecret: clientSecret, of: id)
  }

  /// The client secret of a configuration, for its administrators; nil without one.
  package func clientSecret(of configuration: ProviderConfiguration) -> String? {
    configuration.oidc?.sealedSecret.flatMap { context.keys.clientSecret($0, of: configuration.id) }
  }
}
