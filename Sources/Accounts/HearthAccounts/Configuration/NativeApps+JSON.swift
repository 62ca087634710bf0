import HearthPlugin
import HearthTree

extension NativeApps {
  /// Reads `{ "ios": [{ "bundleID": "com.example.shop" }], "android": [{ "packageName": "com.example.shop" }] }`.
  mutating func read(_ object: inout ConfigurationObject) throws(SettingsError) {
    if let apps = try object.objects("ios") {
      ios = []
      for var app in apps { ios.append(try Self.iosApp(&app)) }
    }
    if let apps = try object.objects("android") {
      android = []
      for var app in apps { android.append(try Self.androidApp(&app)) }
    }
    try object.end()
  }

  private static func iosApp(_ object: inout ConfigurationObject) throws(SettingsError) -> IOSApp {
    var app = IOSApp(bundleID: "")
    try object.read("bundleID", into: &app.bundleID)
    guard isIdentifier(app.bundleID) else {
      throw object.wrong("bundleID", "must be the app's bundle id: \"com.example.shop\"")
    }
    app.appIDs = try object.texts("appIDs") ?? []
    guard app.appIDs.allSatisfy({ scheme(appID: $0) != nil }) else {
      throw object.wrong("appIDs", "must be the app's Firebase ids: \"1:1234567890:ios:abcdef\"")
    }
    app.clientIDs = try object.texts("clientIDs") ?? []
    guard app.clientIDs.allSatisfy({ scheme(clientID: $0) != nil }) else {
      throw object.wrong("clientIDs", "must be the app's OAuth client ids: \"123-abc.apps.googleusercontent.com\"")
    }
    try object.end()
    return app
  }

  private static func androidApp(_ object: inout ConfigurationObject) throws(SettingsError) -> AndroidApp {
    var app = AndroidApp(packageName: "")
    try object.read("packageName", into: &app.packageName)
    guard isIdentifier(app.packageName) else {
      throw object.wrong("packageName", "must be the app's package name: \"com.example.shop\"")
    }
    for text in try object.texts("certificates") ?? [] {
      guard let certificate = certificate(text) else {
        throw object.wrong("certificates", "must be SHA-1 fingerprints as keytool prints them, 20 bytes: \"AB:01:…\"")
      }
      app.certificates.append(certificate)
    }
    try object.end()
    return app
  }
}
