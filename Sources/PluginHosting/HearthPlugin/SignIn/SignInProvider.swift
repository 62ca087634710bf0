/// A sign-in provider: turns a client's credential into an answer about the account it belongs to.
///
/// All input and output is `Codable` and no state is shared, so the same provider can run in the server, in a child process or
/// behind a webhook. A provider decides; the server carries the decision out, as it alone has users, hashes and sessions.
public protocol SignInProvider: Sendable {
  /// The provider's id, methods and needs. Read at start and with every request; it must not change.
  var manifest: ProviderManifest { get }

  /// Checks one credential. Called for every sign-in, sign-up, link or change with one of the manifest's methods,
  /// concurrently for many clients, in no order, on the server's pool of threads.
  ///
  /// - Parameter request: its ``SignInRequest/parameters`` are untrusted: absent, empty, huge or hostile.
  /// - Returns: the account, or ``SignInAnswer/refused(_:)`` for a credential that is wrong.
  /// - Throws: any error when the provider could not decide, because its own server is down for example. A provider
  ///   that throws, or takes longer than ten seconds, has refused: the client is told that the provider did not answer,
  ///   and the operator's log names the provider, not the error.
  func answer(_ request: SignInRequest) async throws -> SignInAnswer
}

/// A provider's description of itself.
public struct ProviderManifest: Sendable, Codable, Equatable {
  /// The provider's id as tokens and user records show it: `password`, `google.com`, `oidc.example`. Unique among the
  /// providers of a server.
  public var id: String

  /// The name that users see: "Google".
  public var displayName: String

  /// The kinds of credential that the provider takes. ``SignInMethod/credential`` goes to the provider whose ``id`` the
  /// client names; every other method to the first provider that serves it.
  public var methods: Set<SignInMethod>

  /// The facts of the server that the provider needs with each request.
  public var needs: Set<ProviderFacts.Need>

  /// Creates a manifest; a provider that needs no facts leaves `needs` out.
  public init(
    id: String, displayName: String, methods: Set<SignInMethod>, needs: Set<ProviderFacts.Need> = []
  ) {
    self.id = id
    self.displayName = displayName
    self.methods = methods
    self.needs = needs
  }
}

/// A kind of credential, which determines the ``SignInRequest/parameters``.
public enum SignInMethod: String, Sendable, Codable, CaseIterable {
  /// A token that a service account signed: `token`, and `tenantId` when the client names a tenant.
  case customToken
  /// A request without parameters.
  case anonymous
  /// `email`, in canonical form, and `password`, byte for byte.
  case password
  /// `email`, in canonical form, and the `code` that was mailed there.
  case emailLink
  /// The client's fields of `signInWithIdp`: every field of its `postBody`, whatever the provider documents:
  /// `id_token`, `access_token`, `oauth_token_secret`, `nonce`, `key`, …
  case credential
  /// The method of a ``PasskeyProvider``; no ``SignInRequest`` has it.
  case passkey
}
