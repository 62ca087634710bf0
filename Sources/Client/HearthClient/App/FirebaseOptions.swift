import Foundation

/// The settings of an app's project.
///
/// With a self-hosted server only ``databaseURL`` and ``authURL`` are used, and ``apiKey`` when the server is
/// configured with keys.
public final class FirebaseOptions: Sendable {
  private struct Values: Sendable {
    var apiKey: String?
    var projectID: String?
    var databaseURL: String?
    var authURL: String?
    var googleAppID = ""
    var gcmSenderID = ""
    var clientID: String?
    var bundleID = ""
    var storageBucket: String?
    var storageDirectory: URL?
  }

  private let values: LockedValue<Values>

  private init(_ values: Values) { self.values = LockedValue(values) }

  /// Creates empty options.
  public convenience init() { self.init(Values()) }

  /// Creates options with the two numbers that Firebase's console assigns to an app.
  public convenience init(googleAppID: String, gcmSenderID: String) {
    self.init(Values(googleAppID: googleAppID, gcmSenderID: gcmSenderID))
  }

  /// Creates options from a `GoogleService-Info.plist`; nil when the file cannot be read or is not one.
  public convenience init?(contentsOfFile path: String) {
    guard let data = FileManager.default.contents(atPath: path),
      let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
    else { return nil }
    self.init(
      Values(
        apiKey: list["API_KEY"] as? String, projectID: list["PROJECT_ID"] as? String,
        databaseURL: list["DATABASE_URL"] as? String, authURL: list["AUTH_URL"] as? String,
        googleAppID: list["GOOGLE_APP_ID"] as? String ?? "", gcmSenderID: list["GCM_SENDER_ID"] as? String ?? "",
        clientID: list["CLIENT_ID"] as? String, bundleID: list["BUNDLE_ID"] as? String ?? "",
        storageBucket: list["STORAGE_BUCKET"] as? String))
  }

  /// The options of the main bundle's `GoogleService-Info.plist`; nil when there is none.
  public static func defaultOptions() -> FirebaseOptions? {
    Bundle.main.path(forResource: "GoogleService-Info", ofType: "plist").flatMap { FirebaseOptions(contentsOfFile: $0) }
  }

  /// Returns an independent copy.
  public func copy() -> FirebaseOptions { FirebaseOptions(values.withLock { $0 }) }

  /// The key that identifies the project to the account service. It is no secret.
  public var apiKey: String? {
    get { values.withLock { $0.apiKey } }
    set { values.withLock { $0.apiKey = newValue } }
  }

  /// The project's identifier.
  public var projectID: String? {
    get { values.withLock { $0.projectID } }
    set { values.withLock { $0.projectID = newValue } }
  }

  /// The root URL of the app's database.
  public var databaseURL: String? {
    get { values.withLock { $0.databaseURL } }
    set { values.withLock { $0.databaseURL = newValue } }
  }

  /// The account server, such as `https://hearth.example.com`; nil for Google's.
  public var authURL: String? {
    get { values.withLock { $0.authURL } }
    set { values.withLock { $0.authURL = newValue } }
  }

  /// Firebase's identifier of the app.
  public var googleAppID: String {
    get { values.withLock { $0.googleAppID } }
    set { values.withLock { $0.googleAppID = newValue } }
  }

  /// Firebase's number of the project.
  public var gcmSenderID: String {
    get { values.withLock { $0.gcmSenderID } }
    set { values.withLock { $0.gcmSenderID = newValue } }
  }

  /// The OAuth client id.
  public var clientID: String? {
    get { values.withLock { $0.clientID } }
    set { values.withLock { $0.clientID = newValue } }
  }

  /// The app's bundle identifier.
  public var bundleID: String {
    get { values.withLock { $0.bundleID } }
    set { values.withLock { $0.bundleID = newValue } }
  }

  /// The bucket of another service, which is stored but not used.
  public var storageBucket: String? {
    get { values.withLock { $0.storageBucket } }
    set { values.withLock { $0.storageBucket = newValue } }
  }

  /// The folder for the session and the disk cache. nil for the user's own data folder; see
  /// ``FirebaseApp/storageDirectory``.
  public var storageDirectory: URL? {
    get { values.withLock { $0.storageDirectory } }
    set { values.withLock { $0.storageDirectory = newValue } }
  }
}
