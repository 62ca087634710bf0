import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

/// Tests of native apps that sign users in on a provider's page.
@Suite struct NativeSignInTests {
  @Test("An iOS app is opened with an event that it redeems once, with its session id")
  func ios() async throws {
    let native = try NativeAppFixture()
    for (changes, scheme) in [
      ([:], NativeAppFixture.scheme),
      (["clientId": nil, "appId": NativeAppFixture.appID], "app-1-123456789-ios-123abc456def"),
    ] as [([String: String?], String)] {
      let page = try await native.visit(NativeAppFixture.signIn(changes))
      #expect(page.status == 200 && page.headers["Set-Cookie"]?.contains("Max-Age=0") == true)
      #expect(page.headers["Content-Security-Policy"]?.contains("frame-ancestors 'none'") == true)
      let told = try NativeAppFixture.deepLink(page.back, scheme: scheme)
      #expect(told["authType"] == "signInWithRedirect" && told["eventId"] == "QWERTYUIOP")
      let link = try #require(told["link"])
      let entered = try await native.redeem(link)
      #expect(entered.status == 200 && entered.json["email"] == "ann@corp.example" && !entered.idToken.isEmpty)
      #expect(try await native.redeem(link).error?.contains("used before") == true)
    }
  }

  @Test("An Android app is opened by an intent that names its package, so that no other app gets it")
  func android() async throws {
    let native = try NativeAppFixture()
    let page = try await native.visit(
      NativeAppFixture.signIn(NativeAppFixture.android(["authType": "linkWithRedirect"])))
    let extras = try NativeAppFixture.extras(page.back, scheme: "genericidp")
    #expect(extras["S.eventId"] == "QWERTYUIOP" && extras["S.authType"] == "linkWithRedirect")
    let guest = try await native.fixture.anonymous()
    let linked = try await native.redeem(
      try #require(extras["S.link"]), ["idToken": .string(guest.idToken)])
    #expect(linked.status == 200 && linked.localID == guest.localID, "\(linked.text)")
  }

  @Test("A program on the browser's machine gets the event on its port, while 127.0.0.1 is authorized")
  func loopback() async throws {
    let changes: [String: String?] = ["ibi": nil, "clientId": nil, "loopbackPort": "49152"]
    let native = try NativeAppFixture { $0.nativeApps = NativeApps() }
    for answer in [nil, "access_denied"] {
      let page = try await native.visit(NativeAppFixture.signIn(changes), answer: answer)
      let outer = try NativeAppFixture.parts(try #require(page.back))
      #expect(outer.head == "http://127.0.0.1:49152/")
      let inner = try NativeAppFixture.parts(try #require(outer.query["deep_link_id"]))
      #expect(inner.head == "https://auth.example.com/__/auth/callback" && inner.query["eventId"] == "QWERTYUIOP")
      if answer == nil {
        #expect(try await native.redeem(try #require(inner.query["link"])).json["email"] == "ann@corp.example")
      } else {
        #expect(inner.query["firebaseError"]?.contains("auth/user-cancelled") == true)
      }
    }
    for (port, status) in [
      ("80", 400), ("65536", 400), ("049152", 400), ("+49152", 400), ("49152@evil.example", 400), ("-1", 400),
      ("", 400),
    ] {
      let page = try await native.open(NativeAppFixture.signIn(changes.merging(["loopbackPort": port]) { $1 }))
      #expect(page.status == status && page.headers["Location"] == nil, "\(port)")
    }
    #expect(try await native.open(NativeAppFixture.signIn(["loopbackPort": "49152"])).status == 400)
    let other = try NativeAppFixture { $0.authorizedDomains = ["localhost", "app.example.com"] }
    let refused = try await other.open(NativeAppFixture.signIn(changes))
    #expect(refused.status == 403 && refused.back == nil && refused.headers["Location"] == nil)
  }

  @Test("Cordova apps are opened by their bundle id, or by a URL of this server only in their package")
  func cordova() async throws {
    let native = try NativeAppFixture()
    let page = try await native.visit(
      NativeAppFixture.signIn(["authType": "signInViaRedirect", "clientId": nil, "eventId": nil]))
    // The SDK decodes the value twice.
    let outer = try NativeAppFixture.parts(try #require(page.back))
    #expect(outer.head == "\(NativeAppFixture.bundleID)://google/link")
    let once = try #require(outer.query["deep_link_id"])
    let twice = try #require(PercentEncoding.decode(once.utf8))
    let inner = try NativeAppFixture.parts(twice)
    let link = try #require(inner.query["link"])
    #expect(link.hasPrefix("https://auth.example.com/__/auth/callback?answer="))
    #expect(try await native.redeem(link).status == 200)

    let android = NativeAppFixture.android([
      "apn": "com.example.cordova", "sha1Cert": nil, "publicKey": nil, "eid": nil,
    ])
    let opened = try await native.visit(NativeAppFixture.signIn(android))
    let back = try #require(opened.back)
    #expect(back.hasPrefix("intent://auth.example.com/__/auth/callback?answer="))
    #expect(back.hasSuffix("#Intent;scheme=https;package=com.example.cordova;end"))
    let own = "https" + String(back.dropFirst(6).prefix { $0 != "#" })
    #expect(try await native.redeem(own).status == 200)
  }

  @Test(
    "Security 86: the URL that opens an app can be redeemed only with the session of that app")
  func interception() async throws {
    let native = try NativeAppFixture()
    let page = try await native.visit(NativeAppFixture.signIn())
    let link = try #require(try NativeAppFixture.deepLink(page.back)["link"])
    for session in ["", "ABCDEFGHIK", Digest(sha256: NativeAppFixture.session.utf8).hex, link] {
      let refused = try await native.redeem(link, session: session)
      #expect(
        refused.error == "INVALID_IDP_RESPONSE : The requestUri belongs to another app or another sign-in.")
    }
    let head = String(link.prefix { $0 != "=" }) + "="
    for changed in [head, head + "x", link + "x", link + "&answer=x", link.replacing("answer", with: "code")] {
      #expect(try await native.redeem(changed).error?.hasPrefix("INVALID_IDP_RESPONSE") == true, "\(changed)")
    }
    #expect(
      try await native.redeem(link, postBody: "providerId=google.com").error
        == "INVALID_IDP_RESPONSE : The requestUri belongs to another provider than the postBody.")
    native.fixture.accountsFixture.advance(seconds: 600)
    #expect(try await native.redeem(link).error?.contains("took too long") == true)
  }

  @Test("Refusals and failures of a provider are reported to the app in its SDK's form")
  func errors() async throws {
    let native = try NativeAppFixture()
    for (answer, code) in [
      ("access_denied", "auth/user-cancelled"), ("user_cancelled_authorize", "auth/user-cancelled"),
      ("a&b=c", "auth/internal-error"),
    ] {
      let told = try NativeAppFixture.deepLink(try await native.visit(NativeAppFixture.signIn(), answer: answer).back)
      #expect(told["link"] == nil && told["eventId"] == "QWERTYUIOP")
      let text = try #require(told["firebaseError"])
      let error = try #require(JSON(parsing: text.utf8))
      #expect(error["code"]?.string == code && error["message"]?.string?.isEmpty == false)
    }
    let absent = try await native.open(NativeAppFixture.signIn(NativeAppFixture.android(["providerId": "google.com"])))
    let extras = try NativeAppFixture.extras(absent.back, scheme: "genericidp")
    #expect(extras["S.firebaseError"]?.contains("auth/operation-not-allowed") == true && extras["S.link"] == nil)
  }

  @Test("Security 85: the pages open only the apps of the settings, and no scheme that a URL names")
  func allowList() async throws {
    let native = try NativeAppFixture { $0.apiKeys = ["key"] }
    for (changes, status) in [
      (["ibi": "com.example.other"], 403), (["clientId": "999-x.apps.googleusercontent.com"], 403),
      (["clientId": nil, "appId": "1:1:ios:1"], 403), (["clientId": "javascript"], 400),
      (["clientId": "alert(1)//.javascript"], 400), (["clientId": nil, "appId": "1:2/x"], 400),
      (["ibi": "https"], 400), (["ibi": "javascript:alert(1)"], 400), (["ibi": ""], 400), (["apn": "a.b"], 400),
      (["sessionId": nil], 400), (["sessionId": NativeAppFixture.session], 400),
      (["sessionId": String(repeating: "A", count: 64)], 400),
      (["authType": "signInViaPopup"], 400), (["providerId": nil], 400), (["eventId": "a;b"], 400),
      (["eventId": ""], 400),
      (["apiKey": "other"], 403), (["customParameters": "[]"], 400), (["tid": "none"], 400),
      (NativeAppFixture.android(["apn": "com.example.other"]), 403),
      (NativeAppFixture.android(["apn": "com.a;S.x=1;b"]), 400),
      (NativeAppFixture.android(["sha1Cert": String(repeating: "0", count: 40)]), 403),
      (NativeAppFixture.android(["sha1Cert": nil]), 403), (NativeAppFixture.android(["sha1Cert": "zz"]), 400),
    ] as [([String: String?], Int)] {
      let page = try await native.open(NativeAppFixture.signIn(changes))
      #expect(page.status == status && page.back == nil && page.headers["Location"] == nil, "\(changes) \(page.status)")
    }
    #expect(try await native.open(NativeAppFixture.signIn(), host: "evil.example").status == 421)
    let twice = NativeAppFixture.signIn() + [(name: "clientId", value: "1-x.apps.googleusercontent.com")]
    #expect(try await native.open(twice).status == 400)
    let none = try NativeAppFixture { $0.nativeApps = NativeApps() }
    for query in [
      NativeAppFixture.signIn(), NativeAppFixture.verify(), NativeAppFixture.signIn(NativeAppFixture.android()),
    ] {
      let page = try await none.open(query)
      #expect(page.status == 403 && page.text.contains("add it to nativeApps."))
    }
  }

  @Test("On an emulator programs on its machine choose their identity, in any app")
  func emulator() async throws {
    let native = try NativeAppFixture {
      $0.applyEmulatorDefaults()
      $0.nativeApps = NativeApps()
    }
    let page = try await native.open(NativeAppFixture.signIn(), path: "/emulator/auth/handler", isFromLoopback: true)
    let text = try #require(page.attribute("data-event", after: "<div id=\"event\""))
    let way = try #require(JSON(parsing: text.utf8)?["way"])
    #expect(way["before"]?.string == "\(NativeAppFixture.scheme)://firebaseauth/link?deep_link_id=")
    let program = NativeAppFixture.signIn(["ibi": nil, "clientId": nil, "loopbackPort": "49152"])
    let loopback = try await native.open(program, path: "/emulator/auth/handler", isFromLoopback: true)
    let parts = try #require(loopback.attribute("data-event", after: "<div id=\"event\""))
    #expect(JSON(parsing: parts.utf8)?["way"]?["before"]?.string == "http://127.0.0.1:49152/?deep_link_id=")
    let claims = PercentEncoding.encode(#"{"sub":"1","email":"a@example.com","email_verified":true}"#)
    let link = "http://127.0.0.1:9000/__/auth/callback?providerId=oidc.corp&id_token=\(claims)"
    #expect(try await native.redeem(link, isFromLoopback: true).json["email"] == "a@example.com")
    #expect(try await native.redeem(link).status == 400)
    // A browser on another machine opens only the configured apps.
    for query in [NativeAppFixture.signIn(), NativeAppFixture.verify()] {
      let elsewhere = try await native.open(query)
      #expect(elsewhere.headers["Location"] == nil && elsewhere.back == nil && elsewhere.status >= 400)
    }
  }

  @Test("An app can verify its registration and gets the address of its pages")
  func projectConfig() async throws {
    let native = try NativeAppFixture { $0.pageDomains = ["app.example.com:8443"] }
    func ask(_ query: [(name: String, value: String)]) async throws -> IdentityFixture.Answer {
      try await native.fixture.send("/v1/projects", [], method: "GET", query: query)
    }
    let told = try await ask([])
    #expect(
      told.json["authorizedDomains"] == ["localhost", "127.0.0.1", "auth.example.com", "app.example.com:8443"])
    #expect(
      try await ask([("iosBundleId", NativeAppFixture.bundleID), ("clientId", NativeAppFixture.clientID)]).status == 200
    )
    let sha1 = NativeAppFixture.certificate.uppercased()
    #expect(try await ask([("androidPackageName", NativeAppFixture.bundleID), ("sha1Cert", sha1)]).status == 200)
    for (query, code) in [
      ([("iosBundleId", "com.example.other")], "INVALID_APP_ID"),
      ([("iosBundleId", NativeAppFixture.bundleID), ("clientId", "x")], "INVALID_OAUTH_CLIENT_ID"),
      ([("androidPackageName", NativeAppFixture.bundleID)], "INVALID_CERT_HASH"),
      ([("androidPackageName", "com.example.other")], "INVALID_APP_ID"),
    ] as [([(name: String, value: String)], String)] {
      #expect(try await ask(query).error?.hasPrefix("\(code) : ") == true)
    }
  }
}
