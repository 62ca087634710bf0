import HearthTestKit
import HearthTree
import Synchronization
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

@Suite("The project's configuration, changed while the server runs")
struct ProjectConfigTests {
  private static let path = "/identitytoolkit.googleapis.com/v2/projects/demo-test/config"
  private let world: IdentityWorld

  init() throws {
    // A cost that a configuration file can have.
    world = try IdentityWorld(hasMailer: true) { $0.passwordCost = .small }
  }

  private func get() async throws -> JSON {
    let answer = try await world.send(Self.path, [], method: "GET", authority: .administrator("ci"))
    #expect(answer.status == 200, "\(answer.text)")
    return answer.json
  }

  private func patch(
    _ mask: String?, _ body: JSON, path: String = path, maskName: String = "updateMask",
    authority: IdentityRequest.Authority = .administrator("ci")
  ) async throws -> IdentityWorld.Answer {
    try await world.send(
      path, body.text(), method: "PATCH", query: mask.map { [(maskName, $0)] } ?? [], authority: authority)
  }

  @Test("What is changed counts at once, beside what is not; what the body lacks goes back to the file's")
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
    #expect(try await world.signUp("a@b.example").error == "ADMIN_ONLY_OPERATION")
    #expect(try await world.signIn("no@example.com").error == "EMAIL_NOT_FOUND")
    let opened = try await patch("client.permissions", .object([]))
    #expect(opened.json["client"]?["permissions"]?["disabledUserSignup"] == false)
    #expect(opened.json["emailPrivacyConfig"] == ["enableImprovedEmailPrivacy": false])
    #expect(try await world.signUp("a@b.example").status == 200)
  }

  @Test("Authorised domains are told to clients and bind links; deployment tools have another path for them")
  func domains() async throws {
    let path = "/identitytoolkit.googleapis.com/admin/v2/projects/demo-test/config"
    let set = try await patch(
      "authorizedDomains", ["authorizedDomains": ["App.example.net"]], path: path, maskName: "update_mask")
    #expect(set.json["authorizedDomains"] == ["app.example.net"], "\(set.text)")
    let told = try await world.send("/identitytoolkit.googleapis.com/v1/projects", [], method: "GET")
    #expect(told.json["authorizedDomains"] == ["app.example.net"])
    func mail(_ url: JSON) async throws -> String? {
      try await world.post(
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

  @Test("The password policy is told, and asked of new passwords; with the upgrade, of older ones as well")
  func policy() async throws {
    #expect(try await world.signUp("old@b.example", "lowercase").status == 200)
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
    let told = try await world.send("/identitytoolkit.googleapis.com/v2/passwordPolicy", [], method: "GET")
    #expect(
      told.json["customStrengthOptions"]
        == ["minPasswordLength": 8, "maxPasswordLength": 100, "containsUppercaseCharacter": true])
    #expect(told.json["enforcementState"] == "ENFORCE" && told.json["forceUpgradeOnSignin"] == false)
    #expect(
      try await world.signUp("new@b.example", "lowercase").error
        == "PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [Password must contain an upper case "
        + "character]")
    #expect(try await world.signUp("new@b.example", "Short1").error?.hasPrefix("WEAK_PASSWORD : ") == true)
    #expect(try await world.signUp("new@b.example", "Uppercase").status == 200)
    #expect(try await world.signIn("old@b.example", "lowercase").status == 200)
    _ = try await patch(mask, set(true))
    #expect(
      try await world.signIn("old@b.example", "lowercase").error?.hasPrefix("PASSWORD_DOES_NOT_MEET_REQUIREMENTS")
        == true)
    #expect(try await world.signIn("old@b.example", "wrong pass").error == "INVALID_LOGIN_CREDENTIALS")
    #expect(try await world.signIn("new@b.example", "Uppercase").status == 200)
    let off = try await patch(
      "passwordPolicyConfig", ["passwordPolicyConfig": ["passwordPolicyEnforcementState": "OFF"]])
    #expect(off.json["passwordPolicyConfig"]?["passwordPolicyEnforcementState"] == "OFF")
    #expect(try await world.signIn("old@b.example", "lowercase").status == 200)
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

  @Test("Who is no administrator changes nothing, and what cannot be changed is named")
  func refused() async throws {
    let body: JSON = ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": false]]
    #expect(try await patch("emailPrivacyConfig", body, authority: .none).status == 401)
    let mfa = try await patch("mfa", ["mfa": ["state": "MANDATORY"]])
    #expect(mfa.status == 501 && mfa.error?.contains("mfa cannot be changed here") == true, "\(mfa.text)")
    #expect(try await patch("emailPrivacyConfig,mfa", body).status == 501)
    #expect(try await patch("", body).status == 400)
    let odd = try await patch("a\u{202E}b", body)
    #expect(odd.status == 501 && odd.text.contains("\u{202E}") == false)
    #expect(try await patch(nil, ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": "no"]]).status == 400)
    #expect(try await get()["emailPrivacyConfig"] == ["enableImprovedEmailPrivacy": true])
  }

  @Test("A change is on record with its author, and there when the server comes back")
  func kept() async throws {
    _ = try await patch(nil, ["client": ["permissions": ["disabledUserDeletion": true]]])
    let lines = world.accounts.store.view.audit(limit: 10).map { String(decoding: $0.line, as: UTF8.self) }
    #expect(lines.contains { $0.contains("config_change") && $0.contains("allowsDeletion, by ci") }, "\(lines)")
    let text = try #require(world.accounts.store.view.configurationChanges)
    #expect(text == #"{"allowsDeletion":false}"#)
    let told = AccountsNoticeBox()
    let decided = AccountsConfiguration(projectID: "demo-test", publicURL: "https://auth.example.com")
    let later = LiveConfiguration(decided, notice: told.add) { text }
    #expect(later.value.allowsDeletion == false && later.value.allowsSignUp)
    let damaged = LiveConfiguration(decided, notice: told.add) { #"{"allowsDeletion":3}"# }
    #expect(damaged.value.allowsDeletion && damaged.value.allowsDeletion)
    #expect(told.count == 1, "said once")
  }
}

/// Counts what the operator is told.
private final class AccountsNoticeBox: Sendable {
  private let notices = Mutex<[AccountsNotice]>([])
  var count: Int { notices.withLock { $0.count } }
  @Sendable func add(_ notice: AccountsNotice) { notices.withLock { $0.append(notice) } }
}
