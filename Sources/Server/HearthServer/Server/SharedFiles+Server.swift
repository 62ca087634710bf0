import HearthClusterNode
import HearthConsole
import HearthCrypto
import HearthDatabase
import HearthGateway
import Logging

extension SharedFiles {
  /// Opens the files that nodes share, with their keys; nil for a server by itself. Blocks.
  ///
  /// - Parameters:
  ///   - router: disconnects the clients whose key another node has removed.
  ///   - access: ends the console sessions that such a key opened.
  static func open(
    _ options: HearthServer.Options, _ node: ClusterNode?, _ keys: KeyRing, _ router: EffectRouter,
    _ access: ConsoleAccess?
  ) throws(ServerError) -> SharedFiles? {
    guard let node else { return nil }
    do {
      let files = try SharedFiles(
        folder: options.dataDirectory, clock: { SystemClock.now }, logger: options.logger,
        notice: { $0.log(SharedFiles.journalName, options.logger) },
        open: {
          try node.open(
            SharedFiles.journalName, of: "", initialRules: .denyAll, environment: $0, limits: DatabaseLimits(),
            denied: { _ in })
        })
      do {
        try keys.share(in: files.keys) { lost in
          for id in lost.keyIDs {
            access?.end(ofSigningKey: id)
            _ = router.revoke(.signingKey(id: id), because: .keyRotated)
          }
          if lost.hasSecret { _ = router.revoke(.legacySecret, because: .keyRotated) }
        }
      } catch {
        files.close()
        throw error
      }
      return files
    } catch let error as KeyStoreError {
      throw ServerError(.storage, "\(error)")
    } catch {
      throw ServerError(.storage, "cannot open the files that the nodes share: \(error)")
    }
  }

  /// Makes keys and services follow changes of the files by this or another node.
  func updateOnChange(_ keys: KeyRing, _ services: GatewayServices) {
    whenChanged { path in
      if path == SharedFiles.keysPath {
        do throws(KeyStoreError) { try keys.loadShared() } catch {
          services.logger.error("keys that another node has changed cannot be applied", metadata: ["error": "\(error)"])
        }
        return
      }
      let names = path.split(separator: "/").map(String.init)
      guard names.count > 1 else { return }
      let database = names[1].hasSuffix(".json") ? String(names[1].dropLast(5)) : names[1]
      switch names[0] {
      case DataDirectory.settingsName:
        services.settings.forget(database)
        services.loadQuotas(of: database)
        services.reviewStorage(of: database)
        if let open = services.databases.opened(database) { services.triggers.review(open) }
      case DataDirectory.versionsName: services.rules.forgetVersions(of: database)
      case DataDirectory.triggersName: services.triggers.reload()
      default: break
      }
    }
  }
}
