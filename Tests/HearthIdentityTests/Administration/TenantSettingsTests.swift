import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

/// Tests of tenants' own settings, which are set as by admin SDKs and apply only to their users.
@Suite struct TenantSettingsTests {
  private static let administrator = IdentityRequest.Bearer.administrator("op")
  private static let tenants = "/v2/projects/demo-test/tenants"

  private static func make(_ fixture: IdentityFixture, _ members: JSON) async throws -> String {
    let answer = try await fixture.post(
      tenants, .object([.init("allowPasswordSignup", true)] + (members.members ?? [])), authority: administrator)
    #expect(answer.status == 200, "\(answer.text)")
    return String(try #require(answer.json["name"]?.string?.split(separator: "/").last))
  }

  private static func get(_ fixture: IdentityFixture, _ tenant: String) async throws -> JSON {
    try await fixture.post("\(tenants)/\(tenant)", method: "GET", authority: administrator).json
  }

  private static func patch(
    _ fixture: IdentityFixture, _ tenant: String, _ mask: String?, _ body: JSON
  ) async throws -> IdentityFixture.Answer {
    try await fixture.send(
      "\(tenants)/\(tenant)", body.text(), method: "PATCH", query: mask.map { [("updateMask", $0)] } ?? [],
      authority: administrator)
  }

  private static func post(
    _ fixture: IdentityFixture, _ path: String, _ members: JSON, in tenant: String?
  ) async throws -> IdentityFixture.Answer {
    try await fixture.post(
      path, .object((members.members ?? []) + (tenant.map { [.init("tenantId", .string($0))] } ?? [])))
  }

  private static let account: JSON = [
    "email": "ann@example.com", "password": .string(IdentityFixture.password), "returnSecureToken": true,
  ]

  /// Returns a signed-in user of a tenant with a verified address.
  private static func verified(_ fixture: IdentityFixture, in tenant: String) async throws -> IdentityFixture.Answer {
    let user = try await post(fixture, "accounts:signUp", account, in: tenant)
    #expect(user.status == 200, "\(user.text)")
    let store = try #require(fixture.accounts.tenants?.find(tenant)).store
    try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      guard var record = transaction.user(user.localID) else { throw AccountError(.userNotFound) }
      record.isEmailVerified = true
      try transaction.update(record)
    }
    return user
  }

  private static func start(
    _ fixture: IdentityFixture, _ idToken: String, in tenant: String
  ) async throws -> IdentityFixture.Answer {
    try await post(
      fixture, "/v2/accounts/mfaEnrollment:start", ["idToken": .string(idToken), "totpEnrollmentInfo": [:]], in: tenant)
  }

  private static func finish(
    _ fixture: IdentityFixture, _ idToken: String, _ start: IdentityFixture.Answer, stepsBack: Int64, in tenant: String
  ) async throws -> (answer: IdentityFixture.Answer, secret: [UInt8]) {
    let info = try #require(start.json["totpSessionInfo"], "\(start.text)")
    let secret = try #require(TOTP.secret(base32: info["sharedSecretKey"]?.string ?? ""))
    let code = try code(fixture, secret, stepsBack: stepsBack)
    let proof: JSON = ["sessionInfo": info["sessionInfo"] ?? .null, "verificationCode": .string(code)]
    let answer = try await post(
      fixture, "/v2/accounts/mfaEnrollment:finalize", ["idToken": .string(idToken), "totpVerificationInfo": proof],
      in: tenant)
    return (answer, secret)
  }

  private static func code(_ fixture: IdentityFixture, _ secret: [UInt8], stepsBack: Int64) throws -> String {
    try #require(TOTP.code(secret: secret, step: TOTP.step(atSeconds: fixture.nowSeconds) - stepsBack))
  }

