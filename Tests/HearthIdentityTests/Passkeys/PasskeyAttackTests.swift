import HearthBytes
import HearthPlugin
import HearthTestKit
import HearthTree
import PasskeyTestKit
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

@Suite struct PasskeyAttackTests {
  /// Returns a user with a passkey.
  private func enrolled(
    _ fixture: IdentityFixture, _ email: String = "a@b.example", verified: Bool = true,
    overrides: SoftwareAuthenticator.Overrides = SoftwareAuthenticator.Overrides()
  ) async throws -> (key: SoftwareAuthenticator, user: IdentityFixture.Answer) {
    let user = try await fixture.signUp(email)
    if verified { try await fixture.change(user.localID) { $0.isEmailVerified = true } }
    let key = SoftwareAuthenticator()
    let done = try await fixture.enrol(key, user.idToken, overrides: overrides)
    #expect(done.status == 200, "\(done.text)")
    return (key, done)
  }

  private func isRefused(_ answer: IdentityFixture.Answer) -> Bool {
    answer.status == 400 && answer.json["idToken"] == nil
      && answer.error?.hasPrefix("INVALID_AUTHENTICATOR_RESPONSE : ") == true
  }

  @Test("Security 76: a response to a challenge is accepted once, from any client and under any concurrency")
  func replay() async throws {
    let fixture = try IdentityFixture.withPasskeys()
    let (key, _) = try await enrolled(fixture)
    // A key without a counter, so that no counter refuses a repetition.
    let used = key.use(challenge: try await fixture.passkeyChallenge())
    let answers: [IdentityFixture.Answer] = try await withThrowingTaskGroup(of: IdentityFixture.Answer.self) { group in
      let handle = JSON.string(key.userHandle)
      let id = key.id
      for _ in 0..<8 {
        group.addTask {
          try await fixture.post(
            "/v2/accounts/passkeySignIn:finalize",
            [
              "authenticatorAuthenticationResponse": [
                "id": .string(id),
                "response": [
                  "clientDataJSON": IdentityFixture.base64(used.clientDataJSON),
                  "authenticatorData": IdentityFixture.base64(used.authenticatorData),
                  "signature": IdentityFixture.base64(used.signature), "userHandle": handle,
                ],
              ]
            ])
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count { $0.status == 200 } == 1 && answers.count { isRefused($0) } == 7)
    // Neither a change of password nor a revocation makes it valid again.
    _ = try await fixture.accounts.sessions.revocations.revoke(
      uid: answers.first { $0.status == 200 }?.localID ?? "", client: .server)
    #expect(isRefused(try await fixture.finishPasskeySignIn(key, used)))
    fixture.accountsFixture.advance(seconds: PasskeyChallenges.lifetimeSeconds - 1)
    #expect(isRefused(try await fixture.finishPasskeySignIn(key, used)))
    fixture.accountsFixture.advance(seconds: 10_000)
    #expect(isRefused(try await fixture.finishPasskeySignIn(key, used)))
  }

  @Test("Security 76: challenges expire, and are valid for one purpose and account")
  func challenges() async throws {
    let fixture = try IdentityFixture.withPasskeys()
    let (key, user) = try await enrolled(fixture)
    let late = key.use(challenge: try await fixture.passkeyChallenge())
    fixture.accountsFixture.advance(seconds: PasskeyChallenges.lifetimeSeconds)
    #expect(isRefused(try await fixture.finishPasskeySignIn(key, late)))
    let (_, ofEnrolment) = try await fixture.startPasskey(user.idToken)
    #expect(isRefused(try await fixture.finishPasskeySignIn(key, key.use(challenge: ofEnrolment))))
    #expect(isRefused(try await fixture.finishPasskeySignIn(key, key.use(challenge: Array("made up".utf8)))))
    #expect(isRefused(try await fixture.finishPasskeySignIn(key, key.use(challenge: [0xFF, 0xFE]))))
    // A challenge for another user, and one for signing in.
    let bob = try await fixture.signUp("bob@b.example")
    let second = SoftwareAuthenticator(credentialID: [9])
    let (_, ofBob) = try await fixture.startPasskey(bob.idToken)
    #expect(isRefused(try await fixture.finishPasskey(user.idToken, second, second.make(challenge: ofBob))))
    let ofSignIn = try await fixture.passkeyChallenge()
    #expect(isRefused(try await fixture.finishPasskey(user.idToken, second, second.make(challenge: ofSignIn))))
    // One challenge creates one key.
    let (_, challenge) = try await fixture.startPasskey(bob.idToken)
    #expect(try await fixture.finishPasskey(bob.idToken, second, second.make(challenge: challenge)).status == 200)
    let third = SoftwareAuthenticator(credentialID: [10])
    #expect(isRefused(try await fixture.finishPasskey(bob.idToken, third, third.make(challenge: challenge))))
  }

  @Test("Security 77: a response for another origin, relying party or key is refused")
  func phishing() async throws {
    let fixture = try IdentityFixture.withPasskeys()
    let (key, user) = try await enrolled(fixture)
    var overrides = SoftwareAuthenticator.Overrides()
    overrides.origin = "https://app.example.com.evil.example"
    #expect(isRefused(try await fixture.signIn(key, overrides: overrides)))
    overrides = SoftwareAuthenticator.Overrides()
    overrides.relyingPartyID = "evil.example"
    #expect(isRefused(try await fixture.signIn(key, overrides: overrides)))
    // Another key under the same ID; the right key with another user's handle, and with none.
    let forged = SoftwareAuthenticator(credentialID: key.credentialID)
    forged.userHandle = key.userHandle
    #expect(isRefused(try await fixture.signIn(forged)))
    let handles: [JSON] = [.null, "", "AAAA", .string(Base64URL.encode(Array(user.localID.utf8)))]
    for handle in handles {
      let used = key.use(challenge: try await fixture.passkeyChallenge())
      #expect(isRefused(try await fixture.finishPasskeySignIn(key, used, userHandle: handle)))
    }
    overrides = SoftwareAuthenticator.Overrides()
    overrides.flags = 0x01
    #expect(isRefused(try await fixture.signIn(key, overrides: overrides)))
    #expect(
      fixture.refusedPasskeys == [
        "origin", "relyingParty", "signature", "user handle", "user handle", "user handle", "user handle",
        "userVerification",
      ])
    #expect(try await fixture.signIn(key).status == 200)
    // A new key from a foreign page is refused.
    overrides = SoftwareAuthenticator.Overrides()
    overrides.origin = "https://evil.example"
    #expect(
      isRefused(try await fixture.enrol(SoftwareAuthenticator(credentialID: [5]), user.idToken, overrides: overrides)))
    #expect(fixture.refusedPasskeys.last == "enrolment: origin")
  }

