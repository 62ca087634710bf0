/// Keys and secrets that several servers share. A change is written to the shared copy, and succeeds only when no other
/// server has changed it meanwhile; the other servers load it.
extension KeyRing {
  /// The maximum number of attempts at a change while other servers change the keys.
  private static let attemptsMax = 8

  /// Shares the keys and secrets with other servers from now on. An existing shared copy replaces the keys in this
  /// folder; otherwise the first change, or the next ``rotateIfDue(nowSeconds:)``, publishes those of this folder.
  ///
  /// - Parameter onRemoval: Called with the keys and secrets that another server has removed, on the thread that
  ///   detects it; it must not change keys.
  /// - Throws: An error of the key store; `.foreignSealingKey` when the shared copy is sealed with another sealing key
  ///   than this server's.
  public func share(
    in store: any SharedKeyStore, onRemoval: @escaping @Sendable (RemovedKeys) -> Void = { _ in }
  ) throws(KeyStoreError) {
    shared.withLock { $0 = Sharing(sharedStore: store, onRemoval: onRemoval) }
    try loadShared()
  }

  /// Loads the changes of other servers. Cheap when there are none.
  ///
  /// - Returns: The keys and secrets that are no longer valid.
  @discardableResult
  public func loadShared() throws(KeyStoreError) -> RemovedKeys {
    try writing.withLock { (_) throws(KeyStoreError) in
      var store = snapshot.store
      guard let sharing = shared.withLock({ $0 }), let text = try sharing.sharedStore.read() else {
        return RemovedKeys()
      }
      return try take(text, into: &store, sharing)
    }
  }

  /// Applies the changes of another server, even when this server is about to make further changes, because removed
  /// keys can only be reported at this time.
  @discardableResult
  private func take(_ text: String, into store: inout KeyStore, _ sharing: Sharing) throws(KeyStoreError) -> RemovedKeys
  {
    guard try store.take(text) else { return RemovedKeys() }
    let (keys, secrets) = (keyIDs, legacySecrets.ids)
    activate(store)
    let (keysNow, secretsNow) = (keyIDs, legacySecrets.ids)
    let lost = RemovedKeys(
      keyIDs: keys.filter { !keysNow.contains($0) }, hasSecret: secrets.contains { !secretsNow.contains($0) })
    if lost != RemovedKeys() { sharing.onRemoval(lost) }
    return lost
  }

  private var keyIDs: [String] { KeyKind.allCases.flatMap { list($0) }.map(\.kid) }

  /// Creates a change to the shared copy.
  func changeShared<Value>(
    _ sharing: Sharing, _ store: inout KeyStore, _ body: (inout KeyStore) throws(KeyStoreError) -> Value
  ) throws(KeyStoreError) -> Value {
    for _ in 0..<Self.attemptsMax {
      let found = try sharing.sharedStore.read()
      if let found { try take(found, into: &store, sharing) }
      try store.makeKeys()
      let before = try store.bundle()
      let value = try body(&store)
      let after = try store.bundle()
      guard after != before || found == nil else { return value }
      do throws(KeyStoreError) {
        if try sharing.sharedStore.write(try store.seal(after, random: random), over: found) { return value }
      } catch {
        try store.take(before)
        throw error
      }
      // Another server has changed the keys meanwhile. The folder has no unshared changes, so the next attempt begins
      // with the shared copy.
      try store.take(before)
    }
    throw .unfinished(path: store.directory)
  }
}

extension KeyStore {
  private static let bundlePurpose = "the keys that servers share"

  /// The files that servers share.
  func bundle() throws(KeyStoreError) -> KeyBundle {
    let folder = try PrivateFolder(path: directory, createsMissing: false)
    var files: [(name: String, text: String)] = []
    for name in Self.sharedNames {
      guard let text = try folder.existing(name, parse: { $0 }) else { throw .missing(path: directory + "/" + name) }
      files.append((name, text))
    }
    return KeyBundle(files)
  }

  func seal(_ bundle: KeyBundle, random: RandomBytes) throws(KeyStoreError) -> String {
    do {
      return try sealingKey.seal(Array(bundle.text.utf8), for: Self.bundlePurpose, random: random)
    } catch {
      throw .noRandomness(path: directory)
    }
  }

  /// Loads the shared copy.
  ///
  /// - Returns: True when anything was different.
  mutating func take(_ sealed: String) throws(KeyStoreError) -> Bool {
    guard let bytes = sealingKey.unseal(sealed, for: Self.bundlePurpose) else {
      throw .foreignSealingKey(path: directory)
    }
    guard let text = String(validating: bytes, as: UTF8.self),
      let bundle = KeyBundle(text: text, names: Self.sharedNames),
      Self.isReadable(bundle)
    else { throw .damaged(path: "what the servers share") }
    return try take(bundle)
  }

  /// Replaces the files by those of a bundle.
  ///
  /// - Returns: True when anything was different.
  @discardableResult
  mutating func take(_ bundle: KeyBundle) throws(KeyStoreError) -> Bool {
    let folder = try PrivateFolder(path: directory, createsMissing: false)
    let hasChanged = try folder.exclusively { () throws(KeyStoreError) in
      var hasChanged = false
      for (name, text) in bundle.files where try folder.existing(name, parse: { $0 }) != text {
        try folder.replace(name, with: text)
        hasChanged = true
      }
      return hasChanged
    }
    if hasChanged { self = try KeyStore(directory: directory, createsMissing: true) }
    return hasChanged
  }
}
