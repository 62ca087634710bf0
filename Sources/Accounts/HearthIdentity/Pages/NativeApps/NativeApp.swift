import HearthAccounts
import HearthTree

/// An app on a device, as it identifies itself to the pages. The statement proves nothing; it is the key for looking
/// the app up in the settings.
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

  /// Reads the app; nil when neither an iOS nor an Android app is named, or both are, or the id is invalid.
  init?(_ query: PageQuery) {
    switch (query.text("ibi"), query.text("apn")) {
    case (let bundleID?, nil):
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
    case (nil, let packageName?):
      guard NativeApps.isIdentifier(packageName) else { return nil }
      let certificate = query.text("sha1Cert")
      guard certificate == nil || certificate.flatMap(NativeApps.certificate) != nil else { return nil }
      self = .android(packageName: packageName, certificate: certificate)
    default: return nil
    }
  }

  /// The app's id in the settings.
  var id: String {
    switch self {
    case .ios(let bundleID, _): bundleID
    case .android(let packageName, _): packageName
    }
  }

  /// - Throws: the reason why the settings do not allow it.
  func check(_ apps: NativeApps) throws(NativeApps.Refusal) {
    switch self {
    case .ios(let bundleID, .clientID(let id)): try apps.check(bundleID: bundleID, appID: nil, clientID: id)
    case .ios(let bundleID, .appID(let id)): try apps.check(bundleID: bundleID, appID: id, clientID: nil)
    case .ios(let bundleID, .bundleID): try apps.check(bundleID: bundleID, appID: nil, clientID: nil)
    case .android(let packageName, let certificate):
      try apps.check(packageName: packageName, certificate: certificate)
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
    }
  }

  init?(members json: JSON) {
    if let bundleID = json["b"]?.string {
      let scheme = json["c"]?.string.map(Scheme.clientID) ?? json["f"]?.string.map(Scheme.appID) ?? .bundleID
      self = .ios(bundleID: bundleID, scheme)
    } else if let packageName = json["g"]?.string {
      self = .android(packageName: packageName, certificate: json["h"]?.string)
    } else {
      return nil
    }
  }
}
