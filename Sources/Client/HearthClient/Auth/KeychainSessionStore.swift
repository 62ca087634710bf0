#if canImport(Security)
  import Foundation
  import Security

  /// A session store in the Keychain: that of one app, or shared by the apps of an access group.
  public struct KeychainSessionStore: AuthSessionStore {
    private static let service = "hearth.auth.session"

    /// The access group, an entitlement of the app; nil for the app's own items.
    public let accessGroup: String?

    private let account: String
    /// The file in which earlier versions kept the session, and in which programs keep it that may not use the Keychain,
    /// such as commands without a signature.
    private let file: FileSessionStore?

    /// Creates the store of an access group.
    public init(accessGroup: String) { self.init(account: "user", accessGroup: accessGroup, file: nil) }

    /// Creates the store of one app.
    ///
    /// - Parameter account: The name of the item.
    init(account: String, file: FileSessionStore) { self.init(account: account, accessGroup: nil, file: file) }

    private init(account: String, accessGroup: String?, file: FileSessionStore?) {
      (self.account, self.accessGroup, self.file) = (account, accessGroup, file)
    }

    private var query: [String: Any] {
      var query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: Self.service,
        kSecAttrAccount as String: account, kSecUseDataProtectionKeychain as String: true,
      ]
      if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
      return query
    }

    /// Returns the saved session; nil when there is none.
    public func load() throws -> Data? {
      var found: CFTypeRef?
      let status = SecItemCopyMatching(query.merging([kSecReturnData as String: true]) { $1 } as CFDictionary, &found)
      if let file, status == errSecItemNotFound || status == errSecMissingEntitlement { return try file.load() }
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess else { throw failure("read", status) }
      return found as? Data
    }

    /// Saves a session and replaces the previous one.
    public func save(_ session: Data) throws {
      let values =
        [
          kSecValueData as String: session, kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlock,
        ] as [String: Any]
      var status = SecItemUpdate(query as CFDictionary, values as CFDictionary)
      if status == errSecItemNotFound { status = SecItemAdd(query.merging(values) { $1 } as CFDictionary, nil) }
      if let file, status == errSecMissingEntitlement { return try file.save(session) }
      guard status == errSecSuccess else { throw failure("write", status) }
      try file?.clear()
    }

    /// Removes the session.
    public func clear() throws {
      let status = SecItemDelete(query as CFDictionary)
      let isGone = status == errSecSuccess || status == errSecItemNotFound
      guard isGone || file != nil && status == errSecMissingEntitlement else { throw failure("clear", status) }
      try file?.clear()
    }

    private func failure(_ operation: String, _ status: OSStatus) -> NSError {
      let place = accessGroup.map { "'s access group \($0)" } ?? ""
      return AuthErrorCode.keychainError.error(
        "The Keychain\(place) refused to \(operation) the session (OSStatus \(status)).")
    }
  }

  extension Auth {
    /// The access group of the Keychain that keeps the session; nil for the app's own store.
    public var userAccessGroup: String? { state.withLock { ($0.store as? KeychainSessionStore)?.accessGroup } }

    /// Keeps the session in an access group of the Keychain; its stored user becomes the signed-in user.
    ///
    /// - Parameter accessGroup: The group; nil for the app's own store.
    /// - Throws: ``AuthErrorCode/keychainError`` when the app may not use the group.
    public func useUserAccessGroup(_ accessGroup: String?) throws {
      let store = accessGroup.map { KeychainSessionStore(accessGroup: $0) }
      _ = try store?.load()
      replaceStore(store)
    }
  }
#endif
