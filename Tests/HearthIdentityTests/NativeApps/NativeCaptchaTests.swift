import HearthPlugin
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

/// Tests of native apps that show a captcha's token, because this server cannot verify their system's attestation.
@Suite struct NativeCaptchaTests {
  private func fixture(
    _ service: CaptchaSettings.Service?, _ widget: CaptchaSettings.Widget = .checkbox
  ) throws -> NativeAppFixture {
    try NativeAppFixture { configuration in
      configuration.signIn = [PluginChoice("phone")]
      configuration.phone.regions = .only(["DE"])
      guard let service else { return }
      var captcha = CaptchaSettings(service: service, siteKey: "site\"key", secret: "the-secret")
      captcha.widget = widget
      configuration.phone.captcha = captcha
    }
  }

  @Test(
    "The page has the configured widget, and a policy that allows only it",
    arguments: [
      (
        CaptchaSettings.Service.recaptcha, CaptchaSettings.Widget.checkbox,
        "https://www.google.com/recaptcha/api.js?render=explicit&onload=hearthCaptchaReady&hl=de", "grecaptcha",
        "www.google.com"
      ),
      (
        .recaptcha, .score, "https://www.google.com/recaptcha/api.js?render=site%22key&onload=hearthCaptchaReady&hl=de",
        "grecaptcha", "www.google.com"
      ),
      (
        .hcaptcha, .invisible, "https://js.hcaptcha.com/1/api.js?render=explicit&onload=hearthCaptchaReady&hl=de",
        "hcaptcha", "hcaptcha.com"
      ),
      (
        .turnstile, .checkbox,
        "https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit&onload=hearthCaptchaReady", "turnstile",
        "challenges.cloudflare.com"
      ),
    ])
  func widget(
    service: CaptchaSettings.Service, widget: CaptchaSettings.Widget, url: String, object: String, host: String
  ) async throws {
    let page = try await fixture(service, widget).open(NativeAppFixture.verify())
    #expect(page.status == 200 && page.attribute("src", after: "<script") == url)
    #expect(page.attribute("data-object", after: "<div id=\"captcha\"") == object)
    #expect(page.attribute("data-kind", after: "<div id=\"captcha\"") == widget.rawValue)
    #expect(
      page.attribute("data-key", after: "<div id=\"captcha\"") == "site\"key" && !page.text.contains("the-secret"))
    let policy = try #require(page.headers["Content-Security-Policy"])
    let parts = policy.split(separator: "; ")
    let scripts = try #require(parts.first { $0.hasPrefix("script-src ") }).split(separator: " ").dropFirst()
    #expect(parts.first == "default-src 'none'" && parts.contains("frame-ancestors 'none'"))
    #expect(scripts.first?.hasPrefix("'sha256-") == true && scripts.contains { $0.hasPrefix("https://\(host)") })
    // The policy allows no whole scheme, and no wildcard.
    let all = Set(parts.flatMap { $0.split(separator: " ").dropFirst() })
    #expect(all.isDisjoint(with: ["*", "https:", "http:", "data:", "'unsafe-eval'"]))
    #expect(!scripts.contains("'unsafe-inline'"))
    let text = try #require(page.attribute("data-way", after: "<div id=\"captcha\""))
    let way = try #require(JSON(parsing: text.utf8))
    // The page's script encodes the URL like this.
    let token = PercentEncoding.encode("to+ken/&=")
    let address =
      (way["before"]?.string ?? "")
      + PercentEncoding.encode((way["callback"]?.string ?? "") + "&recaptchaToken=" + token)
      + (way["after"]?.string ?? "")
    let told = try NativeAppFixture.deepLink(address, scheme: "app-1-123456789-ios-123abc456def")
    #expect(told["recaptchaToken"] == "to+ken/&=" && told["authType"] == "verifyApp" && told["eventId"] == "QWERTYUIOP")
  }

  @Test("Without a captcha the app is opened at once with a token that is not verified")
  func withoutCaptcha() async throws {
    let native = try fixture(nil)
    let told = try NativeAppFixture.deepLink(
      try await native.open(NativeAppFixture.verify()).back, scheme: "app-1-123456789-ios-123abc456def")
    #expect(told["recaptchaToken"]?.isEmpty == false)
    let extras = try NativeAppFixture.extras(
      try await native.open(NativeAppFixture.verify(NativeAppFixture.android(["hl": "es-ES, en-US"]))).back,
      scheme: "recaptcha")
    let link = try #require(extras["S.link"])
    #expect(try NativeAppFixture.parts(link).query["recaptchaToken"]?.isEmpty == false)
    let off = try await NativeAppFixture().open(NativeAppFixture.verify())
    let refused = try NativeAppFixture.deepLink(off.back, scheme: "app-1-123456789-ios-123abc456def")
    #expect(refused["firebaseError"]?.contains("auth/operation-not-allowed") == true)
  }

  @Test("Security 85: the captcha's page opens only the apps of the settings")
  func allowList() async throws {
    let native = try fixture(.turnstile)
    for (changes, status) in [
      (["ibi": "com.example.other"], 403), (["appId": "1:9:ios:9"], 403), (["appId": nil], 400),
      (["eventId": nil], 400),
      (["appId": nil, "clientId": "999-x.apps.googleusercontent.com"], 403), (["apiKey": nil], 400),
      (["ibi": nil], 400),
    ] as [([String: String?], Int)] {
      let page = try await native.open(NativeAppFixture.verify(changes))
      #expect(page.status == status && page.attribute("data-way", after: "<div id=\"captcha\"") == nil, "\(changes)")
    }
    #expect(try await native.open(NativeAppFixture.verify(), host: "evil.example").status == 421)
  }

  @Test("A client that requests a push or sends a platform attestation is told to open the page")
  func fallback() async throws {
    let phone = try PhoneFixture {
      $0.phone.captcha = CaptchaSettings(service: .turnstile, siteKey: "k", secret: "s")
      $0.limits.messagesPerNumberPerMinute = 10
    }
    for path in ["/v1/accounts:verifyIosClient", "/identitytoolkit/v3/relyingparty/verifyClient"] {
      let host = path.hasPrefix("/v1") ? "identitytoolkit.googleapis.com" : "www.googleapis.com"
      let asked = try await phone.fixture.post(path, ["appToken": "00ff", "isSandbox": true], host: host)
      #expect(asked.status == 400 && asked.error?.hasPrefix("INVALID_APP_CREDENTIAL : ") == true)
      #expect(try await phone.fixture.post(path, [:], host: host).error == "MISSING_IOS_APP_TOKEN")
    }
    for shown in [
      ["iosReceipt": "r", "iosSecret": "s"], ["playIntegrityToken": "t"], ["safetyNetToken": "t"],
    ] as [JSON] {
      let answer = try await phone.ask(PhoneFixture.number, shown)
      #expect(answer.error?.hasPrefix("INVALID_APP_CREDENTIAL : ") == true, "\(shown)")
      let both = JSON.object((shown.members ?? []) + [.init("recaptchaToken", .string("good-\(shown)"))])
      #expect(try await phone.ask(PhoneFixture.number, both).status == 200)
    }
    #expect(try await phone.ask(PhoneFixture.number).error?.hasPrefix("MISSING_APP_CREDENTIAL") == true)
    #expect(try await PhoneFixture().ask(PhoneFixture.number, ["iosReceipt": "r", "iosSecret": "s"]).status == 200)
  }

  @Test("A token of the server's own page is accepted beside the configured hosts")
  func ownHost() async throws {
    let phone = try PhoneFixture {
      $0.phone.captcha = CaptchaSettings(service: .turnstile, siteKey: "k", secret: "s")
      $0.phone.captcha?.hostnames = ["app.example.com"]
      $0.limits.messagesPerNumberPerMinute = 10
    }
    phone.captchas.answer(["success": true, "hostname": "auth.example.com"])
    #expect(try await phone.ask(PhoneFixture.number, ["recaptchaToken": "good"]).status == 200)
  }
}
