import HearthConsole
import HearthCrypto

extension ConsoleSessionStore {
  /// Opens the store of a server's console, and restores the sessions. Blocks.
  ///
  /// - Parameters:
  ///   - access: the console's access control; nil when no console is served: then all sessions end.
  ///   - store: the keys with the operator's credential.
  ///   - keys: the keys that sign ID tokens.
  /// - Returns: nil when no console is served.
  static func open(
    _ options: HearthServer.Options, _ access: ConsoleAccess?, _ store: KeyStore, _ keys: KeyRing
  ) -> ConsoleSessionStore? {
    guard let access else {
      remove(from: options.dataDirectory)
      return nil
    }
    let sessions = ConsoleSessionStore(
      folder: options.dataDirectory, access: access,
      operatorCredential: operatorCredential(store.adminToken, isEmulator: options.accounts.isEmulator),
      logger: options.logger)
    sessions.restore { user in
      user.keyID.map { id in keys.list(.idToken).contains { $0.kid == id } } ?? true
    }
    return sessions
  }
}

extension ConsoleSessionStore: ServerPart {
  func stop() async { await close() }
}