  @Test("Security 78: a counter that goes back is refused and audited, also when responses arrive out of order")
  func counters() async throws {
    let fixture = try IdentityFixture.withPasskeys()
    let (key, user) = try await enrolled(fixture)
    key.signCount = 5
    #expect(try await fixture.signIn(key).status == 200)
    key.signCount = 4
    #expect(isRefused(try await fixture.signIn(key)))
    #expect(fixture.refusedPasskeys == ["counter"])
    #expect(fixture.user(user.localID)?.passkeys.first?.signCount == 5)
    key.signCount = 5
    #expect(isRefused(try await fixture.signIn(key)))
    key.signCount = 6
    #expect(try await fixture.signIn(key).status == 200)
  }

  @Test("Security 79: where a passkey is required, no other method signs in")
  func downgrade() async throws {
    let fixture = try IdentityFixture.withPasskeys(isRequired: true)
    let (key, user) = try await enrolled(fixture)
    let uid = user.localID
    let google = try await fixture.federated("g~other@b.example~yes")
    try await fixture.change(uid) { $0.identities = [ProviderIdentity(providerID: "google.com", rawID: "mine")] }
    let link = try await fixture.sendCode("EMAIL_SIGNIN", ["email": "a@b.example", "continueUrl": "http://localhost"])
    #expect(link.status == 200)
    let ways: [IdentityFixture.Answer] = [
      try await fixture.signIn("a@b.example"),
      try await fixture.post(
        "accounts:signInWithEmailLink",
        ["email": "a@b.example", "oobCode": .string(try await fixture.mailedCode())]),
      try await fixture.federated("mine~a@b.example~yes"),
      try await fixture.post("accounts:signInWithCustomToken", ["token": .string(uid), "returnSecureToken": true]),
    ]
    for way in ways {
      #expect(way.error?.hasPrefix("PASSKEY_REQUIRED : ") == true, "\(way.text)")
      #expect(way.json["idToken"] == nil)
    }
    #expect(try await fixture.signIn(key).status == 200)
    // Other users sign in as before, and so does one whose keys are removed.
    #expect(google.status == 200)
    _ = try await fixture.post(
      "accounts:update", ["localId": .string(uid), "deletePasskey": [.string(key.id)]],
      authority: .administrator("admin"))
    #expect(try await fixture.signIn("a@b.example").status == 200)
  }

