import Dispatch
import Foundation
import HearthBytes
import HearthTree

/// A database on a server: the source of references and the settings for all of them.
///
/// ```swift
/// let database = Database.database(url: "http://127.0.0.1:9000/?ns=default")
/// let ref = database.reference(withPath: "rooms/lobby")
/// ```
///
/// Settings must be changed before the first reference is created; changing them later ends the program.
public final class Database: Sendable {
  private struct State {
    var address: DatabaseAddress
    /// The configured address, before ``useEmulator(withHost:port:)``.
    let configured: DatabaseAddress
    var settings = RepositorySettings()
    var isPersistenceEnabled = false
    var repository: Repository?
  }

  /// The app that the database was created with.
  public let app: FirebaseApp?
  private let state: LockedValue<State>
  private let credentials: any CredentialProvider

  private init(app: FirebaseApp?, _ address: DatabaseAddress, _ credentials: any CredentialProvider) {
    self.app = app
    self.credentials = credentials
    state = LockedValue(State(address: address, configured: address))
  }

  // MARK: Databases

  /// The key that identifies a database.
  private struct Name: Hashable {
    var app: String
    var address: DatabaseAddress
  }

  private static let databases = LockedValue<[Name: Database]>([:])

  /// The databases created so far.
  static var all: [Database] { databases.withLock { Array($0.values) } }

  /// Returns the database of the default app's options. Without such an app, or without a URL in its options, it ends
  /// the program.
  public static func database() -> Database {
    guard let app = FirebaseApp.app() else {
      fatalError(
        "\(DatabaseArgumentError(.app, "Call FirebaseApp.configure(options:) before Database.database(), or use Database.database(url:)."))"
      )
    }
    return database(app: app)
  }

  /// Returns the database at a URL such as `http://127.0.0.1:9000/?ns=default` or `https://NAME.example.com`, the same
  /// one each time. Needs no configured app. A URL that names no database, or a location inside one, ends the program.
  public static func database(url: String) -> Database { database(app: FirebaseApp.appOrDefault(), url: url) }

  /// Returns the database of an app's options. Without a URL in them it ends the program.
  public static func database(app: FirebaseApp) -> Database {
    if let url = app.options.databaseURL { return database(app: app, url: url) }
    guard let project = app.options.projectID else {
      fatalError(
        "\(DatabaseArgumentError(.app, "The app's options have no databaseURL. Set it, or use Database.database(url:)."))"
      )
    }
    return database(app: app, url: "https://\(project)-default-rtdb.firebaseio.com")
  }

  /// Returns the database at a URL, with the credentials of an app's ``Auth``.
  public static func database(app: FirebaseApp, url: String) -> Database {
    database(app: app, url: url, credentials: Auth.auth(app: app))
  }

  /// Returns the database at a URL, with credentials from a given provider. For an existing database, the provider of
  /// the first call stays in use.
  package static func database(
    app: FirebaseApp, url: String, credentials: @autoclosure () -> any CredentialProvider
  ) -> Database {
    let address = DatabaseArgumentError.trapping { try rootAddress(url) }
    let name = Name(app: app.name, address: address)
    if let known = databases.withLock({ $0[name] }) { return known }
    let made = Database(app: app, address, credentials())
    return databases.withLock { all in
      if let known = all[name] { return known }
      all[name] = made
      return made
    }
  }

  /// Returns the address of a database's root.
  static func rootAddress(_ url: String) throws(DatabaseArgumentError) -> DatabaseAddress {
    let (address, path) = try parse(url)
    guard path.isRoot else {
      throw DatabaseArgumentError(
        .url,
        "Configured Database URL '\(url)' is invalid. It should point to the root of a Firebase Database but it includes a "
          + "path: \(path)")
    }
    return address
  }

  private static func parse(_ url: String) throws(DatabaseArgumentError) -> (address: DatabaseAddress, path: Path) {
    do { return try DatabaseAddress.parse(url) } catch { throw DatabaseArgumentError(.url, error.description) }
  }

  // MARK: References

  /// Returns a reference to the root.
  public func reference() -> DatabaseReference {
    _ = repository
    return DatabaseReference(self, .root)
  }

  /// Returns a reference to a path. A path with a forbidden character ends the program.
  public func reference(withPath path: String) -> DatabaseReference {
    _ = repository
    let path = DatabaseArgumentError.trapping { try Validation.rootPath(path, from: "referenceWithPath") }
    return DatabaseReference(self, path)
  }

  /// Returns a reference to a URL of this database, which, with an emulator, may also be the configured URL. Another
  /// URL ends the program.
  public func reference(fromURL databaseURL: String) -> DatabaseReference {
    _ = repository
    return DatabaseReference(self, DatabaseArgumentError.trapping { try path(of: databaseURL) })
  }

  /// Returns the path of a location's URL.
  func path(of url: String) throws(DatabaseArgumentError) -> Path {
    let (address, path) = try Self.parse(url)
    let (own, configured) = state.withLock { ($0.address, $0.configured) }
    let isOwn = [own, configured].contains { $0.authority == address.authority && $0.namespace == address.namespace }
    guard isOwn else {
      throw DatabaseArgumentError(
        .url,
        "Invalid URL (\(url)) passed to getReference(). URL was expected to match configured Database URL: \(own.authority)"
      )
    }
    if path.isRoot { return path }
    return try Validation.rootPath(path.keys.map(\.text).joined(separator: "/"), from: "referenceFromURL:")
  }

  /// Returns the URL of a path.
  func url(of path: Path) -> String { state.withLock { $0.address }.url(of: path) }

  /// Returns a key that sorts after all keys of new children generated before.
  func nextPushID() -> String { PushIDs.next(nowMilliseconds: repository.serverTimeMilliseconds) }

  // MARK: Settings

