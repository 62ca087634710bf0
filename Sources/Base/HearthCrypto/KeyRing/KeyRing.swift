import Synchronization

/// The current keys of a server, for signing and verifying. Safe to use from many threads.
///
/// A change replaces everything at once; a `verifier` that was read before is not affected, so it is read again for
/// each request. Changes write files and create keys, which takes up to a second, so they must not run on an event
/// loop.
public final class KeyRing: Sendable {
  /// The values derived from one version of the files.
  struct Snapshot: Sendable {
    var generation: Int
    var store: KeyStore
    var verifier: CredentialVerifier
    var cookieVerifier: IDTokenVerifier
  }

  /// The store of the keys that several servers share, and the callback for keys that another server removed.
  struct Sharing: Sendable {
    var sharedStore: any SharedKeyStore
    var onRemoval: @Sendable (RemovedKeys) -> Void
  }

  let projectID: String
  /// The tenant whose tokens the keys sign; nil for the project's own.
  public let tenant: String?
  let random: RandomBytes
  private let acceptsRawSecrets: Bool
  private let developerCredentials: DeveloperCredentials?
  /// The seal that replaces a token's signature in emulator mode; nil otherwise.
  let seal: TokenSeal?
  /// The access tokens; the same object for the lifetime of the ring.
  public let adminTokens: AdminTokens
  private let current: Mutex<Snapshot>
  /// A lock that is held while the files are changed; never taken while `current` is held.
  let writing = Mutex(())
  /// The sharing with other servers; nil for a single server.
  let shared = Mutex<Sharing?>(nil)
  /// The generation of the original ring at the last call of ``follow(_:)``.
  private let followed = Mutex(1)

  /// - Parameters:
  /// - projectID: The `aud` of ID tokens.
  /// - tenant: The `firebase.tenant` of ID tokens; nil for none.
  /// - developerCredentials: The emulator's credentials; nil unless in emulator mode.
  /// - acceptsRawSecrets: True when a database secret by itself grants full access, as in the legacy protocol. Tokens
  ///   signed with it are valid in any case.
  /// - random: The source of key IDs and nonces; OpenSSL generates the RSA keys itself.
  public init(
    store: KeyStore, projectID: String, tenant: String? = nil, developerCredentials: DeveloperCredentials? = nil,
    acceptsRawSecrets: Bool = true, random: RandomBytes = .system
  ) {
    self.projectID = projectID
    self.tenant = tenant
    self.random = random
    self.acceptsRawSecrets = acceptsRawSecrets
    self.developerCredentials = developerCredentials
    adminTokens = AdminTokens(permanent: [store.adminToken], key: store.sealingKey, projectID: projectID)
    let seal = developerCredentials == nil ? nil : TokenSeal(store.sealingKey)
    self.seal = seal
    current = Mutex(
      Snapshot(
        generation: 1, store: store,
        verifier: CredentialVerifier(
          legacyTokens: LegacyTokenVerifier(secrets: store.legacySecrets),
          legacySecrets: acceptsRawSecrets ? store.legacySecrets : nil,
          idTokens: IDTokenVerifier(
            projectID: projectID, tenant: tenant, keys: store.idTokenFile.keysIfPresent, seal: seal),
          adminTokens: adminTokens,
          developerCredentials: developerCredentials),
        cookieVerifier: IDTokenVerifier(
          projectID: projectID, tenant: tenant, keys: store.sessionCookieFile.keysIfPresent, kind: .sessionCookie,
          seal: seal)))
  }

  /// Creates a ring with the same keys for another project, or for a tenant of this one. ``follow(_:)`` loads later
  /// changes.
  public func copy(for projectID: String? = nil, tenant: String? = nil) -> KeyRing {
    KeyRing(
      store: snapshot.store, projectID: projectID ?? self.projectID, tenant: tenant,
      developerCredentials: developerCredentials, acceptsRawSecrets: acceptsRawSecrets, random: random)
  }

  /// Loads the changes of the ring that this one is a copy of. Cheap when nothing changed.
  public func follow(_ original: KeyRing) {
    let theirs = original.snapshot
    let hasChanged = followed.withLock { seen in
      defer { seen = theirs.generation }
      return seen != theirs.generation
    }
    if hasChanged { writing.withLock { _ in activate(theirs.store) } }
  }

  var snapshot: Snapshot { current.withLock { $0 } }

  /// A number that grows with every change of a key or a secret.
  public var generation: Int { current.withLock { $0.generation } }

  /// The current verifier of credentials. Cheap to read.
  public var verifier: CredentialVerifier { current.withLock { $0.verifier } }

  /// The valid database secrets.
  public var legacySecrets: LegacySecrets { current.withLock { $0.store.legacySecrets } }

  /// Returns true when the key or secret with which a credential was verified is still valid, and for kinds of
  /// credentials that are verified without one.
  public func isKeyValid(of credential: VerifiedCredential) -> Bool {
    guard let keyID = credential.keyID else { return true }
    let snapshot = snapshot
    switch credential.kind {
    case .idToken: return snapshot.store.idTokenFile.containsKey(keyID)
    case .sessionCookie: return snapshot.store.sessionCookieFile.containsKey(keyID)
    case .legacyToken: return snapshot.store.legacySecrets.ids.contains(keyID)
    case .legacySecret: return acceptsRawSecrets && snapshot.store.legacySecrets.ids.contains(keyID)
    case .adminToken, .foreignToken, .developerToken, .developerOwner, .consoleSession: return true
    }
  }

  // MARK: Changing

  /// Changes the files, then publishes the result to all threads. Changes are made one at a time.
  func change<Value: Sendable>(
    _ body: (inout KeyStore) throws(KeyStoreError) -> Value
  ) throws(KeyStoreError) -> Value {
    try writing.withLock { (_) throws(KeyStoreError) in
      var store = snapshot.store
      let value: Value
      if let sharing = shared.withLock({ $0 }) {
        value = try changeShared(sharing, &store, body)
      } else {
        // The keys must exist before they are changed.
        try store.makeKeys()
        value = try body(&store)
      }
      activate(store)
      return value
    }
  }

  /// Activates a store's contents. Unchanged files keep their verifier, and its cache of verified tokens.
  func activate(_ store: KeyStore) {
    var next = snapshot
    let before = next.store
    next.store = store
    next.store.keepFiles(of: before)
    var hasChanged = store.adminToken != before.adminToken
    for kind in KeyKind.allCases where next.store.file(kind) !== before.file(kind) {
      hasChanged = true
      let verifier = IDTokenVerifier(
        projectID: projectID, tenant: tenant, keys: next.store.file(kind).keysIfPresent, kind: kind, seal: seal)
      switch kind {
      case .idToken: next.verifier.idTokens = verifier
      case .sessionCookie: next.cookieVerifier = verifier
      }
    }
    if store.legacySecrets.active != before.legacySecrets.active {
      next.verifier.legacyTokens = LegacyTokenVerifier(secrets: store.legacySecrets)
      next.verifier.legacySecrets = acceptsRawSecrets ? store.legacySecrets : nil
      hasChanged = true
    }
    if hasChanged { next.generation += 1 }
    let published = next
    current.withLock { $0 = published }
    adminTokens.replacePermanent([store.adminToken])
  }
}

extension KeyRing: Redacted {}
