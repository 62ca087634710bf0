import HearthPlugin
import HearthTestKit
import HearthTree
import Synchronization
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

@Suite("The project's configuration, changed while the server runs")
struct ProjectConfigTests {
  private static let path = "/identitytoolkit.googleapis.com/v2/projects/demo-test/config"
  private let fixture: IdentityFixture

  init() throws {
    // A cost that a configuration file may contain.
    fixture = try IdentityFixture(hasMailer: true) { $0.passwordCost = .small }
  }

  private func get() async throws -> JSON {
    let answer = try await fixture.send(Self.path, [], method: "GET", authority: .administrator("ci"))
    #expect(answer.status == 200, "\(answer.text)")
    return answer.json
  }

  private func patch(
    _ mask: String?, _ body: JSON, path: String = path, maskName: String = "updateMask",
    authority: IdentityRequest.Bearer = .administrator("ci")
  ) async throws -> IdentityFixture.Answer {
    try await fixture.send(
      path, body.text(), method: "PATCH", query: mask.map { [(maskName, $0)] } ?? [], authority: authority)
  }

  @Test("Changed settings take effect at once; members missing in the body return to the file's values")
  func live() async throws {
    #expect(try await get()["client"]?["permissions"]?["disabledUserSignup"] == false)
    let closed = try await patch(
      "client.permissions.disabledUserSignup,emailPrivacyConfig",
      [
        "client": ["permissions": ["disabledUserSignup": true]],
        "emailPrivacyConfig": ["enableImprovedEmailPrivacy": false],
      ])
    #expect(closed.status == 200, "\(closed.text)")
    #expect(closed.json == (try await get()))
    #expect(closed.json["client"]?["permissions"] == ["disabledUserSignup": true, "disabledUserDeletion": false])
    #expect(try await fixture.signUp("a@b.example").error == "ADMIN_ONLY_OPERATION")
    #expect(try await fixture.signIn("no@example.com").error == "EMAIL_NOT_FOUND")
    let opened = try await patch("client.permissions", .object([]))
    #expect(opened.json["client"]?["permissions"]?["disabledUserSignup"] == false)
    #expect(opened.json["emailPrivacyConfig"] == [:], "what is off is left out")
    #expect(try await fixture.signUp("a@b.example").status == 200)
  }

  @Test("Authorized domains are published to clients and restrict links; deployment tools use another path for them")
  func domains() async throws {
    let path = "/identitytoolkit.googleapis.com/admin/v2/projects/demo-test/config"
    let set = try await patch(
      "authorizedDomains", ["authorizedDomains": ["App.example.net"]], path: path, maskName: "update_mask")
    #expect(set.json["authorizedDomains"] == ["app.example.net"], "\(set.text)")
    let told = try await fixture.send("/identitytoolkit.googleapis.com/v1/projects", [], method: "GET")
    #expect(told.json["authorizedDomains"] == ["app.example.net", "auth.example.com"])
    func mail(_ url: JSON) async throws -> String? {
      try await fixture.post(
        "accounts:sendOobCode", ["requestType": "PASSWORD_RESET", "email": "a@b.example", "continueUrl": url]
      ).error
    }
    #expect(try await mail("https://app.example.net/x") == nil)
    #expect(try await mail("https://localhost/x")?.hasPrefix("UNAUTHORIZED_DOMAIN") == true)
    for wrong: JSON in ["x", ["https://a.b"], ["a.b:80"], [1], [""]] {
      let answer = try await patch("authorizedDomains", ["authorizedDomains": wrong])
      #expect(answer.status == 400 && answer.error?.hasPrefix("INVALID_ARGUMENT : ") == true, "\(answer.text)")
    }
    let many = JSON.array((0..<5_000).map { .string("host-\($0).example.com") })
    #expect(try await patch("authorizedDomains", ["authorizedDomains": many]).status == 400)
    #expect(try await get()["authorizedDomains"] == ["app.example.net"], "what is refused changes nothing")
  }

