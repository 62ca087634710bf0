import Foundation
import HearthClient

/// A database with its session, shared by all ``Firebase`` references into it.
public final class FirebaseApp: NSObject, Sendable {
  let database: Database
  let session: LegacySession
  private static let all = LockedValue<[String: FirebaseApp]>([:])

  private init(_ database: Database, _ session: LegacySession) {
    self.database = database
    self.session = session
  }

  /// Returns the `HearthClient` app that all databases of this module use, separate from the program's own apps.
  private static func app(_ options: FirebaseOptions) -> HearthClient.FirebaseApp {
    let name = "hearth-legacy"
    if let app = HearthClient.FirebaseApp.app(name: name) { return app }
    HearthClient.FirebaseApp.configure(name: name, options: options)
    return HearthClient.FirebaseApp.app(name: name) ?? app(options)
  }

  /// Returns the database of a URL, the same at every call; nil when the text is not a URL with a host.
  static func of(_ url: String) -> FirebaseApp? {
    guard var root = URLComponents(string: url), let host = root.host, !host.isEmpty else { return nil }
    (root.path, root.fragment, root.host) = ("", nil, host.lowercased())
    let key = root.string ?? url
    return all.withLock { all in
      if let known = all[key] { return known }
      let app = open(root, key, known: Array(all.values))
      all[key] = app
      return app
    }
  }

  /// Returns the app of a database, which may have been opened by another URL already.
  private static func open(_ root: URLComponents, _ url: String, known: [FirebaseApp]) -> FirebaseApp {
    let config = FConfig.shared.freeze()
    let options = FirebaseOptions()
    options.storageDirectory = config.storageDirectory
    let app = app(options)
    let session = LegacySession(
      root: root, directory: app.storageDirectory, queue: config.callbackQueue,
      transport: config.transport)
    let database = Database.database(app: app, url: url, credentials: session)
    if let same = known.first(where: { $0.database === database }) { return same }
    database.callbackQueue = config.callbackQueue
    database.persistenceCacheSizeBytes = config.cacheSizeBytes
    database.isPersistenceEnabled = config.isPersistenceEnabled
    config.prepare(database)
    return FirebaseApp(database, session)
  }

  static func of(_ database: Database) -> FirebaseApp? { all.withLock { $0.values.first { $0.database === database } } }

  static var allApps: [FirebaseApp] { all.withLock { Array($0.values) } }

  /// Shuts the database down: disconnects for good and calls no more blocks. A later lookup of its URL returns a new
  /// one.
  func shutDown() {
    Self.all.withLock { all in all = all.filter { $0.value !== self } }
    database.shutDown()
  }

  /// Drops all writes that the server has not acknowledged.
  public func purgeOutstandingWrites() { database.purgeOutstandingWrites() }

  /// Disconnects this database, until ``goOnline()``.
  public func goOffline() { database.goOffline() }

  /// Connects this database again.
  public func goOnline() { database.goOnline() }
}
