import HearthPlugin
import Testing

@testable import HearthAccounts

/// Tests of the native apps that the sign-in pages open, and of their URL schemes.
@Suite struct NativeAppsTests {
  private func parse(_ apps: String) throws(SettingsError) -> NativeApps {
    let text = "{\"nativeApps\": \(apps)}"
    return try AccountsConfiguration.parse(
      Array(text.utf8), over: AccountsConfiguration(publicURL: "https://a.example")
    )
    .nativeApps
  }

  private func refusal(_ work: () throws(NativeApps.Refusal) -> Void) -> NativeApps.Refusal? {
    do throws(NativeApps.Refusal) {
      try work()
      return nil
    } catch {
      return error
    }
  }

  @Test("each app in the settings has an id, a client and a certificate of its own")
  func check() throws {
    let apps = try parse(
      """
      {"ios": [{"bundleID": "com.example.shop", "appIDs": ["1:2:ios:ab"], "clientIDs": ["2-x.apps.googleusercontent.com"]},
               {"bundleID": "com.example.bare"}],
       "android": [{"packageName": "com.example.shop", "certificates": ["00112233445566778899AABBCCDDEEFF00112233"]},
                   {"packageName": "com.example.any"}]}
      """)
    #expect(
      refusal { () throws(NativeApps.Refusal) in
        try apps.check(bundleID: "com.example.shop", appID: "1:2:ios:ab", clientID: nil)
      } == nil)
    for (bundle, appID, clientID, expected) in [
      ("com.example.shop", nil, "2-x.apps.googleusercontent.com", nil), ("com.example.bare", nil, nil, nil),
      ("com.example.bare", "1:2:ios:ab", nil, .unknownApp), ("com.example.other", nil, nil, .unknownApp),
      ("com.example.Shop", nil, nil, .unknownApp), ("com.example.shop", "1:2:ios:ac", nil, .unknownApp),
      ("com.example.shop", nil, "3-x.apps.googleusercontent.com", .unknownClient),
    ] as [(String, String?, String?, NativeApps.Refusal?)] {
      let found = refusal { () throws(NativeApps.Refusal) in
        try apps.check(bundleID: bundle, appID: appID, clientID: clientID)
      }
      #expect(found == expected, "\(bundle)")
    }
    for (name, certificate, expected) in [
      ("com.example.shop", "00112233445566778899aabbccddeeff00112233", nil),
      ("com.example.shop", "00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:00:11:22:33", nil),
      ("com.example.shop", nil, .unknownCertificate), ("com.example.shop", "00", .unknownCertificate),
      ("com.example.shop", "10112233445566778899aabbccddeeff00112233", .unknownCertificate),
      ("com.example.any", nil, nil), ("com.example.any", "x", nil), ("com.example.none", nil, .unknownApp),
    ] as [(String, String?, NativeApps.Refusal?)] {
      let found = refusal { () throws(NativeApps.Refusal) in
        try apps.check(packageName: name, certificate: certificate)
      }
      #expect(found == expected, "\(name)")
    }
    #expect(
      refusal { () throws(NativeApps.Refusal) in try NativeApps().check(bundleID: "a.b", appID: nil, clientID: nil) }
        == .unknownApp)
  }

  @Test(
    "invalid app ids prevent the start: schemes of browsers, and characters of addresses",
    arguments: [
      #"{"ios": [{}]}"#, #"{"ios": {}}"#, #"{"ios": [{"bundleID": "https"}]}"#,
      #"{"ios": [{"bundleID": "javascript"}]}"#,
      #"{"ios": [{"bundleID": "a.b", "appID": "1:2"}]}"#, #"{"ios": [{"bundleID": "a.b", "appIDs": ["1"]}]}"#,
      #"{"ios": [{"bundleID": "a.b", "appIDs": ["1:2//x"]}]}"#,
      #"{"ios": [{"bundleID": "a.b", "clientIDs": ["https"]}]}"#,
      #"{"ios": [{"bundleID": "a.b", "clientIDs": ["x.1"]}]}"#, #"{"ios": [{"bundleID": "a.b:"}]}"#,
      #"{"ios": [{"bundleID": ".a"}]}"#, #"{"ios": [{"bundleID": "1a.b"}]}"#, #"{"ios": [{"bundleID": "a..b"}]}"#,
      #"{"android": [{"packageName": "a;b.c"}]}"#, #"{"android": [{"packageName": "a.b", "certificates": ["AA"]}]}"#,
      #"{"android": [{"packageName": "é.b"}]}"#, #"{"windows": []}"#,
    ])
  func refused(apps: String) {
    #expect(throws: SettingsError.self) { try parse(apps) }
  }

  @Test("an app's scheme follows from its client id or its Firebase id, as SDKs make it")
  func schemes() {
    #expect(
      NativeApps.scheme(clientID: "123-abc.apps.googleusercontent.com") == "com.googleusercontent.apps.123-abc")
    #expect(NativeApps.scheme(appID: "1:123456789:ios:123abc456def") == "app-1-123456789-ios-123abc456def")
    for text in ["", "https", "a b.c", "x.javascript:", "1.2"] { #expect(NativeApps.scheme(clientID: text) == nil) }
    for text in ["", "1", "1::2", "1:2/3", "1:2\n"] { #expect(NativeApps.scheme(appID: text) == nil) }
  }
}