  @Test(
    "The password policy is published and enforced for new passwords; with the upgrade option, for older ones as well")
  func policy() async throws {
    #expect(try await fixture.signUp("old@b.example", "lowercase").status == 200)
    func set(_ upgrade: Bool) -> JSON {
      [
        "passwordPolicyConfig": [
          "passwordPolicyEnforcementState": "ENFORCE", "forceUpgradeOnSignin": .bool(upgrade),
          "passwordPolicyVersions": [
            [
              "customStrengthOptions": [
                "minPasswordLength": 8, "maxPasswordLength": 100, "containsUppercaseCharacter": true,
                "containsLowercaseCharacter": false,
              ]
            ]
          ],
        ]
      ]
    }
    let mask =
      "passwordPolicyConfig.passwordPolicyEnforcementState,passwordPolicyConfig.forceUpgradeOnSignin,"
      + "passwordPolicyConfig.passwordPolicyVersions"
    let answer = try await patch(mask, set(false))
    #expect(answer.status == 200, "\(answer.text)")
    #expect(
      answer.json["passwordPolicyConfig"]?["passwordPolicyVersions"]?.array?.first?["customStrengthOptions"] == [
        "minPasswordLength": 8, "maxPasswordLength": 100, "containsLowercaseCharacter": false,
        "containsUppercaseCharacter": true, "containsNumericCharacter": false,
        "containsNonAlphanumericCharacter": false,
      ], "administrators are told what is off as well")
    let told = try await fixture.send("/identitytoolkit.googleapis.com/v2/passwordPolicy", [], method: "GET")
    #expect(
      told.json["customStrengthOptions"]
        == ["minPasswordLength": 8, "maxPasswordLength": 100, "containsUppercaseCharacter": true])
    #expect(told.json["enforcementState"] == "ENFORCE" && told.json["forceUpgradeOnSignin"] == false)
    #expect(
      try await fixture.signUp("new@b.example", "lowercase").error
        == "PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [Password must contain an upper case "
        + "character]")
    #expect(try await fixture.signUp("new@b.example", "Short1").error?.hasPrefix("WEAK_PASSWORD : ") == true)
    #expect(try await fixture.signUp("new@b.example", "Uppercase").status == 200)
    #expect(try await fixture.signIn("old@b.example", "lowercase").status == 200)
    _ = try await patch(mask, set(true))
    #expect(
      try await fixture.signIn("old@b.example", "lowercase").error?.hasPrefix("PASSWORD_DOES_NOT_MEET_REQUIREMENTS")
        == true)
    #expect(try await fixture.signIn("old@b.example", "wrong pass").error == "INVALID_LOGIN_CREDENTIALS")
    #expect(try await fixture.signIn("new@b.example", "Uppercase").status == 200)
    let off = try await patch(
      "passwordPolicyConfig", ["passwordPolicyConfig": ["passwordPolicyEnforcementState": "OFF"]])
    #expect(off.json["passwordPolicyConfig"]?["passwordPolicyEnforcementState"] == "OFF")
    #expect(try await fixture.signIn("old@b.example", "lowercase").status == 200)
    for wrong: JSON in [
      ["passwordPolicyEnforcementState": "ON"], ["passwordPolicyEnforcementState": "ENFORCE"],
      ["passwordPolicyEnforcementState": "ENFORCE", "passwordPolicyVersions": [["customStrengthOptions": ["x": 1]]]],
      [
        "passwordPolicyEnforcementState": "ENFORCE",
        "passwordPolicyVersions": [["customStrengthOptions": ["minPasswordLength": 5]]],
      ],
      [
        "passwordPolicyEnforcementState": "ENFORCE",
        "passwordPolicyVersions": [["customStrengthOptions": ["minPasswordLength": 128, "maxPasswordLength": 64]]],
      ],
    ] {
      let answer = try await patch("passwordPolicyConfig", ["passwordPolicyConfig": wrong])
      #expect(answer.status == 400 && answer.error?.hasPrefix("INVALID_ARGUMENT : ") == true, "\(answer.text)")
    }
  }

  @Test("Only administrators change settings, and immutable ones are named")
  func refused() async throws {
    let body: JSON = ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": false]]
    #expect(try await patch("emailPrivacyConfig", body, authority: .none).status == 401)
    for (mask, reason) in [
      ("quota.signUpQuotaConfig", "under limits"), ("signIn.hashConfig", "scrypt"), ("notification", "under mail"),
      ("subtype", "Settings that can: authorizedDomains"),
    ] {
      let answer = try await patch("emailPrivacyConfig,\(mask)", body)
      #expect(answer.status == 501 && answer.error?.contains(reason) == true, "\(answer.text)")
    }
    #expect(try await patch("", body).status == 400)
    let odd = try await patch("a\u{202E}b", body)
    #expect(odd.status == 501 && odd.text.contains("\u{202E}") == false)
    #expect(try await patch(nil, ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": "no"]]).status == 400)
    #expect(try await get()["emailPrivacyConfig"] == ["enableImprovedEmailPrivacy": true])
  }

  @Test("A setting that cannot be changed is accepted with its present value, and refused with any other")
  func fixed() async throws {
    #expect(try await get()["mobileLinksConfig"] == ["domain": "HOSTING_DOMAIN"])
    #expect(
      try await get()["recaptchaConfig"] == ["emailPasswordEnforcementState": "OFF", "phoneEnforcementState": "OFF"])
    let off: JSON = [
      "emailPasswordEnforcementState": "OFF", "phoneEnforcementState": "OFF", "useAccountDefender": false,
      "managedRules": [],
    ]
    for (mask, body) in [
      ("mobileLinksConfig.domain", ["mobileLinksConfig": ["domain": "HOSTING_DOMAIN"]]),
      ("mobile_links_config", ["mobile_links_config": ["domain": "HOSTING_DOMAIN"]]),
      ("mobileLinksConfig", ["mobileLinksConfig": [:]]), ("mobileLinksConfig", [:]),
      ("recaptchaConfig", ["recaptchaConfig": off]),
      ("recaptchaConfig.useAccountDefender,autodeleteAnonymousUsers", ["recaptchaConfig": off]),
      ("recaptchaConfig", ["recaptchaConfig": ["use_account_defender": false]]),
      (nil, ["recaptchaConfig": off, "monitoring": ["requestLogging": ["enabled": false]]]),
    ] as [(String?, JSON)] {
      let answer = try await patch(mask, body)
      let told = try await get()
      #expect(answer.status == 200 && answer.json == told, "\(answer.text)")
    }
    for (mask, body, reason) in [
      ("mobileLinksConfig", ["mobileLinksConfig": ["domain": "FIREBASE_DYNAMIC_LINK_DOMAIN"]], "publicURL"),
      ("mobileLinksConfig", ["mobileLinksConfig": "HOSTING_DOMAIN"], "publicURL"),
      ("mobileLinksConfig", ["mobileLinksConfig": ["domain": "HOSTING_DOMAIN", "x": 1]], "publicURL"),
      ("mobileLinksConfig.domain.x", ["mobileLinksConfig": ["domain": "HOSTING_DOMAIN"]], "publicURL"),
      ("recaptchaConfig", ["recaptchaConfig": ["phoneEnforcementState": "AUDIT"]], "under phone"),
      ("recaptchaConfig", ["recaptchaConfig": ["managedRules": [["action": "BLOCK"]]]], "under phone"),
      ("monitoring", ["monitoring": ["requestLogging": false]], "audit trail"),
      ("autodeleteAnonymousUsers", ["autodeleteAnonymousUsers": true], "anonymous users are kept"),
    ] as [(String, JSON, String)] {
      let answer = try await patch("emailPrivacyConfig,\(mask)", body)
      #expect(answer.status == 501 && answer.error?.contains(reason) == true, "\(answer.text)")
    }
    #expect(try await get()["emailPrivacyConfig"] == ["enableImprovedEmailPrivacy": true], "nothing was changed")
  }

  @Test("A captcha of the configuration file is reported as enforced, and cannot be enabled elsewhere")
  func captcha() async throws {
    let fixture = try IdentityFixture {
      $0.passwordCost = .small
      $0.phone.captcha = CaptchaSettings(service: .turnstile, siteKey: "k", secret: "s")
    }
    func patch(_ state: JSON) async throws -> IdentityFixture.Answer {
      let body: JSON = ["recaptchaConfig": ["phoneEnforcementState": state]]
      return try await fixture.send(
        Self.path, body.text(), method: "PATCH", query: [], authority: .administrator("ci"))
    }
    let answer = try await patch("ENFORCE")
    #expect(answer.json["recaptchaConfig"]?["phoneEnforcementState"] == "ENFORCE", "\(answer.text)")
    #expect(try await patch("OFF").status == 501)
  }

  @Test("Second factors: the state is the policy, and authenticators are enabled with their tolerated time steps")
  func factors() async throws {
    #expect(
      try await get()["mfa"] == [
        "state": "ENABLED", "enabledProviders": [],
        "providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 1]]],
      ])
    let set = try await patch(
      "mfa.state,mfa.providerConfigs",
      [
        "mfa": [
          "state": "MANDATORY",
          "providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 5]]],
        ]
      ])
    #expect(set.json["mfa"]?["state"] == "MANDATORY", "\(set.text)")
    let settings = fixture.accounts.configuration.secondFactors
    #expect(settings.policy == .required && settings.totp && settings.totpAdjacentIntervals == 5)
    let reset = try await patch("mfa", .object([]))
    #expect(reset.json["mfa"]?["state"] == "ENABLED", "\(reset.text)")
    #expect(fixture.accounts.store.view.configurationChanges == nil)
    for wrong: JSON in [
      ["state": "ON"], ["state": 1], ["providerConfigs": "x"], ["providerConfigs": [["state": "MANDATORY"]]],
      ["providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 11]]]],
      ["providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": "1"]]]],
    ] {
      let answer = try await patch("mfa", ["mfa": wrong])
      #expect(answer.status == 400 && answer.error?.hasPrefix("INVALID_ARGUMENT : ") == true, "\(answer.text)")
    }
    let phone = try await patch("mfa.enabledProviders", ["mfa": ["enabledProviders": ["PHONE_SMS"]]])
    #expect(phone.status == 400 && phone.error?.contains("phone.regions") == true, "\(phone.text)")
  }

  @Test("Sign-in methods of plugins are disabled and enabled; tenants have their own setting")
  func ways() async throws {
    let shut = try await patch(
      "signIn.email.enabled,signIn.anonymous.enabled",
      ["signIn": ["email": ["enabled": false], "anonymous": ["enabled": false]]])
    #expect(shut.json["signIn"]?["email"] == ["enabled": false, "passwordRequired": true], "\(shut.text)")
    #expect(try await fixture.signUp("a@b.example").error == "OPERATION_NOT_ALLOWED")
    #expect(try await fixture.signIn("a@b.example").error == "PASSWORD_LOGIN_DISABLED")
    #expect(try await fixture.anonymous().error == "ADMIN_ONLY_OPERATION")
    let tenant = try await fixture.post(
      "/v2/projects/demo-test/tenants", ["displayName": "acme", "allowPasswordSignup": true],
      authority: .administrator("ci"))
    let id = tenant.json["name"]?.string?.split(separator: "/").last.map(String.init) ?? ""
    let inside = try await fixture.post(
      "accounts:signUp",
      ["email": "a@b.example", "password": "correct horse", "returnSecureToken": true, "tenantId": .string(id)])
    #expect(inside.status == 200, "\(inside.text)")
    let opened = try await patch(
      "signIn.email", ["signIn": ["email": ["enabled": true, "passwordRequired": true]]])
    #expect(opened.json["signIn"]?["email"] == ["enabled": true, "passwordRequired": true], "\(opened.text)")
    #expect(try await fixture.signUp("a@b.example").status == 200)
    #expect(
      try await fixture.sendCode("EMAIL_SIGNIN", ["email": "a@b.example", "continueUrl": "http://localhost/"]).error
        == "OPERATION_NOT_ALLOWED")
    let back = try await patch("signIn", .object([]))
    #expect(back.json["signIn"]?["email"] == ["enabled": true, "passwordRequired": false], "\(back.text)")
    #expect(try await fixture.anonymous().status == 200)
    #expect(try await patch("multiTenant", ["multiTenant": ["allowTenants": true]]).status == 200)
    let none = try await patch("multiTenant", ["multiTenant": ["allowTenants": false]])
    #expect(none.status == 501 && none.error?.contains("multiTenant.allowTenants") == true)
    #expect(back.json["signIn"]?["allowDuplicateEmails"] == false)
    let many = try await patch("sign_in.allow_duplicate_emails", ["signIn": ["allowDuplicateEmails": true]])
    #expect(many.json["signIn"]?["allowDuplicateEmails"] == true, "\(many.text)")
    #expect(many.json["signIn"]?["email"] == back.json["signIn"]?["email"])
    #expect(fixture.accounts.configuration.allowsDuplicateEmails)
    let wrong = try await patch("signIn.allowDuplicateEmails", ["signIn": ["allowDuplicateEmails": "yes"]])
    #expect(wrong.status == 400 && wrong.error?.contains("signIn.allowDuplicateEmails must be true or false") == true)
    #expect(
      try await patch("signIn.allowDuplicateEmails", .object([])).json["signIn"]?["allowDuplicateEmails"] == false)
  }

  @Test("Phones: where messages go, test numbers, and whether numbers sign in or are second factors")
  func phones() async throws {
    let fixture = try IdentityFixture {
      $0.passwordCost = .small
      $0.signIn = [PluginChoice("phone")]
      $0.phone.regions = .only(["DE"])
    }
    func patch(_ mask: String, _ body: JSON) async throws -> IdentityFixture.Answer {
      try await fixture.send(
        Self.path, body.text(), method: "PATCH", query: [("updateMask", mask)], authority: .administrator("ci"))
    }
    // As deployment tools send it.
    let denied = try await patch(
      "sms_region_config", ["sms_region_config": ["allowByDefault": ["disallowedRegions": ["US"]]]])
    #expect(
      denied.json["smsRegionConfig"] == ["allowByDefault": ["disallowedRegions": ["US"]]], "\(denied.text)")
    #expect(fixture.accounts.configuration.phone.regions == .allBut(["US"]))
    // As an admin SDK sends it.
    let allowed = try await patch(
      "smsRegionConfig.allowlistOnly.allowedRegions", ["smsRegionConfig": ["allowlistOnly": ["allowedRegions": ["AT"]]]]
    )
    #expect(allowed.json["smsRegionConfig"] == ["allowlistOnly": ["allowedRegions": ["AT"]]], "\(allowed.text)")
    let factor = try await patch("mfa.enabledProviders", ["mfa": ["enabledProviders": ["PHONE_SMS"]]])
    #expect(factor.json["mfa"]?["enabledProviders"] == ["PHONE_SMS"], "\(factor.text)")
    for numbers: JSON in [["+15555550100": "123456"], ["+15555550101": "654321"]] {
      let set = try await patch(
        "signIn.phoneNumber.testPhoneNumbers", ["signIn": ["phoneNumber": ["testPhoneNumbers": numbers]]])
      #expect(set.json["signIn"]?["phoneNumber"] == ["enabled": true, "testPhoneNumbers": numbers], "\(set.text)")
    }
    let off = try await patch("signIn.phoneNumber.enabled", ["signIn": ["phoneNumber": ["enabled": false]]])
    #expect(
      off.json["signIn"]?["phoneNumber"]?["enabled"] == false && !fixture.accounts.configuration.servesPhoneSignIn)
    for (mask, body) in [
      ("smsRegionConfig", ["smsRegionConfig": ["allowlistOnly": ["allowedRegions": ["Mars"]]]]),
      ("smsRegionConfig", ["smsRegionConfig": ["allowlistOnly": [:], "allowByDefault": [:]]]),
      ("signIn.phoneNumber", ["signIn": ["phoneNumber": ["testPhoneNumbers": ["1": "2"]]]]),
      ("mfa.enabledProviders", ["mfa": ["enabledProviders": ["EMAIL"]]]),
    ] as [(String, JSON)] {
      let answer = try await patch(mask, body)
      #expect(answer.status == 400 && answer.error?.hasPrefix("INVALID_ARGUMENT : ") == true, "\(answer.text)")
    }
    let back = try await patch("smsRegionConfig", .object([]))
    #expect(back.json["smsRegionConfig"] == ["allowlistOnly": ["allowedRegions": ["DE"]]], "\(back.text)")
  }

  @Test("A tenant's policy on second factors applies instead of the project's")
  func tenantFactors() async throws {
    let made = try await fixture.post(
      "/v2/projects/demo-test/tenants",
      ["allowPasswordSignup": true, "mfaConfig": ["state": "MANDATORY", "enabledProviders": ["PHONE_SMS"]]],
      authority: .administrator("ci"))
    #expect(made.json["mfaConfig"] == ["state": "MANDATORY", "enabledProviders": ["PHONE_SMS"]], "\(made.text)")
    let id = made.json["name"]?.string?.split(separator: "/").last.map(String.init) ?? ""
    func signUp(_ tenant: JSON) async throws -> ClaimValue? {
      let answer = try await fixture.post(
        "accounts:signUp",
        ["email": "a@b.example", "password": "correct horse", "returnSecureToken": true, "tenantId": tenant])
      #expect(answer.status == 200, "\(answer.text)")
      return try TokenReader.read(answer.idToken).payload["aud"]
    }
    #expect(try await signUp(.string(id)) == .string("demo-test/second-factor-enrolment"))
    #expect(try await signUp(.null) == .string("demo-test"))
    for wrong: JSON in [["state": "ON"], ["enabledProviders": ["EMAIL"]], "x"] {
      let answer = try await fixture.post(
        "/v2/projects/demo-test/tenants", .object([.init("mfaConfig", wrong)]), authority: .administrator("ci"))
      #expect(answer.status == 400, "\(answer.text)")
    }
  }

  @Test("A method without a plugin cannot be enabled")
  func unserved() async throws {
    let bare = try IdentityFixture(providers: [FakeCustomToken()]) { $0.passwordCost = .small }
    let answer = try await bare.send(
      Self.path, JSON.object([.init("signIn", ["anonymous": ["enabled": true]])]).text(), method: "PATCH",
      authority: .administrator("ci"))
    #expect(answer.error?.hasPrefix("OPERATION_NOT_ALLOWED : signIn.anonymous cannot be enabled") == true)
  }

  @Test("A change is in the audit trail with its author, and is kept over a restart")
  func kept() async throws {
    _ = try await patch(nil, ["client": ["permissions": ["disabledUserDeletion": true]]])
    let lines = fixture.accounts.store.view.audit(limit: 10).map { String(decoding: $0.line, as: UTF8.self) }
    #expect(lines.contains { $0.contains("config_change") && $0.contains("allowsDeletion, by ci") }, "\(lines)")
    let text = try #require(fixture.accounts.store.view.configurationChanges)
    #expect(text == #"{"allowsDeletion":false}"#)
    let told = AccountsNoticeBox()
    let decided = AccountsConfiguration(projectID: "demo-test", publicURL: "https://auth.example.com")
    let later = LiveConfiguration(decided, notice: told.add) { text }
    #expect(later.value.allowsDeletion == false && later.value.allowsSignUp)
    let damaged = LiveConfiguration(decided, notice: told.add) { #"{"allowsDeletion":3}"# }
    #expect(damaged.value.allowsDeletion && damaged.value.allowsDeletion)
    #expect(told.count == 1, "said once")
    // A stored change that is no longer compatible with the file enables nothing else.
    let mixed = LiveConfiguration(decided, notice: told.add) {
      #"{"allowsSignUp":false,"gone":1,"allowsDeletion":false}"#
    }
    #expect(!mixed.value.allowsSignUp && !mixed.value.allowsDeletion)
  }
}

/// A recorder of notices to the operator.
private final class AccountsNoticeBox: Sendable {
  private let notices = Mutex<[AccountsNotice]>([])
  var count: Int { notices.withLock { $0.count } }
  @Sendable func add(_ notice: AccountsNotice) { notices.withLock { $0.append(notice) } }
}
