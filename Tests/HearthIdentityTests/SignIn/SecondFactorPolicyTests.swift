import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

@Suite("Users that need a second factor")
struct SecondFactorPolicyTests {
  private static func fixture(_ settings: (inout SecondFactorSettings) -> Void) throws -> IdentityFixture {
    try IdentityFixture {
      $0.passwordCost = .small
      settings(&$0.secondFactors)
    }
  }

  private func isForEnrolment(_ idToken: String, _ fixture: IdentityFixture) throws -> Bool {
    let credential = try fixture.accounts.keys.verifyIDToken(idToken, nowSeconds: fixture.nowSeconds)
    #expect(credential.isForEnrolment == (credential.authPayload == nil))
    return credential.isForEnrolment
  }

  @Test("Security 75: where a factor is required, a user without one signs in only to enroll one")
  func required() async throws {
    let fixture = try Self.fixture { $0.policy = .required }
    let user = try await fixture.verified("a@b.example")
    #expect(try isForEnrolment(user.idToken, fixture))
    let claims = try fixture.claims(user.idToken)
    #expect(claims["aud"] == .string("demo-test/second-factor-enrolment"))
    // The app's own servers refuse the token, and no session cookie is made of it.
    let cookie = try await fixture.post(
      "/v1/projects/demo-test:createSessionCookie", ["idToken": .string(user.idToken), "validDuration": "300"],
      authority: .administrator("ci"))
    #expect(cookie.error?.hasPrefix("INVALID_ID_TOKEN") == true, "\(cookie.text)")
    let refreshed = try await fixture.refresh(user.refreshToken)
    #expect(try isForEnrolment(refreshed.idToken, fixture))
    // The user's own account is readable.
    #expect(try await fixture.lookup(user.idToken).status == 200)
    let owner = try await fixture.enrol(user.idToken, uid: user.localID)
    #expect(try !isForEnrolment(owner.answer.idToken, fixture))
    #expect(try !isForEnrolment(try await fixture.refresh(owner.answer.refreshToken).idToken, fixture))
    // The session from before the enrollment has no proof of the factor.
    #expect(try await fixture.refresh(user.refreshToken).error == "TOKEN_EXPIRED")
    fixture.accountsFixture.advance(seconds: 60)
    let pending = try await fixture.signIn("a@b.example").json["mfaPendingCredential"]
    let done = try await fixture.finish(pending, owner.id, try fixture.code(owner.secret))
    #expect(try !isForEnrolment(done.idToken, fixture))
    // Without the last factor the restrictions apply again.
    let without = try await fixture.post(
      "/v2/accounts/mfaEnrollment:withdraw", ["idToken": .string(done.idToken), "mfaEnrollmentId": .string(owner.id)])
    #expect(try isForEnrolment(without.idToken, fixture))
  }

  @Test("A sign-in without a factor gets the error that second factors, or phones, are disabled")
  func nothingShown() async throws {
    let missing = [
      "mfaEnrollment:start": "MISSING_ID_TOKEN", "mfaEnrollment:finalize": "MISSING_ID_TOKEN",
      "mfaSignIn:start": "MISSING_MFA_PENDING_CREDENTIAL", "mfaSignIn:finalize": "MISSING_MFA_PENDING_CREDENTIAL",
    ]
    for policy in [SecondFactorSettings.Policy.off, .optional] {
      let fixture = try Self.fixture { $0.policy = policy }
      for operation in missing.keys {
        let answer = try await fixture.post("/v2/accounts/" + operation)
        #expect(answer.error?.hasPrefix("OPERATION_NOT_ALLOWED : ") == true, "\(operation) \(answer.text)")
      }
    }
    // If an authenticator's name is set, or phones are enabled, only the factor is missing.
    let fixture = try Self.fixture { $0.policy = .optional }
    let emulator = try IdentityFixture.emulator { $0.secondFactors.policy = .optional }
    for (operation, code) in missing {
      let totp = operation.hasSuffix("start") ? "totpEnrollmentInfo" : "totpVerificationInfo"
      if operation != "mfaSignIn:start" {
        let answer = try await fixture.post("/v2/accounts/" + operation, .object([.init(totp, .object([]))]))
        #expect(answer.error == code, "\(operation) \(answer.text)")
      }
      #expect(try await emulator.app("/v2/accounts/" + operation, [:]).error == code)
    }
  }

