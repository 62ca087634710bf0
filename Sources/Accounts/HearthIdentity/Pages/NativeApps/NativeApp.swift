import HearthAccounts
import HearthTree

/// An app on a device, as it identifies itself to the pages. The statement proves nothing; it is the key for looking
/// the app up in the settings. A program without an app's registration waits on a port of the browser's machine.
enum NativeApp: Sendable, Equatable {
  /// The URL scheme of an iOS app.
  enum Scheme: Sendable, Equatable {
    case clientID(String)
    case appID(String)
    /// The bundle id itself, for Cordova apps.
    case bundleID
  }

  case ios(bundleID: String, Scheme)
  /// - Parameter certificate: SHA-1; nil for Cordova apps, which are opened by an address of this server.
  case android(packageName: String, certificate: String?)
  /// A program that waits for the browser on a port of 127.0.0.1 (RFC 8252 §7.3).
  case loopback(port: Int)

  /// The only host of ``loopback(port:)``.
  static let loopbackHost = "127.0.0.1"
  /// The parameter with the port.
  static let loopbackParameter = "loopbackPort"

  /// Reads the app; nil when not exactly one app is named, or its id is invalid.
  init?(_ query: PageQuery) {
    switch (query.text("ibi"), query.text("apn"), query.text(Self.loopbackParameter)) {
    case (let bundleID?, nil, nil):
      guard NativeApps.isIdentifier(bundleID) else { return nil }
      if let id = query.text("clientId") {
        guard NativeApps.scheme(clientID: id) != nil else { return nil }
        self = .ios(bundleID: bundleID, .clientID(id))
      } else if let id = query.text("appId") {
        guard NativeApps.scheme(appID: id) != nil else { return nil }
        self = .ios(bundleID: bundleID, .appID(id))
      } else {
        self = .ios(bundleID: bundleID, .bundleID)
      }
    case (nil, let packageName?, nil):
      guard NativeApps.isIdentifier(packageName) else { return nil }
      let certificate = query.text("sha1Cert")
      guard certificate == nil || certificate.flatMap(NativeApps.certificate) != nil else { return nil }
      self = .android(packageName: packageName, certificate: certificate)
    case (nil, nil, let text?):
      guard let port = Self.port(text) else { return nil }
      self = .loopback(port: port)
    default: return nil
    }
  }

  /// Reads a port that programs without privileges can listen on.
  private static func port(_ text: String) -> Int? {
    Int(text).flatMap { (1_024...65_535).contains($0) && String($0) == text ? $0 : nil }
  }

  /// The app's id in the settings.
  var id: String {
    switch self {
    case .ios(let bundleID, _): bundleID
    case .android(let packageName, _): packageName
    case .loopback: Self.loopbackHost
    }
  }

  /// - Throws: the reason why the settings do not allow it.
  func check(_ settings: AccountsConfiguration) throws(NativeApps.Refusal) {
    let apps = settings.nativeApps
    switch self {
    case .ios(let bundleID, .clientID(let id)): try apps.check(bundleID: bundleID, appID: nil, clientID: id)
    case .ios(let bundleID, .appID(let id)): try apps.check(bundleID: bundleID, appID: id, clientID: nil)
    case .ios(let bundleID, .bundleID): try apps.check(bundleID: bundleID, appID: nil, clientID: nil)
    case .android(let packageName, let certificate):
      try apps.check(packageName: packageName, certificate: certificate)
    case .loopback:
      guard settings.authorizedDomains.contains(Self.loopbackHost) else { throw .unknownApp }
    }
  }

  /// The JSON members that a visit stores.
  var members: [JSON.Member] {
    switch self {
    case .ios(let bundleID, let scheme):
      let own = JSON.Member("b", .string(bundleID))
      return switch scheme {
      case .clientID(let id): [own, .init("c", .string(id))]
      case .appID(let id): [own, .init("f", .string(id))]
      case .bundleID: [own]
      }
    case .android(let packageName, let certificate):
      return [.init("g", .string(packageName))] + (certificate.map { [.init("h", .string($0))] } ?? [])
    case .loopback(let port): return [.init("l", .string(String(port)))]
    }
  }

  init?(members json: JSON) {
    if let bundleID = json["b"]?.string {
      let scheme = json["c"]?.string.map(Scheme.clientID) ?? json["f"]?.string.map(Scheme.appID) ?? .bundleID
      self = .ios(bundleID: bundleID, scheme)
    } else if let packageName = json["g"]?.string {
      self = .android(packageName: packageName, certificate: json["h"]?.string)
    } else if let port = json["l"]?.string.flatMap(Self.port) {
      self = .loopback(port: port)
    } else {
      return nil
    }
  }
}
