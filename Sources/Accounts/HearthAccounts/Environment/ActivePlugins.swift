import HearthPlugin
import Synchronization

/// The active plugins: those compiled into the server, and those that are added and removed while it runs.
package final class ActivePlugins: Sendable {
  /// The time limit for a provider or a hook; after it the request is refused.
  static let timeoutMilliseconds: Int64 = 10_000

  private struct Table {
    var providers: [any SignInProvider]
    var byID: [String: any SignInProvider]
    var hooks: [any DecidingHook]
    var passwordCheckers: [any PasswordChecker]
    var claimsSources: [any ClaimsSource]
    var mailer: (any Mailer)?
    var smsSender: (any SMSSender)?
    var verifiers: [any TokenVerifier]
    var issuerVerifiers: [any TokenVerifier] = []
    var auditSinks: [any AuditSink]

    /// Combines two sets; of two providers with the same id the first is used.
    init(_ own: PluginSet, _ further: PluginSet) {
      providers = own.providers + further.providers
      byID = Dictionary(providers.map { ($0.manifest.id, $0) }, uniquingKeysWith: { first, _ in first })
      hooks = own.hooks + further.hooks
      passwordCheckers = own.passwordCheckers + further.passwordCheckers
      claimsSources = own.claimsSources + further.claimsSources
      mailer = further.mailer ?? own.mailer
      smsSender = further.smsSender ?? own.smsSender
      verifiers = own.verifiers + further.verifiers
      auditSinks = own.auditSinks + further.auditSinks
    }
  }

  private let own: PluginSet
  private let table: Mutex<Table>

  /// - Parameter own: the plugins compiled into the server.
  init(_ own: PluginSet) {
    self.own = own
    table = Mutex(Table(own, PluginSet()))
  }

  /// Replaces all plugins that were added while the server runs, at once. The server's own providers and hooks come first; added
  /// mail and message senders replace the server's.
  func setFurther(_ further: PluginSet) {
    var new = Table(own, further)
    table.withLock { table in
      new.issuerVerifiers = table.issuerVerifiers
      table = new
    }
  }

  /// Replaces the verifiers of trusted issuers. Verifiers of issuers whose settings have not changed keep their keys.
  func setTrusted(_ trusted: TrustedIssuers) {
    let new = trusted.all.isEmpty ? [] : own.issuerVerifiers?(trusted) ?? []
    table.withLock { table in
      table.issuerVerifiers = new.map { verifier in
        table.issuerVerifiers.first { $0.name == verifier.name && $0.revision == verifier.revision } ?? verifier
      }
    }
  }

  /// The factory for providers of issuers that are configured while the server runs; nil without such a plugin.
  var issuers: (any IssuerProviders)? { own.issuers }

  /// The providers' ids, sorted.
  package var ids: [String] { table.withLock { $0.byID.keys.sorted() } }

  /// The hooks that decide before accounts are created and sessions begin, in this order.
  var hooks: [any DecidingHook] { table.withLock { $0.hooks } }

  /// The checkers of passwords that are not stored here, in this order.
  var passwordCheckers: [any PasswordChecker] { table.withLock { $0.passwordCheckers } }

  /// The plugins that add claims to each ID token, in this order.
  var claimsSources: [any ClaimsSource] { table.withLock { $0.claimsSources } }

  /// The mailer; without one, requests that need a mail are refused.
  var mailer: (any Mailer)? { table.withLock { $0.mailer } }

  /// The sender of text messages; without one, requests that need a message are refused.
  var smsSender: (any SMSSender)? { table.withLock { $0.smsSender } }

  /// The verifiers of tokens that the server did not issue.
  var verifiers: [any TokenVerifier] { table.withLock { $0.issuerVerifiers + $0.verifiers } }

  /// The receivers of audit records.
  var auditSinks: [any AuditSink] { table.withLock { $0.auditSinks } }

  /// The provider for a method that can have only one.
  package func provider(for method: SignInMethod) -> (any SignInProvider)? {
    table.withLock { $0.providers.first { $0.manifest.methods.contains(method) } }
  }

  /// The provider that checks passkeys.
  var passkeyProvider: (any PasskeyProvider)? { provider(for: .passkey) as? any PasskeyProvider }

  /// The provider with the given id, when it accepts credentials of other servers.
  package func credentialProvider(_ id: String) -> (any SignInProvider)? {
    table.withLock { $0.byID[id] }.flatMap { $0.manifest.methods.contains(.credential) ? $0 : nil }
  }

  /// The provider with the given id, when it serves authorization codes on a page of its own.
  func authorizationProvider(_ id: String) -> (any AuthorizationCodeProvider)? {
    (credentialProvider(id) as? any AuthorizationCodeProvider).flatMap { $0.servesAuthorizationCodes ? $0 : nil }
  }

  /// The providers with sign-in pages of their own.
  package var authorizationProviders: [ProviderManifest] {
    table.withLock { $0.providers }.map(\.manifest).filter { authorizationProvider($0.id) != nil }
  }
}
