import HearthPlugin

/// The ways to sign in that are switched on.
package final class ProviderDirectory: Sendable {
  /// How long a provider or a hook may take; after that it has refused.
  static let timeoutMilliseconds: Int64 = 10_000

  private let providers: [any SignInProvider]
  private let byID: [String: any SignInProvider]

  /// Of two with the same id the first counts.
  init(_ providers: [any SignInProvider]) {
    self.providers = providers
    byID = Dictionary(providers.map { ($0.manifest.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Sorted.
  package var ids: [String] { byID.keys.sorted() }

  /// The provider that serves a method of which there can be only one.
  package func provider(for method: SignInMethod) -> (any SignInProvider)? {
    providers.first { $0.manifest.methods.contains(method) }
  }

  /// The provider of that id, when it takes credentials of other servers.
  package func credentialProvider(_ id: String) -> (any SignInProvider)? {
    byID[id].flatMap { $0.manifest.methods.contains(.credential) ? $0 : nil }
  }
}