  @Test("Anonymous users and custom-token users need no second factor")
  func exempt() async throws {
    let fixture = try Self.fixture { $0.policy = .required }
    let anonymous = try await fixture.anonymous()
    #expect(try !isForEnrolment(anonymous.idToken, fixture))
    let linked = try await fixture.post(
      "accounts:signUp",
      [
        "idToken": .string(anonymous.idToken), "email": "c@b.example", "password": "correct horse",
        "returnSecureToken": true,
      ])
    #expect(try isForEnrolment(linked.idToken, fixture))
    // The session that began anonymously belongs to an account with a password now.
    let before = try await fixture.refresh(anonymous.refreshToken)
    #expect(try before.status != 200 || isForEnrolment(before.idToken, fixture), "\(before.text)")
  }

  @Test("By claim: the factor is required of some users, independently of the others")
  func claims() async throws {
    let fixture = try Self.fixture {
      $0.requiredClaims = [.init(name: "admin"), .init(name: "role", values: ["owner", "editor"])]
    }
    let user = try await fixture.verified("a@b.example")
    for (attributes, isRequired) in [
      (#"{"admin":true}"#, true), (#"{"admin":false}"#, false), (#"{"admin":null}"#, false),
      (#"{"admin":"yes"}"#, true),
      (#"{"role":"owner"}"#, true), (#"{"role":"reader"}"#, false), (#"{"role":["owner"]}"#, false), ("{}", false),
    ] {
      try await fixture.change(user.localID) { $0.customAttributes = attributes }
      let answer = try await fixture.signIn("a@b.example")
      #expect(try isForEnrolment(answer.idToken, fixture) == isRequired, "\(attributes)")
    }
  }

  @Test("With factors disabled no user enrolls one; an enrolled factor is still required")
  func off() async throws {
    let fixture = try Self.fixture { _ in }
    let user = try await fixture.verified("a@b.example")
    _ = try await fixture.enrol(user.idToken, uid: user.localID)
    func set(_ mfa: JSON) async throws {
      let answer = try await fixture.send(
        "/identitytoolkit.googleapis.com/v2/projects/demo-test/config", JSON.object([.init("mfa", mfa)]).text(),
        method: "PATCH", authority: .administrator("ci"))
      #expect(answer.status == 200, "\(answer.text)")
    }
    try await set(["state": "DISABLED"])
    let other = try await fixture.verified("c@b.example")
    #expect(try await fixture.startAuthenticator(other.idToken).error?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
    #expect(try await fixture.signIn("a@b.example").json["mfaPendingCredential"] != nil)
    try await set(["state": "ENABLED", "providerConfigs": []])
    #expect(try await fixture.startAuthenticator(other.idToken).error?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
    try await set(["providerConfigs": [["state": "ENABLED", "totpProviderConfig": [:]]]])
    #expect(try await fixture.startAuthenticator(other.idToken).status == 200)
  }

  @Test("Clients of version 2.x, which do not support factors, are refused where one is required")
  func legacy() async throws {
    let fixture = try AdminFixture { $0.secondFactors.requiredClaims = [.init(name: "admin")] }
    let uid = try await fixture.legacyUser()
    let path = "/auth/password?&email=ann@example.com&password=secret1"
    #expect(try await fixture.web(path)["token"] != nil)
    try await fixture.accounts.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      guard var user = transaction.user(uid) else { throw AccountError(.userNotFound) }
      user.customAttributes = #"{"admin":true}"#
      try transaction.update(user)
    }
    #expect(try await fixture.web(path)["error"]?["code"] == "INVALID_CREDENTIALS")
  }
}