  @Test("second-factor settings are stored as admin SDKs send them, whole or by field mask, and returned unchanged")
  func factorsAreKept() async throws {
    let fixture = try IdentityFixture { $0.passwordCost = .small }
    let on: JSON = [
      "state": "ENABLED", "enabledProviders": ["PHONE_SMS"],
      "providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 5]]],
    ]
    let tenant = try await Self.make(fixture, ["mfaConfig": on])
    #expect(try await Self.get(fixture, tenant)["mfaConfig"] == on)
    let off: JSON = [
      "state": "DISABLED", "enabledProviders": [],
      "providerConfigs": [["state": "ENABLED", "totpProviderConfig": [:]]],
    ]
    let mask = "mfaConfig.state,mfaConfig.enabledProviders,mfaConfig.providerConfigs"
    let changed = try await Self.patch(fixture, tenant, mask, ["mfaConfig": off])
    #expect(changed.json["mfaConfig"] == off, "\(changed.text)")
    // A mask of one member leaves the others unchanged; an unrelated mask leaves all unchanged.
    let phones = try await Self.patch(
      fixture, tenant, "mfaConfig.providerConfigs",
      ["mfaConfig": ["providerConfigs": [["state": "DISABLED", "totpProviderConfig": [:]]]]])
    #expect(phones.json["mfaConfig"]?["state"] == "DISABLED", "\(phones.text)")
    _ = try await Self.patch(fixture, tenant, "displayName", ["displayName": "another"])
    #expect(try await Self.get(fixture, tenant)["mfaConfig"] == phones.json["mfaConfig"])
    // Without settings the project's apply, and the answer omits them.
    let none = try await Self.patch(fixture, tenant, "mfaConfig", .object([]))
    #expect(none.status == 200 && none.json["mfaConfig"] == nil, "\(none.text)")
    for (wrong, words) in [
      (["adjacentIntervals": 11], "adjacentIntervals must be a whole number from 0 to 10"),
      (["adjacentIntervals": "1"], "adjacentIntervals must be a whole number from 0 to 10"),
    ] as [(JSON, String)] {
      let answer = try await Self.patch(
        fixture, tenant, nil,
        ["mfaConfig": ["providerConfigs": [["state": "ENABLED", "totpProviderConfig": wrong]]]])
      #expect(answer.status == 400 && answer.error?.contains(words) == true, "\(answer.text)")
    }
    for wrong: JSON in [["state": "MANDATORY", "totpProviderConfig": [:]], ["state": "ENABLED"], "x"] {
      let answer = try await Self.patch(fixture, tenant, nil, ["mfaConfig": ["providerConfigs": [wrong]]])
      #expect(answer.status == 400, "\(answer.text)")
    }
    // A path below a plain value is invalid.
    let below = try await Self.patch(
      fixture, tenant, "displayName.0,mfaConfig.enabledProviders.x",
      ["displayName": "unused", "mfaConfig": ["enabledProviders": ["PHONE_SMS"]]])
    #expect(below.json["displayName"] == "another" && below.json["mfaConfig"] == nil, "\(below.text)")
    let unknown = try await Self.patch(fixture, tenant, "mfaConfig.color", .object([]))
    #expect(unknown.error?.hasPrefix("NOT_IMPLEMENTED : mfaConfig.color cannot be set") == true, "\(unknown.text)")
  }

  @Test("authenticators are enrolled where the tenant enables them, and their codes are valid for its time steps")
  func authenticators() async throws {
    let fixture = try IdentityFixture { $0.passwordCost = .small }
    func configured(_ state: JSON, _ totp: JSON) async throws -> String {
      try await Self.make(
        fixture,
        ["mfaConfig": ["state": "ENABLED", "providerConfigs": [["state": state, "totpProviderConfig": totp]]]])
    }
    let wide = try await configured("ENABLED", ["adjacentIntervals": 5])
    let narrow = try await configured("ENABLED", ["adjacentIntervals": 0])
    let none = try await configured("DISABLED", [:])

    let refused = try await Self.start(fixture, try await Self.verified(fixture, in: none).idToken, in: none)
    #expect(refused.error?.hasPrefix("OPERATION_NOT_ALLOWED : Authenticator apps") == true, "\(refused.text)")
    for (tenant, isTaken) in [(wide, true), (narrow, false)] {
      let user = try await Self.verified(fixture, in: tenant)
      let late = try await Self.finish(
        fixture, user.idToken, try await Self.start(fixture, user.idToken, in: tenant), stepsBack: 4, in: tenant)
      #expect((late.answer.status == 200) == isTaken, "\(late.answer.text)")
      guard isTaken else { continue }
      // The same applies at sign-in.
      fixture.accountsFixture.advance(seconds: 600)
      let first = try await Self.post(fixture, "accounts:signInWithPassword", Self.account, in: tenant)
      let factor = try #require(first.json["mfaInfo"]?.array?.first?["mfaEnrollmentId"], "\(first.text)")
      let second = try await Self.post(
        fixture, "/v2/accounts/mfaSignIn:finalize",
        [
          "mfaPendingCredential": first.json["mfaPendingCredential"] ?? .null, "mfaEnrollmentId": factor,
          "totpVerificationInfo": ["verificationCode": .string(try Self.code(fixture, late.secret, stepsBack: 5))],
        ], in: tenant)
      #expect(second.status == 200, "\(second.text)")
    }
    // When it is off, no user can enrol one, and enrolled users still use theirs. The project's setting does not
    // matter.
    let changed = try await Self.patch(
      fixture, wide, "mfaConfig.providerConfigs",
      ["mfaConfig": ["providerConfigs": [["state": "DISABLED", "totpProviderConfig": [:]]]]])
    #expect(changed.status == 200, "\(changed.text)")
    let still = try await Self.post(fixture, "accounts:signInWithPassword", Self.account, in: wide)
    #expect(still.json["mfaPendingCredential"] != nil && still.json["idToken"] == nil, "\(still.text)")
    let own = try await fixture.verified("bob@example.com")
    #expect(try await fixture.startAuthenticator(own.idToken).status == 200)
  }