  @Test("Security 79: a key registered with user verification always requires it, and other keys do not")
  func verificationDowngrade() async throws {
    let fixture = try IdentityFixture.withPasskeys(userVerification: false)
    let (key, _) = try await enrolled(fixture)
    var unverified = SoftwareAuthenticator.Overrides()
    unverified.flags = 0x01
    #expect(isRefused(try await fixture.signIn(key, overrides: unverified)))
    #expect(try await fixture.signIn(key).status == 200)
  }

  @Test("Security 79: a key without user verification is one factor; one with it is two")
  func factors() async throws {
    let fixture = try IdentityFixture.withPasskeys(userVerification: false)
    var unverified = SoftwareAuthenticator.Overrides()
    unverified.flags = 0x01
    let (key, user) = try await enrolled(fixture, overrides: unverified)
    #expect(try fixture.claims(user.idToken)["firebase"]?["sign_in_provider"] == .string("password"))
    #expect(try await fixture.signIn(key, overrides: unverified).status == 200)
    try await fixture.change(user.localID) {
      $0.factors = [
        SecondFactor(id: "f", kind: .phone("+15550001"), displayName: nil, enrolledAtMilliseconds: 1)
      ]
    }
    let pending = try await fixture.signIn(key, overrides: unverified)
    #expect(pending.status == 200 && pending.json["idToken"] == nil && pending.json["mfaPendingCredential"] != nil)
    let verified = try await fixture.signIn(key)
    #expect(verified.status == 200 && !verified.idToken.isEmpty)
  }

  private func isForEnrolment(_ idToken: String, _ fixture: IdentityFixture) throws -> Bool {
    try fixture.accounts.keys.verifyIDToken(idToken, nowSeconds: fixture.nowSeconds).isForEnrolment
  }

  @Test("Security 79: where a second factor is required, a key with user verification is one, and a password is not")
  func requiredFactor() async throws {
    let fixture = try IdentityFixture.withPasskeys { $0.secondFactors.policy = .required }
    let user = try await fixture.signUp("a@b.example")
    try await fixture.change(user.localID) { $0.isEmailVerified = true }
    #expect(try isForEnrolment(user.idToken, fixture))
    let key = SoftwareAuthenticator()
    let enrolled = try await fixture.enrol(key, user.idToken)
    #expect(try !isForEnrolment(enrolled.idToken, fixture))
    let signedIn = try await fixture.signIn(key)
    #expect(try !isForEnrolment(signedIn.idToken, fixture))
    #expect(try !isForEnrolment(try await fixture.refresh(signedIn.refreshToken).idToken, fixture))
    // Neither a password nor the session from before the key suffices to enrol another factor.
    #expect(try await fixture.signIn("a@b.example").error?.hasPrefix("PASSKEY_REQUIRED : ") == true)
    #expect(try await fixture.refresh(user.refreshToken).error == "TOKEN_EXPIRED")
    // A continued session of the key is sufficient, here after a change of password.
    let changed = try await fixture.update(
      signedIn.idToken, ["password": "another password", "returnSecureToken": true])
    #expect(try !isForEnrolment(changed.idToken, fixture), "\(changed.text)")
  }

  @Test("Security 79: a key without user verification is no second factor where one is required")
  func requiredAndUnverified() async throws {
    let fixture = try IdentityFixture.withPasskeys(userVerification: false) { $0.secondFactors.policy = .required }
    var unverified = SoftwareAuthenticator.Overrides()
    unverified.flags = 0x01
    let (key, user) = try await enrolled(fixture, overrides: unverified)
    #expect(try isForEnrolment(user.idToken, fixture))
    let signedIn = try await fixture.signIn(key, overrides: unverified)
    #expect(try isForEnrolment(signedIn.idToken, fixture))
    #expect(try isForEnrolment(try await fixture.refresh(signedIn.refreshToken).idToken, fixture))
    #expect(try isForEnrolment(try await fixture.signIn("a@b.example").idToken, fixture))
    #expect(try !isForEnrolment(try await fixture.signIn(key).idToken, fixture))
  }

