extension KeyRing {
  /// The keys of that kind, newest first.
  public func list(_ kind: KeyKind) -> [KeyInfo] {
    snapshot.store.file(kind).keysOrNone()?.entries.map(\.info) ?? []
  }

  /// Makes a new key the successor.
  ///
  /// - Parameters:
  ///   - nowSeconds: seconds since 1970.
  ///   - isUrgent: false publishes the new key first, so that verifiers elsewhere know it when it begins to sign: an
  ///     hour later, by ``rotateIfDue(nowSeconds:)``, or by a second call then. True lets it sign at once; verifiers
  ///     that cache published keys may refuse its tokens for up to an hour. The old key still verifies: when it may be
  ///     compromised, ``remove(_:kid:)`` it and every other key that lay in the same file.
  /// - Returns: the newest key.
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

  /// Removes a key: its signatures are invalid from now on. When it was the signing key, another signs at once.
  ///
  /// - Throws: `.unknownKey` when there is no key of that name.
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

  /// Performs the due steps of rotation: publishes next keys, lets them sign, drops retired ones. To be called every
  /// few minutes from a thread that may block.
  ///
  /// - Returns: whether anything changed; or the reason why it could not, and then everything is as before.
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

  /// Adds a new database secret in front; the older ones stay valid, three in all.
  public func rotateLegacySecret() throws(KeyStoreError) {
    try change { (store) throws(KeyStoreError) in try store.rotateLegacySecret(random: random) }
  }

  /// Removes a database secret: tokens signed with it are invalid from now on.
  ///
  /// - Parameter index: its index in `legacySecrets`, 0 for the newest.
  /// - Throws: `.unknownKey` when there is none, or no other.
  public func removeLegacySecret(_ index: Int) throws(KeyStoreError) {
    try change { (store) throws(KeyStoreError) in
      let ids = store.legacySecrets.ids
      let directory = store.directory
      try store.changeLegacySecrets { (secrets) throws(KeyStoreError) in
        // The index was taken from this process's list, so the file has to agree.
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