  @Test("authenticators that are enabled are offered beside a state of DISABLED, which applies to phones only")
  func authenticatorsAlone() async throws {
    let fixture = try IdentityFixture { $0.passwordCost = .small }
    let alone = try await Self.make(
      fixture,
      ["mfaConfig": ["state": "DISABLED", "providerConfigs": [["state": "ENABLED", "totpProviderConfig": [:]]]]])
    let nothing = try await Self.make(fixture, ["mfaConfig": ["state": "DISABLED"]])
    let ann = try await Self.verified(fixture, in: alone)
    #expect(try await Self.start(fixture, ann.idToken, in: alone).status == 200)
    let bob = try await Self.verified(fixture, in: nothing)
    let refused = try await Self.start(fixture, bob.idToken, in: nothing)
    #expect(refused.error?.hasPrefix("OPERATION_NOT_ALLOWED") == true, "\(refused.text)")
  }

  @Test("a tenant's password policy applies to its users alone, and is published to their apps")
  func passwordPolicy() async throws {
    let fixture = try IdentityFixture { $0.passwordCost = .small }
    let tenant = try await Self.make(fixture, [:])
    let strict: JSON = [
      "passwordPolicyEnforcementState": "ENFORCE", "forceUpgradeOnSignin": false,
      "passwordPolicyVersions": [["customStrengthOptions": ["containsNumericCharacter": true]]],
    ]
    let mask =
      "passwordPolicyConfig.passwordPolicyEnforcementState,passwordPolicyConfig.forceUpgradeOnSignin,"
      + "passwordPolicyConfig.passwordPolicyVersions"
    let changed = try await Self.patch(fixture, tenant, mask, ["passwordPolicyConfig": strict])
    #expect(changed.json["passwordPolicyConfig"]?["passwordPolicyEnforcementState"] == "ENFORCE", "\(changed.text)")
    let weak = try await Self.post(fixture, "accounts:signUp", Self.account, in: tenant)
    #expect(weak.error?.hasPrefix("PASSWORD_DOES_NOT_MEET_REQUIREMENTS") == true, "\(weak.text)")
    #expect(try await Self.post(fixture, "accounts:signUp", Self.account, in: nil).status == 200)
    func told(_ tenant: String?) async throws -> JSON? {
      try await fixture.send(
        "/v2/passwordPolicy", [], method: "GET", query: tenant.map { [("tenantId", $0)] } ?? []
      ).json["customStrengthOptions"]?["containsNumericCharacter"]
    }
    let (own, ofProject) = (try await told(tenant), try await told(nil))
    #expect(own == true && ofProject == nil)
    let off = try await Self.patch(
      fixture, tenant, mask, ["passwordPolicyConfig": ["passwordPolicyEnforcementState": "OFF"]])
    #expect(off.json["passwordPolicyConfig"]?["passwordPolicyEnforcementState"] == "OFF", "\(off.text)")
    #expect(try await Self.post(fixture, "accounts:signUp", Self.account, in: tenant).status == 200)
  }