  @Test("Security 79: a passkey on an unverified address does not lock its owner out, and is removed")
  func takeover() async throws {
    let demanding = try IdentityFixture.withPasskeys(isRequired: true)
    let attacker = try await demanding.signUp("owner@b.example")
    let start = try await demanding.post("/v2/accounts/passkeyEnrollment:start", ["idToken": .string(attacker.idToken)])
    #expect(start.error == "UNVERIFIED_EMAIL")
    let fixture = try IdentityFixture.withPasskeys()
    let (key, user) = try await enrolled(fixture, "owner@b.example", verified: false)
    #expect(try await fixture.federated("g~owner@b.example~yes").localID == user.localID)
    #expect(fixture.user(user.localID)?.passkeys == [])
    #expect(try await fixture.signIn(key).error == "PASSKEY_CREDENTIAL_NOT_FOUND")
    let (other, second) = try await enrolled(fixture, "second@b.example", verified: false)
    _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "second@b.example"])
    let reset = try await fixture.post(
      "accounts:resetPassword",
      ["oobCode": .string(try await fixture.mailedCode()), "newPassword": "another password"])
    #expect(reset.status == 200 && fixture.user(second.localID)?.passkeys == [])
    #expect(try await fixture.signIn(other).error == "PASSKEY_CREDENTIAL_NOT_FOUND")
  }

  @Test("Old sessions, disabled accounts and other tenants are refused passkeys")
  func others() async throws {
    let fixture = try IdentityFixture.withPasskeys()
    let (key, user) = try await enrolled(fixture)
    fixture.accountsFixture.advance(seconds: 400)
    let start = try await fixture.post("/v2/accounts/passkeyEnrollment:start", ["idToken": .string(user.idToken)])
    #expect(start.error == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    #expect(
      try await fixture.update(user.idToken, ["deletePasskey": [.string(key.id)]]).error
        == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    let tenant = try await fixture.post(
      "/v2/projects/demo-test/tenants", ["displayName": "acme", "allowPasswordSignup": true],
      authority: .administrator("admin"))
    let id = try #require(tenant.json["name"]?.string?.split(separator: "/").last.map { String($0) })
    let there = try await fixture.post("/v2/accounts/passkeySignIn:start", ["tenantId": .string(id)])
    let text = try #require(there.json["credentialRequestOptions"]?["challenge"]?.string, "\(there.text)")
    let used = key.use(challenge: try #require(Base64URL.decode(Array(text.utf8))))
    // The tenant's challenge is invalid in the project.
    #expect(isRefused(try await fixture.finishPasskeySignIn(key, used)))
    try await fixture.change(user.localID) { $0.isDisabled = true }
    #expect(try await fixture.signIn(key).error == "USER_DISABLED")
  }

  @Test("Many refused keys from one network are throttled")
  func guessing() async throws {
    let fixture = try IdentityFixture.withPasskeys { $0.limits.credentialFailuresPerMinute = 5 }
    let stranger = SoftwareAuthenticator()
    stranger.userHandle = "AAAA"
    for _ in 0..<5 { #expect(try await fixture.signIn(stranger).error == "PASSKEY_CREDENTIAL_NOT_FOUND") }
    #expect(try await fixture.signIn(stranger).error?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
  }

  @Test("A hook gets the sign-in method and may deny it")
  func hooks() async throws {
    let hook = DenyingHook()
    let fixture = try IdentityFixture.withPasskeys(hooks: [hook])
    let (key, _) = try await enrolled(fixture)
    let answer = try await fixture.signIn(key)
    #expect(answer.error?.hasPrefix("BLOCKING_FUNCTION_ERROR_RESPONSE") == true)
  }

  /// A hook that denies every sign-in by passkey.
  private struct DenyingHook: DecidingHook {
    let name = "denier"
    func decide(_ event: HookEvent) async throws -> HookVerdict {
      let isPasskey = event.signInMethod == "passkey" && event.signInProvider == "passkey"
      return isPasskey ? .deny(message: "not by this") : .allow(HookChanges())
    }
  }
}
