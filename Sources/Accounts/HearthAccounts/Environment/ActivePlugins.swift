import HearthPlugin
import Synchronization

/// The plugins that are switched on: those that the server was started with, and those that come and go while it runs.
package final class ActivePlugins: Sendable {
  /// The time that a provider or a hook may take; after that it has refused.
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
    var auditSinks: [any AuditSink]

    /// Of two providers with the same id the first counts.
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

  /// - Parameter own: those that the server was started with.
  init(_ own: PluginSet) {
    self.own = own
    table = Mutex(Table(own, PluginSet()))
  }

  /// Puts these beside the server's own, in the place of those of the last call, all at once. Providers and hooks of the
  /// server come first; what sends takes the place of the server's.
  func setFurther(_ further: PluginSet) {
    let new = Table(own, further)
    table.withLock { $0 = new }
  }

  /// What makes providers of issuers that are set up while the server runs; nil without such a plugin.
  var issuers: (any IssuerProviders)? { own.issuers }

  /// The providers' ids, sorted.
  package var ids: [String] { table.withLock { $0.byID.keys.sorted() } }

  /// Asked in this order before accounts are made and sessions begin.
  var hooks: [any DecidingHook] { table.withLock { $0.hooks } }

  /// Asked in this order about a password that is not stored here.
  var passwordCheckers: [any PasswordChecker] { table.withLock { $0.passwordCheckers } }

  /// Asked in this order before each ID token.
  var claimsSources: [any ClaimsSource] { table.withLock { $0.claimsSources } }

  /// Nil refuses everything that needs a mail.
  var mailer: (any Mailer)? { table.withLock { $0.mailer } }

  /// Nil refuses everything that needs a text message.
  var smsSender: (any SMSSender)? { table.withLock { $0.smsSender } }

  /// Asked about tokens that the server did not make.
  var verifiers: [any TokenVerifier] { table.withLock { $0.verifiers } }

  /// Told what goes into the audit trail.
  var auditSinks: [any AuditSink] { table.withLock { $0.auditSinks } }

  /// The provider that serves a method of which there can be only one.
  package func provider(for method: SignInMethod) -> (any SignInProvider)? {
    table.withLock { $0.providers.first { $0.manifest.methods.contains(method) } }
  }

  /// What checks passkeys.
  var passkeyProvider: (any PasskeyProvider)? { provider(for: .passkey) as? any PasskeyProvider }

  /// The provider of that id, when it takes credentials of other servers.
  package func credentialProvider(_ id: String) -> (any SignInProvider)? {
    table.withLock { $0.byID[id] }.flatMap { $0.manifest.methods.contains(.credential) ? $0 : nil }
  }

  /// The provider of that id, when people can sign in on its own page.
  func authorizationProvider(_ id: String) -> (any AuthorizationCodeProvider)? {
    (credentialProvider(id) as? any AuthorizationCodeProvider).flatMap { $0.servesAuthorizationCodes ? $0 : nil }
  }

  /// The providers on whose own pages people can sign in.
  package var authorizationProviders: [ProviderManifest] {
    table.withLock { $0.providers }.map(\.manifest).filter { authorizationProvider($0.id) != nil }
  }
}
