import HearthCrypto
import HearthPlugin
import Synchronization

/// The OpenID Connect issuers that administrators configured, as providers: created at their first use, and again when
/// their configuration has changed.
final class ConfiguredProviders: Sendable {
  private struct CachedProvider {
    var configuration: ProviderConfiguration
    var provider: any SignInProvider
  }

  private let context: AccountsContext
  private let cache = Mutex<[String: CachedProvider]>([:])

  init(context: AccountsContext) { self.context = context }

  /// The configuration of an enabled provider; nil for any other.
  func enabled(_ id: String) -> ProviderConfiguration? {
    guard id.utf8.count <= ProviderConfiguration.oidcPrefix.utf8.count + ProviderConfiguration.nameBytesMax,
      let configuration = context.store.view.providerConfiguration(id), configuration.isEnabled
    else { return nil }
    return configuration
  }

  /// The provider with the given id; nil when it is not configured or not enabled.
  func provider(_ id: String) -> (any SignInProvider)? {
    guard id.utf8.starts(with: ProviderConfiguration.oidcPrefix.utf8) else { return nil }
    guard let issuers = context.plugins.issuers, let configuration = enabled(id), let oidc = configuration.oidc else {
      cache.withLock { _ = $0.removeValue(forKey: id) }
      return nil
    }
    return cache.withLock { cache in
      if let known = cache[id], known.configuration == configuration { return known.provider }
      let secret = oidc.takesCodes ? oidc.sealedSecret.flatMap { context.keys.clientSecret($0, of: id) } : nil
      let provider = issuers.provider(
        of: ConfiguredIssuer(
          id: id, displayName: configuration.displayName ?? id, issuer: oidc.issuer, clientID: oidc.clientID,
          clientSecret: secret, emailDomains: configuration.emailDomains))
      cache[id] = CachedProvider(configuration: configuration, provider: provider)
      return provider
    }
  }
}

extension KeyRing {
  private func purpose(of id: String) -> String { "client secret of \(id)" + (tenant.map { " in \($0)" } ?? "") }

  /// Returns a client secret in sealed form.
  func sealed(clientSecret: String, of id: String) throws(AccountError) -> String {
    do {
      return try seal(Array(clientSecret.utf8), for: purpose(of: id))
    } catch {
      throw AccountError(.unavailable)
    }
  }

  /// Returns a stored client secret; nil when it was sealed with another key, or for another provider.
  func clientSecret(_ sealed: String, of id: String) -> String? {
    unseal(sealed, for: purpose(of: id)).map { String(decoding: $0, as: UTF8.self) }
  }
}
