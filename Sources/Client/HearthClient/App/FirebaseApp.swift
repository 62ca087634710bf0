import Foundation

/// The configuration of a Firebase project in the program. ``Auth`` and ``Database`` objects belong to an app.
public final class FirebaseApp: Sendable {
  /// The name of the app that ``configure()`` creates.
  public static let defaultName = "__FIRAPP_DEFAULT"

  /// The name given to ``configure(name:options:)``.
  public let name: String
  private let settings: FirebaseOptions
  private static let apps = LockedValue<[String: FirebaseApp]>([:])

  private init(name: String, options: FirebaseOptions) {
    self.name = name
    settings = options.copy()
  }

  /// The options at the time of the configuration.
  public var options: FirebaseOptions { settings.copy() }

  /// Creates the default app from the main bundle's `GoogleService-Info.plist`, or, when there is none, without
  /// options.
  public static func configure() { configure(options: FirebaseOptions.defaultOptions() ?? FirebaseOptions()) }

  /// Creates the default app, which must not exist yet.
  public static func configure(options: FirebaseOptions) { configure(name: defaultName, options: options) }

  /// Creates an app, whose name must not exist yet.
  public static func configure(name: String, options: FirebaseOptions) {
    let isNew = apps.withLock { apps in
      guard apps[name] == nil else { return false }
      apps[name] = FirebaseApp(name: name, options: options)
      return true
    }
    precondition(
      isNew,
      name == defaultName
        ? "The default app has been configured already; configure it once, before anything uses it."
        : "An app named \(name) has been configured already.")
  }

  /// The default app; nil when it is not configured.
  public static func app() -> FirebaseApp? { app(name: defaultName) }

  /// The app of that name; nil when there is none.
  public static func app(name: String) -> FirebaseApp? { apps.withLock { $0[name] } }

  /// The default app, created without options when none was configured: programs that pass a server's URL to
  /// ``Database`` or ``Auth`` need no options.
  static func appOrDefault() -> FirebaseApp {
    apps.withLock { apps in
      if let app = apps[defaultName] { return app }
      let app = FirebaseApp(name: defaultName, options: FirebaseOptions.defaultOptions() ?? FirebaseOptions())
      apps[defaultName] = app
      return app
    }
  }

  /// The apps by name; nil when there are none.
  public static var allApps: [String: FirebaseApp]? {
    let all = apps.withLock { $0 }
    return all.isEmpty ? nil : all
  }

  /// Removes the app from the registry. Objects made from it keep working while they are referenced.
  public func delete() {
    Self.apps.withLock { apps in if apps[name] === self { apps[name] = nil } }
  }

  /// Removes the app from the registry, and reports whether it was there.
  public func delete(_ completion: @escaping @Sendable (Bool) -> Void) {
    let isThere = Self.app(name: name) === self
    delete()
    completion(isThere)
  }

  /// The folder of the app's files: that of the options, or one for this program in the user's data folder, which is
  /// `$XDG_DATA_HOME` or `~/.local/share` on Linux and `Library/Application Support` on Apple systems.
  public var storageDirectory: URL {
    if let directory = settings.storageDirectory { return directory }
    return Self.dataFolder.appendingPathComponent(ProcessInfo.processInfo.processName).appendingPathComponent("hearth")
  }

  private static var dataFolder: URL {
    #if os(Linux)
      if let path = ProcessInfo.processInfo.environment["XDG_DATA_HOME"], path.hasPrefix("/") {
        return URL(fileURLWithPath: path, isDirectory: true)
      }
      return FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/share")
    #else
      return FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        ?? FileManager.default.temporaryDirectory
    #endif
  }
}