  private func set(_ method: String, _ change: (inout State) -> Void) {
    let isInUse = state.withLock { state in
      guard state.repository == nil else { return true }
      change(&state)
      return false
    }
    if isInUse {
      fatalError(
        "\(DatabaseArgumentError(.inUse, "Calls to \(method) must be made before any other usage of FIRDatabase instance."))"
      )
    }
  }

  /// True when data and unsent writes are stored on disk, in the app's ``FirebaseApp/storageDirectory``. Off by
  /// default.
  public var isPersistenceEnabled: Bool {
    get { state.withLock { $0.isPersistenceEnabled } }
    set { set("setPersistenceEnabled") { $0.isPersistenceEnabled = newValue } }
  }

  /// The maximum size of the data on disk in bytes: 1 to 100 MiB, 10 MiB by default. Unsent writes do not count.
  public var persistenceCacheSizeBytes: UInt {
    get { state.withLock { $0.settings.cacheSizeBytes } }
    set {
      precondition(
        (1 << 20...100 << 20).contains(newValue),
        "FIRDatabaseInvalidCacheSize: the cache size must be between 1 MiB and 100 MiB")
      set("setPersistenceCacheSizeBytes") { $0.settings.cacheSizeBytes = newValue }
    }
  }

  /// The queue on which blocks are called: the main queue by default. A serial queue keeps them in order. A block that
  /// belongs to the main actor is called on the main queue whatever is set here; mark it `@Sendable` to have it called
  /// on this queue.
  ///
  /// The main queue needs a main thread that runs it: `RunLoop.main.run()`, `dispatchMain()`, or an asynchronous
  /// `main`.
  public var callbackQueue: DispatchQueue {
    get { state.withLock { $0.settings.callbackQueue } }
    set { set("setCallbackQueue") { $0.settings.callbackQueue = newValue } }
  }

  /// Changes connection settings that are not part of the public API.
  func configureConnections(_ change: (inout RepositorySettings) -> Void) {
    set("configureConnections") { change(&$0.settings) }
  }

  /// Connects to an emulator instead of the configured server. `host` is a name or an address.
  public func useEmulator(withHost host: String, port: Int) {
    precondition(!host.isEmpty, "Cannot connect to nil or empty host.")
    precondition(
      !host.contains(":") || IPAddress(host) != nil,
      "useEmulator(withHost: \(host), port: \(port)): pass the host without a port.")
    let isInUse = state.withLock { state in
      guard state.repository == nil else { return true }
      state.address = state.address.onEmulator(host: host, port: port)
      return false
    }
    if isInUse {
      fatalError(
        "Cannot connect to emulator after database initialization. Call useEmulator(host:port:) before creating a database "
          + "reference or trying to load data.")
    }
  }

  /// Enables logging of every step; the default is warnings only.
  public static func setLoggingEnabled(_ enabled: Bool) { logLevel = enabled ? .debug : .warning }

  /// The lowest level that is logged, for all databases: ``DatabaseLogLevel/warning`` by default.
  public static var logLevel: DatabaseLogLevel {
    get { DatabaseLog.sink.withLock { $0.level } }
    set { DatabaseLog.sink.withLock { $0.level = newValue } }
  }

  /// Sets the handler of log lines, for all databases, called on any thread. By default they go to the standard error.
  public static func setLogHandler(_ handler: @escaping @Sendable (DatabaseLogLevel, String) -> Void) {
    DatabaseLog.sink.withLock { $0.handler = handler }
  }

  /// The version of this library.
  public static func sdkVersion() -> String { HearthClientVersion.text }

  // MARK: The repository

  /// The repository, which is created and connected at the first use.
  var repository: Repository {
    state.withLock { state in
      if let repository = state.repository { return repository }
      var settings = state.settings
      if state.isPersistenceEnabled {
        let app = app ?? FirebaseApp.appOrDefault()
        (settings.persistenceDirectory, settings.appName) = (app.storageDirectory, app.name)
      }
      let repository = Repository.connected(to: state.address, credentials: credentials, settings: settings)
      state.repository = repository
      return repository
    }
  }

  /// Shuts the database down: disconnects for good and calls no more blocks. A later lookup of its URL returns a new
  /// one.
  package func shutDown() {
    Self.databases.withLock { all in
      for (name, database) in all where database === self { all[name] = nil }
    }
    state.withLock { $0.repository }?.shutDown()
  }

  /// Shuts the database down, and waits until its files can be opened again.
  package func close() async {
    shutDown()
    guard let repository = state.withLock({ $0.repository }) else { return }
    await withCheckedContinuation { continuation in repository.shutDown { continuation.resume() } }
  }

  /// Connects, after ``goOffline()`` or when the connection has not been used yet.
  public func goOnline() { repository.goOnline() }

  /// Disconnects, until ``goOnline()``. Local writes still raise events, and are sent later.
  public func goOffline() { repository.goOffline() }

  /// Drops all writes and transactions that the server has not acknowledged. Their completion blocks are called with
  /// ``DatabaseError/Code/writeCanceled``; observers see the data without them.
  public func purgeOutstandingWrites() { repository.purgeOutstandingWrites() }
}

/// The version of this library.
enum HearthClientVersion {
  static let text = "1.0.0"
}

extension DatabaseAddress {
  /// Returns the URL of a path, with the database's name unless the host contains it.
  func url(of path: Path) -> String {
    let keys = path.keys.map { "/" + PercentEncoding.encode($0.text) }.joined()
    let isNamed = host.hasPrefix(namespace + ".") && host.split(separator: ".").count >= 3
    let name = namespace.isEmpty || isNamed ? "" : (keys.isEmpty ? "/" : "") + "?ns=" + namespace
    return (isSecure ? "https://" : "http://") + authority + keys + name
  }
}