  @Test("signing up and deleting accounts are permitted per tenant")
  func permissions() async throws {
    let fixture = try IdentityFixture { $0.passwordCost = .small }
    let tenant = try await Self.make(fixture, [:])
    let user = try await Self.post(fixture, "accounts:signUp", Self.account, in: tenant)
    let changed = try await Self.patch(
      fixture, tenant, "client.permissions.disabledUserSignup,client.permissions.disabledUserDeletion",
      ["client": ["permissions": ["disabledUserSignup": true, "disabledUserDeletion": true]]])
    #expect(
      changed.json["client"] == ["permissions": ["disabledUserSignup": true, "disabledUserDeletion": true]],
      "\(changed.text)")
    let other: JSON = ["email": "bob@example.com", "password": .string(IdentityFixture.password)]
    #expect(try await Self.post(fixture, "accounts:signUp", other, in: tenant).error == "ADMIN_ONLY_OPERATION")
    #expect(try await Self.post(fixture, "accounts:signUp", other, in: nil).status == 200)
    let stays = try await Self.post(fixture, "accounts:delete", ["idToken": .string(user.idToken)], in: tenant)
    #expect(stays.status == 400, "\(stays.text)")
    let back = try await Self.patch(fixture, tenant, "client", .object([]))
    #expect(back.json["client"] == nil, "\(back.text)")
    #expect(try await Self.post(fixture, "accounts:signUp", other, in: tenant).status == 200)
  }

  @Test("regions and test numbers are the tenant's own, and those of the project where it has none")
  func phones() async throws {
    let phone = try PhoneFixture { $0.passwordCost = .small }
    let fixture = phone.fixture
    let tenant = try await Self.make(
      fixture,
      [
        "mfaConfig": ["state": "ENABLED", "enabledProviders": ["PHONE_SMS"]],
        "testPhoneNumbers": ["+4915100000001": "123456"],
        "smsRegionConfig": ["allowByDefault": ["disallowedRegions": ["AT"]]],
      ])
    let made = try await Self.get(fixture, tenant)
    #expect(made["testPhoneNumbers"] == ["+4915100000001": "123456"])
    #expect(made["smsRegionConfig"] == ["allowByDefault": ["disallowedRegions": ["AT"]]])
    let user = try await Self.verified(fixture, in: tenant)
    func start(_ number: JSON) async throws -> IdentityFixture.Answer {
      try await Self.post(
        fixture, "/v2/accounts/mfaEnrollment:start",
        ["idToken": .string(user.idToken), "phoneEnrollmentInfo": ["phoneNumber": number]], in: tenant)
    }
    #expect(try await start("+436601234567").status == 400)
    let begun = try await start("+4915100000001")
    let sessionInfo = try #require(begun.json["phoneSessionInfo"]?["sessionInfo"], "\(begun.text)")
    await fixture.accounts.context.server.texts.idle()
    #expect(phone.phones.messages.isEmpty)
    let done = try await Self.post(
      fixture, "/v2/accounts/mfaEnrollment:finalize",
      ["idToken": .string(user.idToken), "phoneVerificationInfo": ["sessionInfo": sessionInfo, "code": "123456"]],
      in: tenant)
    #expect(done.status == 200, "\(done.text)")
    // The project's setting differs: there the number receives a separate code.
    _ = try await phone.ask("+4915100000001")
    await fixture.accounts.context.server.texts.idle()
    #expect(phone.phones.messages.map(\.to) == ["+4915100000001"])
    let cleared = try await Self.patch(fixture, tenant, "testPhoneNumbers", ["testPhoneNumbers": [:]])
    #expect(cleared.json["testPhoneNumbers"] == nil && cleared.json["smsRegionConfig"] != nil, "\(cleared.text)")
    let wrong = try await Self.patch(fixture, tenant, "testPhoneNumbers", ["testPhoneNumbers": ["+49": "x"]])
    #expect(wrong.error?.hasPrefix("INVALID_ARGUMENT : ") == true, "\(wrong.text)")
  }

  @Test("settings that tenants lack are refused by name; settings common to all tenants may be sent")
  func refusals() async throws {
    let fixture = try IdentityFixture { $0.passwordCost = .small }
    for (settings, words) in [
      (["recaptchaConfig": ["emailPasswordEnforcementState": "AUDIT"]], "the captcha is in the file of --auth-config"),
      (["inheritance": ["emailSendingConfig": false]], "mails use the project's settings"),
      (["autodeleteAnonymousUsers": true], "anonymous users are kept until they are deleted"),
      (["hashConfig": ["algorithm": "SCRYPT"]], "every new password is hashed with scrypt"),
      (["authorizedDomains": ["example.com"]], "all others belong to the project"),
      (["signIn": ["phoneNumber": ["testPhoneNumbers": [:]]]], "all others belong to the project"),
      (["client": ["apiKey": "x"]], "client.apiKey cannot be changed through this API"),
    ] as [(JSON, String)] {
      let answer = try await fixture.post(Self.tenants, settings, authority: Self.administrator)
      #expect(answer.status == 501 && answer.error?.contains(words) == true, "\(answer.text)")
    }
    #expect(fixture.accounts.store.view.tenantCount == 0)
    let tenant = try await Self.make(
      fixture,
      [
        "inheritance": ["emailSendingConfig": true], "autodeleteAnonymousUsers": false,
        "monitoring": ["requestLogging": ["enabled": false]],
        "recaptchaConfig": ["emailPasswordEnforcementState": "OFF", "useAccountDefender": false],
      ])
    #expect(try await Self.get(fixture, tenant)["recaptchaConfig"] == nil)
  }

  @Test("a tenant's own settings do not change with the project's")
  func overProject() async throws {
    let fixture = try IdentityFixture { $0.passwordCost = .small }
    let tenant = try await Self.make(
      fixture,
      [
        "client": ["permissions": ["disabledUserSignup": true]],
        "mfaConfig": ["providerConfigs": [["state": "DISABLED", "totpProviderConfig": ["adjacentIntervals": 2]]]],
      ])
    let project = try await fixture.send(
      "/v2/projects/demo-test/config",
      JSON.object([.init("client", ["permissions": ["disabledUserSignup": false, "disabledUserDeletion": true]])])
        .text(), method: "PATCH", authority: Self.administrator)
    #expect(project.status == 200, "\(project.text)")
    let accounts = try #require(fixture.accounts.tenants?.find(tenant))
    #expect(!accounts.configuration.allowsSignUp && !accounts.configuration.allowsDeletion)
    #expect(fixture.accounts.configuration.allowsSignUp && fixture.accounts.configuration.secondFactors.totp)
    // Reads the settings as they are stored.
    let record = try #require(fixture.accounts.store.view.tenant(tenant))
    #expect(record.authenticators == .init(isOn: false, adjacentIntervals: 2))
    #expect(record.changes == #"{"allowsSignUp":false}"#)
    // A setting that is incompatible with the project's is replaced by the project's.
    var damaged = record
    damaged.changes = #"{"allowsSignUp":false,"passwordPolicy":{"lengthMin":9000}}"#
    let settings = try #require(fixture.accounts.tenants).configuration(of: damaged)
    #expect(!settings.allowsSignUp && settings.passwordPolicy.lengthMin == 6)
  }

  @Test("a tenant's setting that is no longer valid with the project's is ignored alone and reported to the operator")
  func noLongerFits() async throws {
    let fixture = try IdentityFixture { $0.passwordCost = .small }
    let tenant = try await Self.make(fixture, [:])
    func policy(_ options: JSON) -> JSON {
      [
        "passwordPolicyConfig": [
          "passwordPolicyEnforcementState": "ENFORCE", "passwordPolicyVersions": [["customStrengthOptions": options]],
        ]
      ]
    }
    let long: JSON = ["minPasswordLength": 100, "containsNumericCharacter": true]
    let decided = try await Self.patch(fixture, tenant, "passwordPolicyConfig", policy(long))
    #expect(decided.status == 200, "\(decided.text)")
    let project = try await fixture.send(
      "/v2/projects/demo-test/config", policy(["maxPasswordLength": 64]).text(), method: "PATCH",
      authority: Self.administrator)
    #expect(project.status == 200, "\(project.text)")
    let configuration = try #require(fixture.accounts.tenants?.find(tenant)).configuration
    #expect(configuration.passwordPolicy.requiresDigit && configuration.passwordPolicy.lengthMin == 6)
    #expect(fixture.accountsFixture.notices.contains { $0.text.contains("tenant \(tenant)") })
    // A valid setting is accepted, and an invalid one is refused as before.
    let other: JSON = ["client": ["permissions": ["disabledUserSignup": true]]]
    #expect(try await Self.patch(fixture, tenant, "client.permissions", other).status == 200)
    #expect(try await Self.patch(fixture, tenant, "passwordPolicyConfig", policy(long)).status == 400)
    #expect(try #require(fixture.accounts.tenants?.find(tenant)).configuration.allowsSignUp == false)
  }
}
