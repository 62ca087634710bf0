import HearthPlugin
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto

@Suite struct ConfigurationTests {
  private static let standard = AccountsConfiguration(projectID: "demo", publicURL: "http://localhost:9000")

  private func parse(_ text: String) throws(SettingsError) -> AccountsConfiguration {
    try AccountsConfiguration.parse(Array(text.utf8), over: Self.standard)
  }

  private func refusal(_ text: String) -> String? {
    do throws(SettingsError) {
      _ = try parse(text)
      return nil
    } catch {
      return error.description
    }
  }

  /// Every setting, with a value other than its default.
  private static let everything = """
    {
      "projectID": "shop", "publicURL": "https://Auth.Example.com/", // where links lead
      "apiKeys": ["k1", "k2"], "authorizedDomains": ["App.example.com"], "pageDomains": ["In.example.com:8443"],
      "continueSchemes": ["myapp"],
      "nativeApps": {
        "ios": [{
          "bundleID": "com.example.shop", "appIDs": ["1:12:ios:ab"], "clientIDs": ["12-ab.apps.googleusercontent.com"]
        }],
        "android": [{
          "packageName": "com.example.shop_2", "certificates": ["AB:01:02:03:04:05:06:07:08:09:0A:0B:0C:0D:0E:0F:10:11:12:13"]
        }]
      },
      "protectsFromEnumeration": false, "allowsSignUp": false, "allowsDeletion": false,
      "allowsDuplicateEmails": true,
      "allowsPasswords": false, "allowsEmailLinks": false, "allowsAnonymous": false, "allowsPhones": false,
      "legacyRevealsUnknownUsers": true, "resetDropsIdentities": true, "revokesOnClaimChange": true,
      "passwordCost": "small", "passwordSlots": 3, "secondFactorsMax": 2,
      "secondFactors": {
        "policy": "required", "requiredClaims": { "admin": true, "role": ["owner"] }, "totp": false,
        "totpAdjacentIntervals": 0
      },
      "passwordPolicy": {
        "lengthMin": 10, "sizeBytesMax": 128, "requiresLowercase": true, "requiresUppercase": true,
        "requiresDigit": true, "requiresOther": true, "refusesCommon": true, "refusesContext": true,
        "appliesAtSignIn": true
      },
      /* times */ "idTokenLifetimeSeconds": 900, "legacySessionSeconds": 3600, "recentSignInSeconds": 60,
      "refresh": { "rotates": true, "graceSeconds": 90, "lifetimeSecondsMax": 86400, "idleSecondsMax": 3600 },
      "auditRecordsMax": 1000,
      "limits": {
        "mailsPerAddressPerMinute": 2, "messagesPerNumberPerMinute": 2, "messagesPerNumberPerHour": 3,
        "messagesPerNumberPerDay": 4, "messagesPerClientPerHour": 5, "messagesPerClientPerDay": 6,
        "messagesPerCountryPerHour": 7, "messagesPerCountryPerDay": 8, "messagesPerHour": 9, "messagesPerDay": 11,
        "accountFailuresFree": 1, "accountDelaySecondsMax": 2, "accountForgetSeconds": 60, "addressFailures": 4,
        "addressAccounts": 5, "signUpsPerHour": 6, "anonymousPerHour": 7,
        "mailsPerAddressPerHour": 8, "mailsPerClientPerHour": 9, "mailsPerDay": 10, "codeTriesPerMinute": 11,
        "factorTriesPerDay": 14,
        "credentialFailuresPerMinute": 13, "countersMax": 1000
      },
      "signIn": { "password": true, "anonymous": false, "oauth": { "google": {} }, "list": [1] },
      "mail": { "fromName": "Shop", "fromAddress": "shop@example.com", "appName": "Shop", "smtp": { "host": "h" } },
      "phone": {
        "secondFactor": true, "regions": { "allow": ["DE", "+1876"] }, "premiumPrefixes": ["+44870"],
        "testNumbers": { "+15555550100": "123456" },
        "captcha": {
          "service": "turnstile", "siteKey": "k", "secret": "hidden", "verifyURL": "http://127.0.0.1:1/verify",
          "hostnames": ["App.example.com"], "scoreMin": 70, "widget": "invisible"
        },
        "outbox": true
      },
      "trustedProxies": ["10.0.0.0/8", "::1"],
      "trust": {
        "firebaseProjects": ["my-app"], "issuers": [{ "issuer": "https://id.example.com", "audiences": ["api"] }],
        "trustedHosts": ["id.internal"], "authorityFile": "ca.pem",
        "allowsPlainHTTP": true
      },
      "blockingFunctions": { "triggers": { "beforeCreate": { "functionUri": "http://127.0.0.1:8081" } } }
    }
    """

