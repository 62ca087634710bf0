extension KeyRing {
  /// Returns the keys of a kind, newest first.
  public func list(_ kind: KeyKind) -> [KeyInfo] {
    snapshot.store.file(kind).keysOrNone()?.entries.map(\.info) ?? []
  }

  /// Creates a new key that will replace the signing key.
  ///
  /// - Parameters:
  /// - nowSeconds: The time in seconds since 1970.
  /// - isUrgent: False to publish the new key first, so that other verifiers know it when it begins to sign: an hour
  ///   later, by ``rotateIfDue(nowSeconds:)`` or a second call of this function. True to sign with it at once;
  ///   verifiers that cache published keys may then refuse its tokens for up to an hour. The old key is still accepted:
  ///   when it may be compromised, ``remove(_:kid:)`` it and every other key in the same file.
  /// - Returns: The newest key.
  @discardableResult
  public func rotate(
    _ kind: KeyKind, nowSeconds: Int64, isUrgent: Bool = false
  ) throws(KeyStoreError) -> KeyInfo {
    try change { (store) throws(KeyStoreError) in
      try store.change(kind) { (keys) throws(RandomnessError) in
        try keys.rotated(isUrgent: isUrgent, nowSeconds: nowSeconds, random: random)
      }
      return try store.keys(kind).entries[0].info  // never empty, by SigningKeys' initialisers
    }
  }

  /// Removes a key: its signatures are invalid from now on. When it was the signing key, another key becomes the
  /// signing key at once.
  ///
  /// - Throws: `.unknownKey` when there is no key with the ID.
  public func remove(_ kind: KeyKind, kid: String) throws(KeyStoreError) {
    try change { (store) throws(KeyStoreError) in
      var isKnown = false
      try store.change(kind) { (keys) throws(RandomnessError) in
        isKnown = keys.key(id: kid) != nil
        return isKnown ? try keys.removing(id: kid, random: random) : nil
      }
      guard isKnown else { throw .unknownKey(path: store.directory) }
    }
  }

  /// Performs the due steps of rotation: publishes new keys, makes published ones sign, removes retired ones. The
  /// caller calls it every few minutes, on a thread that may block.
  ///
  /// - Returns: True when anything changed; on an error nothing has changed.
  @discardableResult
  public func rotateIfDue(nowSeconds: Int64) -> Result<Bool, KeyStoreError> {
    let before = generation
    do {
      for kind in KeyKind.allCases {
        try change { (store) throws(KeyStoreError) in
          try store.change(kind) { (keys) throws(RandomnessError) in
            try keys.rotatedIfDue(nowSeconds: nowSeconds, random: random)
          }
        }
      }
    } catch {
      return .failure(error)
    }
    return .success(generation != before)
  }

  // MARK: Legacy secrets

  /// Adds a new database secret in front; the older ones stay valid, up to ``TokenLimits/legacySecretsMax`` in total.
  public func rotateLegacySecret() throws(KeyStoreError) {
    try change { (store) throws(KeyStoreError) in try store.rotateLegacySecret(random: random) }
  }

  /// Removes a database secret: tokens signed with it are invalid from now on.
  ///
  /// - Parameter index: The index in `legacySecrets`, 0 for the newest.
  /// - Throws: `.unknownKey` when there is no such secret, or when it is the only one.
  public func removeLegacySecret(_ index: Int) throws(KeyStoreError) {
    try change { (store) throws(KeyStoreError) in
      let ids = store.legacySecrets.ids
      let directory = store.directory
      try store.changeLegacySecrets { (secrets) throws(KeyStoreError) in
        // The index refers to this process's list, so the file must have the same list.
        guard secrets.ids == ids, let rest = secrets.removing(at: index) else { throw .onlyKey(path: directory) }
        return rest
      }
    }
  }

  /// Loads changes that another process wrote into the files.
  public func reload() throws(KeyStoreError) {
    try change { (store) throws(KeyStoreError) in
      store = try KeyStore(directory: store.directory, createsMissing: false)
    }
  }
}
