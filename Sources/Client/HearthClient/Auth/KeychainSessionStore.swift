#if canImport(Security)
  import Foundation
  import Security

  /// A session store in the Keychain, shared by the apps of an access group.
  public struct KeychainSessionStore: AuthSessionStore {
    private static let service = "hearth.auth.session"

    /// The access group, an entitlement of the app.
    public let accessGroup: String

    /// Creates the store of an access group.
    public init(accessGroup: String) { self.accessGroup = accessGroup }

    private var query: [String: Any] {
      [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: Self.service,
        kSecAttrAccount as String: "user", kSecAttrAccessGroup as String: accessGroup,
        kSecUseDataProtectionKeychain as String: true,
      ]
    }

    /// Returns the saved session; nil when there is none.
    public func load() throws -> Data? {
      var found: CFTypeRef?
      let status = SecItemCopyMatching(query.merging([kSecReturnData as String: true]) { $1 } as CFDictionary, &found)
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
      guard status == errSecSuccess else { throw failure("write", status) }
    }

    /// Removes the session.
    public func clear() throws {
      let status = SecItemDelete(query as CFDictionary)
      guard status == errSecSuccess || status == errSecItemNotFound else { throw failure("clear", status) }
    }

    private func failure(_ operation: String, _ status: OSStatus) -> NSError {
      AuthErrorCode.keychainError.error(
        "The Keychain's access group \(accessGroup) refused to \(operation) the session (OSStatus \(status)).")
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