  @Test("every setting can be set in the file")
  func everySetting() throws {
    let settings = try parse(Self.everything)
    let (given, standard) = (Mirror(reflecting: settings), Mirror(reflecting: Self.standard))
    for (left, right) in zip(given.children, standard.children)
    where !["isEmulator", "consoleClaim"].contains(left.label) {
      let inner = (Mirror(reflecting: left.value), Mirror(reflecting: right.value))
      let hasSettings = inner.0.displayStyle == .struct && !["passwordCost"].contains(left.label ?? "")
      let pairs = hasSettings ? Array(zip(inner.0.children, inner.1.children)) : [(left, right)]
      for (one, other) in pairs {
        #expect(
          String(reflecting: one.value) != String(reflecting: other.value), "\(left.label ?? "").\(one.label ?? "")")
      }
    }
    #expect(settings.publicURL == "https://auth.example.com")
    #expect(settings.authorizedDomains == ["app.example.com"])
    #expect(settings.passwordCost == .small)
    #expect(!settings.isEmulator)
    #expect(settings.signIn?.map(\.name) == ["password", "oauth", "list"])
    #expect(settings.signIn?[0].values == .object([]))
    #expect(settings.mail.mailer == PluginChoice("smtp", .object([.init("host", .string("h"))])))
    #expect(settings.trustedProxies == ["10.0.0.0/8", "::1"])
    #expect(settings.phone.sender == PluginChoice("outbox") && settings.phone.captcha?.hostnames == ["app.example.com"])
    #expect(!"\(settings.phone)".contains("hidden"))
  }

  @Test("a limit of earlier versions is ignored")
  func retiredLimit() throws {
    let settings = try parse(#"{"limits": {"adminFailuresPerMinute": 12}}"#)
    #expect(settings.limits.countersMax == ThrottleLimits().countersMax)
  }

  @Test("an empty file changes nothing")
  func empty() throws {
    let settings = try parse("// nothing yet\n{}")
    #expect(settings.projectID == "demo" && settings.limits == ThrottleLimits())
    #expect(settings.signIn == nil && settings.mail.mailer == nil && settings.trustedProxies.isEmpty)
  }

  @Test("a file that only switches plugins off leaves those that are on by default")
  func switchedOff() throws {
    #expect(try parse(#"{"signIn": {"password": false}, "mail": {"smtp": false}}"#).signIn == nil)
  }

  @Test("plugin settings are not printed with the configuration")
  func printing() throws {
    let settings = try parse(#"{"signIn": {"oauth": {"secret": "hidden"}}, "mail": {"smtp": {"password": "hidden"}}}"#)
    var dumped = ""
    dump(settings, to: &dumped)
    #expect(dumped.contains("oauth") && !dumped.contains("hidden") && !"\(settings)".contains("hidden"))
  }

  @Test(
    "an unknown setting is an error with its place and the nearest known setting",
    arguments: [
      (#"{"protectFromEnumeration": true}"#, "protectFromEnumeration", "did you mean protectsFromEnumeration?"),
      (#"{"passwordPolicy": {"minLength": 8}}"#, "passwordPolicy.minLength", "lengthMin"),
      (#"{"limits": {"adressFailures": 8}}"#, "limits.adressFailures", "did you mean addressFailures?"),
      (#"{"refresh": {"x": 8}}"#, "refresh.x", "graceSeconds"),
      (#"{"isEmulator": true}"#, "isEmulator", "not a known setting"),
      (#"{"mail": {"formName": "x"}}"#, "mail.formName", "did you mean fromName?"),
      (#"{"passwordCost": {"logN": 17, "r": 8, "p": 1, "q": 1}}"#, "passwordCost.q", "the settings are logN, p, r"),
    ])
  func unknown(_ text: String, _ place: String, _ help: String) throws {
    let error = try #require(refusal(text))
    #expect(error.hasPrefix(place + ": "))
    #expect(error.contains(help))
  }

  @Test(
    "invalid values are refused with their place",
    arguments: [
      (#"{"allowsSignUp": 1}"#, "allowsSignUp: must be true or false"),
      (#"{"allowsSignUp": true, "allowsSignUp": false}"#, "allowsSignUp: occurs twice"),
      (#"{"limits": []}"#, "limits: must be an object"), (#"[]"#, "must be an object"),
      (#"{"limits": {"addressFailures": 0}}"#, "limits.addressFailures: must be a whole number from 1"),
      (#"{"limits": {"addressFailures": 1e300}}"#, "limits.addressFailures: must be a whole number from 1"),
      (
        #"{"passwordPolicy": {"lengthMin": 100, "sizeBytesMax": 64}}"#,
        "passwordPolicy.lengthMin: is more than sizeBytes"
      ),
      (#"{"passwordPolicy": {"lengthMin": 5}}"#, "passwordPolicy.lengthMin: must be a whole number from 6"),
      (#"{"apiKeys": []}"#, "apiKeys: lists no key"), (#"{"apiKeys": [7]}"#, "apiKeys[0]: must be a string"),
      (#"{"authorizedDomains": ["https://x"]}"#, "authorizedDomains: must be host names"),
      (#"{"projectID": "A b"}"#, "projectID: must be"), (#"{"publicURL": "auth.example.com"}"#, "publicURL: must be"),
      (#"{"publicURL": "https://a@evil"}"#, "publicURL: must be"),
      (#"{"publicURL": "https://a/path"}"#, "publicURL: must be"),
      (#"{"publicURL": "https://"}"#, "publicURL: must be"), (#"{"publicURL": "https://:80"}"#, "publicURL: must be"),
      (#"{"publicURL": "https://a:b"}"#, "publicURL: must be"), (#"{"publicURL": "https://a:"}"#, "publicURL: must be"),
      (#"{"publicURL": "https://a..b"}"#, "publicURL: must be"), (#"{"publicURL": "http://["}"#, "publicURL: must be"),
      (#"{"publicURL": "https://a:65536"}"#, "publicURL: must be"),
      (#"{"authorizedDomains": ["localhost:3000"]}"#, "authorizedDomains: must be host names"),
      (#"{"passwordCost": {"logN": 13, "r": 8, "p": 1}}"#, "passwordCost: is weaker"),
      (#"{"passwordCost": {"logN": 4, "r": 8, "p": 1}}"#, "passwordCost.logN: must be"),
      (#"{"passwordCost": "cheap"}"#, "passwordCost: must be"),
      (#"{"signIn": {"password": "yes"}}"#, "signIn.password: must be true, false"),
      (#"{"mail": {"fromAddress": "x\r\ny@z"}}"#, "mail.fromAddress: must be a string"),
      (#"{"mail": {"fromAddress": "nobody"}}"#, "mail.fromAddress: must be an e-mail address"),
      (#"{"mail": {"smtp": {}, "outbox": {}}}"#, "mail.outbox: is a second mailer"),
      (#"{"phone": {"region": 5}}"#, "phone.region: is not a known setting; did you mean regions?"),
      (#"{"phone": {"a": {}, "b": {}}}"#, "phone.b: is a second"),
      (#"{"phone": {"regions": {}}}"#, "phone.regions.allow: is missing"),
      (#"{"phone": {"regions": {"allow": [], "deny": []}}}"#, "phone.regions.allow: is missing"),
      (#"{"phone": {"regions": {"deny": ["Germany"]}}}"#, "phone.regions.deny: has Germany"),
      (#"{"phone": {"premiumPrefixes": ["GB"]}}"#, "phone.premiumPrefixes: has GB"),
      (#"{"phone": {"testNumbers": {"123": "123456"}}}"#, "phone.testNumbers.123: is not a phone number"),
      (#"{"phone": {"testNumbers": {"+15555550100": "1"}}}"#, "must have a code of six digits"),
      (#"{"phone": {"captcha": {"service": "x"}}}"#, "phone.captcha.service: must be recaptcha"),
      (#"{"phone": {"captcha": {"service": "hcaptcha", "siteKey": "k"}}}"#, "phone.captcha.secret: is missing"),
      (#"{"phone": {"secondFactor": true}}"#, "phone.regions: is missing"),
      (#"{"signIn": {"phone": true}}"#, "phone.regions: is missing"),
      (#"{"signIn": {"phone": {"x": 1}}}"#, "signIn.phone: must be true or false"),
      ("{\n  \"allowsSignUp\": tru\n}", "line 2, column"), ("{\"a\": /* no end", "line 1, column"),
      ("", "line 1, column"),
      ("{} {}", "line 1, column 4"),
    ])
  func nonsense(_ text: String, _ expected: String) throws {
    let error = try #require(refusal(text))
    #expect(error.contains(expected), "\(error)")
  }

  @Test(
    "Security 31: token lifetimes that would make clients refresh without a pause are refused",
    arguments: [0, 1, 299, 300, 301, 899, 3_601, -1] as [Int64])
  func tokenLifetimes(_ seconds: Int64) throws {
    let error = try #require(refusal("{\"idTokenLifetimeSeconds\": \(seconds)}"))
    #expect(error.hasPrefix("idTokenLifetimeSeconds: ") && error.contains("900") && error.contains("refresh"))
    var flags = Self.standard
    flags.idTokenLifetimeSeconds = seconds
    #expect(throws: SettingsError.self) { try flags.validate() }
    #expect(throws: SettingsError.self) { try AccountsConfiguration.parse(Array("{}".utf8), over: flags) }
  }

  @Test(
    "every valid server address is accepted",
    arguments: [
      "http://localhost:9000", "https://auth.example.com", "http://127.0.0.1:65535", "http://[::1]:9000",
      "http://[fe80::1]",
    ])
  func origins(_ url: String) throws {
    var configuration = Self.standard
    configuration.publicURL = url
    configuration.authorizedDomains = ["localhost", "::1", "127.0.0.1"]
    #expect(throws: Never.self) { try configuration.validate() }
  }

  @Test("an audit trail is as long as the configuration says")
  func trailLength() {
    var configuration = Self.standard
    configuration.auditRecordsMax = 5_000
    #expect(AccountStoreLimits(configuration).auditRecordsMax == 5_000)
  }

  @Test("token lifetimes within the bounds are taken", arguments: [900, 3_600] as [Int64])
  func goodLifetimes(_ seconds: Int64) throws {
    #expect(try parse("{\"idTokenLifetimeSeconds\": \(seconds)}").idTokenLifetimeSeconds == seconds)
  }

  @Test("a developer's hash cost is accepted only by a development server")
  func developerCost() throws {
    var flags = Self.standard
    flags.passwordCost = .developer
    #expect(throws: SettingsError.self) { try flags.validate() }
    flags.isEmulator = true
    #expect(throws: Never.self) { try flags.validate() }
  }

  @Test("comment signs inside a string are part of the string")
  func comments() throws {
    let settings = try parse(#"{"mail": {"fromName": "a // b /* c */ \" // d", "appName": "x"} /**/ } //"#)
    #expect(settings.mail.fromName == #"a // b /* c */ " // d"#)
  }

  @Test("invalid bytes of a configuration are refused without a failure")
  func hostile() {
    var state: UInt64 = 7
    let text = Array(Self.everything.utf8)
    for _ in 0..<300 {
      var bytes = text
      for _ in 0..<3 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes[Int(state >> 33) % bytes.count] = UInt8(truncatingIfNeeded: state >> 20)
      }
      _ = try? AccountsConfiguration.parse(bytes, over: Self.standard)
    }
    #expect(refusal(String(repeating: "[", count: 100_000)) != nil)
    #expect(refusal(String(repeating: " ", count: 2 << 20)) != nil)
  }
}
