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
    _ world: IdentityWorld, _ email: String = "a@b.example", verified: Bool = true,
    overrides: SoftwareAuthenticator.Overrides = SoftwareAuthenticator.Overrides()
  ) async throws -> (key: SoftwareAuthenticator, user: IdentityWorld.Answer) {
    let user = try await world.signUp(email)
    if verified { try await world.change(user.localID) { $0.isEmailVerified = true } }
    let key = SoftwareAuthenticator()
    let done = try await world.enrol(key, user.idToken, overrides: overrides)
    #expect(done.status == 200, "\(done.text)")
    return (key, done)
  }

  private func isRefused(_ answer: IdentityWorld.Answer) -> Bool {
    answer.status == 400 && answer.json["idToken"] == nil
      && answer.error?.hasPrefix("INVALID_AUTHENTICATOR_RESPONSE : ") == true
  }

  @Test("Security 76: a response to a challenge is accepted once, from any client and under any concurrency")
  func replay() async throws {
    let world = try IdentityWorld.withPasskeys()
    let (key, _) = try await enrolled(world)
    // A key without a counter, so that no counter refuses a repetition.
    let used = key.use(challenge: try await world.passkeyChallenge())
    let answers: [IdentityWorld.Answer] = try await withThrowingTaskGroup(of: IdentityWorld.Answer.self) { group in
      let handle = JSON.string(key.userHandle)
      let id = key.id
      for _ in 0..<8 {
        group.addTask {
          try await world.post(
            "/v2/accounts/passkeySignIn:finalize",
            [
              "authenticatorAuthenticationResponse": [
                "id": .string(id),
                "response": [
                  "clientDataJSON": IdentityWorld.base64(used.clientDataJSON),
                  "authenticatorData": IdentityWorld.base64(used.authenticatorData),
                  "signature": IdentityWorld.base64(used.signature), "userHandle": handle,
                ],
              ]
            ])
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count { $0.status == 200 } == 1 && answers.count { isRefused($0) } == 7)
    // Neither a change of password nor a revocation makes it valid again.
    _ = try await world.accounts.sessions.revocations.revoke(
      uid: answers.first { $0.status == 200 }?.localID ?? "", client: .server)
    #expect(isRefused(try await world.finishPasskeySignIn(key, used)))
    world.accountsFixture.advance(seconds: PasskeyChallenges.lifetimeSeconds - 1)
    #expect(isRefused(try await world.finishPasskeySignIn(key, used)))
    world.accountsFixture.advance(seconds: 10_000)
    #expect(isRefused(try await world.finishPasskeySignIn(key, used)))
  }

  @Test("Security 76: challenges expire, and are valid for one purpose and account")
  func challenges() async throws {
    let world = try IdentityWorld.withPasskeys()
    let (key, user) = try await enrolled(world)
    let late = key.use(challenge: try await world.passkeyChallenge())
    world.accountsFixture.advance(seconds: PasskeyChallenges.lifetimeSeconds)
    #expect(isRefused(try await world.finishPasskeySignIn(key, late)))
    let (_, ofEnrolment) = try await world.startPasskey(user.idToken)
    #expect(isRefused(try await world.finishPasskeySignIn(key, key.use(challenge: ofEnrolment))))
    #expect(isRefused(try await world.finishPasskeySignIn(key, key.use(challenge: Array("made up".utf8)))))
    #expect(isRefused(try await world.finishPasskeySignIn(key, key.use(challenge: [0xFF, 0xFE]))))
    // A challenge for another user, and one for signing in.
    let bob = try await world.signUp("bob@b.example")
    let second = SoftwareAuthenticator(credentialID: [9])
    let (_, ofBob) = try await world.startPasskey(bob.idToken)
    #expect(isRefused(try await world.finishPasskey(user.idToken, second, second.make(challenge: ofBob))))
    let ofSignIn = try await world.passkeyChallenge()
    #expect(isRefused(try await world.finishPasskey(user.idToken, second, second.make(challenge: ofSignIn))))
    // One challenge creates one key.
    let (_, challenge) = try await world.startPasskey(bob.idToken)
    #expect(try await world.finishPasskey(bob.idToken, second, second.make(challenge: challenge)).status == 200)
    let third = SoftwareAuthenticator(credentialID: [10])
    #expect(isRefused(try await world.finishPasskey(bob.idToken, third, third.make(challenge: challenge))))
  }

  @Test("Security 77: a response for another origin, relying party or key is refused")
  func phishing() async throws {
    let world = try IdentityWorld.withPasskeys()
    let (key, user) = try await enrolled(world)
    var overrides = SoftwareAuthenticator.Overrides()
    overrides.origin = "https://app.example.com.evil.example"
    #expect(isRefused(try await world.signIn(key, overrides: overrides)))
    overrides = SoftwareAuthenticator.Overrides()
    overrides.relyingPartyID = "evil.example"
    #expect(isRefused(try await world.signIn(key, overrides: overrides)))
    // Another key under the same ID; the right key with another user's handle, and with none.
    let forged = SoftwareAuthenticator(credentialID: key.credentialID)
    forged.userHandle = key.userHandle
    #expect(isRefused(try await world.signIn(forged)))
    let handles: [JSON] = [.null, "", "AAAA", .string(Base64URL.encode(Array(user.localID.utf8)))]
    for handle in handles {
      let used = key.use(challenge: try await world.passkeyChallenge())
      #expect(isRefused(try await world.finishPasskeySignIn(key, used, userHandle: handle)))
    }
    overrides = SoftwareAuthenticator.Overrides()
    overrides.flags = 0x01
    #expect(isRefused(try await world.signIn(key, overrides: overrides)))
    #expect(
      world.refusedPasskeys == [
        "origin", "relyingParty", "signature", "user handle", "user handle", "user handle", "user handle",
        "userVerification",
      ])
    #expect(try await world.signIn(key).status == 200)
    // A new key from a foreign page is refused.
    overrides = SoftwareAuthenticator.Overrides()
    overrides.origin = "https://evil.example"
    #expect(
      isRefused(try await world.enrol(SoftwareAuthenticator(credentialID: [5]), user.idToken, overrides: overrides)))
    #expect(world.refusedPasskeys.last == "enrolment: origin")
  }

  @Test("Security 78: a counter that goes back is refused and audited, also when responses arrive out of order")
  func counters() async throws {
    let world = try IdentityWorld.withPasskeys()
    let (key, user) = try await enrolled(world)
    key.signCount = 5
    #expect(try await world.signIn(key).status == 200)
    key.signCount = 4
    #expect(isRefused(try await world.signIn(key)))
    #expect(world.refusedPasskeys == ["counter"])
    #expect(world.user(user.localID)?.passkeys.first?.signCount == 5)
    key.signCount = 5
    #expect(isRefused(try await world.signIn(key)))
    key.signCount = 6
    #expect(try await world.signIn(key).status == 200)
  }

  @Test("Security 79: where a passkey is required, no other method signs in")
  func downgrade() async throws {
    let world = try IdentityWorld.withPasskeys(isRequired: true)
    let (key, user) = try await enrolled(world)
    let uid = user.localID
    let google = try await world.federated("g~other@b.example~yes")
    try await world.change(uid) { $0.identities = [ProviderIdentity(providerID: "google.com", rawID: "mine")] }
    let link = try await world.sendCode("EMAIL_SIGNIN", ["email": "a@b.example", "continueUrl": "http://localhost"])
    #expect(link.status == 200)
    let ways: [IdentityWorld.Answer] = [
      try await world.signIn("a@b.example"),
      try await world.post(
        "accounts:signInWithEmailLink",
        ["email": "a@b.example", "oobCode": .string(try await world.mailedCode())]),
      try await world.federated("mine~a@b.example~yes"),
      try await world.post("accounts:signInWithCustomToken", ["token": .string(uid), "returnSecureToken": true]),
    ]
    for way in ways {
      #expect(way.error?.hasPrefix("PASSKEY_REQUIRED : ") == true, "\(way.text)")
      #expect(way.json["idToken"] == nil)
    }
    #expect(try await world.signIn(key).status == 200)
    // Other users sign in as before, and so does one whose keys are removed.
    #expect(google.status == 200)
    _ = try await world.post(
      "accounts:update", ["localId": .string(uid), "deletePasskey": [.string(key.id)]],
      authority: .administrator("admin"))
    #expect(try await world.signIn("a@b.example").status == 200)
  }

  @Test("Security 79: a key registered with user verification always requires it, and other keys do not")
  func verificationDowngrade() async throws {
    let world = try IdentityWorld.withPasskeys(userVerification: false)
    let (key, _) = try await enrolled(world)
    var unverified = SoftwareAuthenticator.Overrides()
    unverified.flags = 0x01
    #expect(isRefused(try await world.signIn(key, overrides: unverified)))
    #expect(try await world.signIn(key).status == 200)
  }

  @Test("Security 79: a key without user verification is one factor; one with it is two")
  func factors() async throws {
    let world = try IdentityWorld.withPasskeys(userVerification: false)
    var unverified = SoftwareAuthenticator.Overrides()
    unverified.flags = 0x01
    let (key, user) = try await enrolled(world, overrides: unverified)
    #expect(try world.claims(user.idToken)["firebase"]?["sign_in_provider"] == .string("password"))
    #expect(try await world.signIn(key, overrides: unverified).status == 200)
    try await world.change(user.localID) {
      $0.factors = [
        SecondFactor(id: "f", kind: .phone("+15550001"), displayName: nil, enrolledAtMilliseconds: 1)
      ]
    }
    let pending = try await world.signIn(key, overrides: unverified)
    #expect(pending.status == 200 && pending.json["idToken"] == nil && pending.json["mfaPendingCredential"] != nil)
    let verified = try await world.signIn(key)
    #expect(verified.status == 200 && !verified.idToken.isEmpty)
  }

  private func isForEnrolment(_ idToken: String, _ world: IdentityWorld) throws -> Bool {
    try world.accounts.keys.verifyIDToken(idToken, nowSeconds: world.nowSeconds).isForEnrolment
  }

  @Test("Security 79: where a second factor is required, a key with user verification is one, and a password is not")
  func requiredFactor() async throws {
    let world = try IdentityWorld.withPasskeys { $0.secondFactors.policy = .required }
    let user = try await world.signUp("a@b.example")
    try await world.change(user.localID) { $0.isEmailVerified = true }
    #expect(try isForEnrolment(user.idToken, world))
    let key = SoftwareAuthenticator()
    let enrolled = try await world.enrol(key, user.idToken)
    #expect(try !isForEnrolment(enrolled.idToken, world))
    let signedIn = try await world.signIn(key)
    #expect(try !isForEnrolment(signedIn.idToken, world))
    #expect(try !isForEnrolment(try await world.refresh(signedIn.refreshToken).idToken, world))
    // Neither a password nor the session from before the key suffices to enrol another factor.
    #expect(try await world.signIn("a@b.example").error?.hasPrefix("PASSKEY_REQUIRED : ") == true)
    #expect(try await world.refresh(user.refreshToken).error == "TOKEN_EXPIRED")
    // A continued session of the key is sufficient, here after a change of password.
    let changed = try await world.update(signedIn.idToken, ["password": "another password", "returnSecureToken": true])
    #expect(try !isForEnrolment(changed.idToken, world), "\(changed.text)")
  }

  @Test("Security 79: a key without user verification is no second factor where one is required")
  func requiredAndUnverified() async throws {
    let world = try IdentityWorld.withPasskeys(userVerification: false) { $0.secondFactors.policy = .required }
    var unverified = SoftwareAuthenticator.Overrides()
    unverified.flags = 0x01
    let (key, user) = try await enrolled(world, overrides: unverified)
    #expect(try isForEnrolment(user.idToken, world))
    let signedIn = try await world.signIn(key, overrides: unverified)
    #expect(try isForEnrolment(signedIn.idToken, world))
    #expect(try isForEnrolment(try await world.refresh(signedIn.refreshToken).idToken, world))
    #expect(try isForEnrolment(try await world.signIn("a@b.example").idToken, world))
    #expect(try !isForEnrolment(try await world.signIn(key).idToken, world))
  }

  @Test("Security 79: a passkey on an unverified address does not lock its owner out, and is removed")
  func takeover() async throws {
    let demanding = try IdentityWorld.withPasskeys(isRequired: true)
    let attacker = try await demanding.signUp("owner@b.example")
    let start = try await demanding.post("/v2/accounts/passkeyEnrollment:start", ["idToken": .string(attacker.idToken)])
    #expect(start.error == "UNVERIFIED_EMAIL")
    let world = try IdentityWorld.withPasskeys()
    let (key, user) = try await enrolled(world, "owner@b.example", verified: false)
    #expect(try await world.federated("g~owner@b.example~yes").localID == user.localID)
    #expect(world.user(user.localID)?.passkeys == [])
    #expect(try await world.signIn(key).error == "PASSKEY_CREDENTIAL_NOT_FOUND")
    let (other, second) = try await enrolled(world, "second@b.example", verified: false)
    _ = try await world.sendCode("PASSWORD_RESET", ["email": "second@b.example"])
    let reset = try await world.post(
      "accounts:resetPassword",
      ["oobCode": .string(try await world.mailedCode()), "newPassword": "another password"])
    #expect(reset.status == 200 && world.user(second.localID)?.passkeys == [])
    #expect(try await world.signIn(other).error == "PASSKEY_CREDENTIAL_NOT_FOUND")
  }

  @Test("Old sessions, disabled accounts and other tenants are refused passkeys")
  func others() async throws {
    let world = try IdentityWorld.withPasskeys()
    let (key, user) = try await enrolled(world)
    world.accountsFixture.advance(seconds: 400)
    let start = try await world.post("/v2/accounts/passkeyEnrollment:start", ["idToken": .string(user.idToken)])
    #expect(start.error == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    #expect(
      try await world.update(user.idToken, ["deletePasskey": [.string(key.id)]]).error
        == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    let tenant = try await world.post(
      "/v2/projects/demo-test/tenants", ["displayName": "acme", "allowPasswordSignup": true],
      authority: .administrator("admin"))
    let id = try #require(tenant.json["name"]?.string?.split(separator: "/").last.map { String($0) })
    let there = try await world.post("/v2/accounts/passkeySignIn:start", ["tenantId": .string(id)])
    let text = try #require(there.json["credentialRequestOptions"]?["challenge"]?.string, "\(there.text)")
    let used = key.use(challenge: try #require(Base64URL.decode(Array(text.utf8))))
    // The tenant's challenge is invalid in the project.
    #expect(isRefused(try await world.finishPasskeySignIn(key, used)))
    try await world.change(user.localID) { $0.isDisabled = true }
    #expect(try await world.signIn(key).error == "USER_DISABLED")
  }

  @Test("Many refused keys from one network are throttled")
  func guessing() async throws {
    let world = try IdentityWorld.withPasskeys { $0.limits.credentialFailuresPerMinute = 5 }
    let stranger = SoftwareAuthenticator()
    stranger.userHandle = "AAAA"
    for _ in 0..<5 { #expect(try await world.signIn(stranger).error == "PASSKEY_CREDENTIAL_NOT_FOUND") }
    #expect(try await world.signIn(stranger).error?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
  }

  @Test("A hook gets the sign-in method and may deny it")
  func hooks() async throws {
    let hook = Denier()
    let world = try IdentityWorld.withPasskeys(hooks: [hook])
    let (key, _) = try await enrolled(world)
    let answer = try await world.signIn(key)
    #expect(answer.error?.hasPrefix("BLOCKING_FUNCTION_ERROR_RESPONSE") == true)
  }

  /// A hook that denies every sign-in by passkey.
  private struct Denier: DecidingHook {
    let name = "denier"
    func decide(_ event: HookEvent) async throws -> HookVerdict {
      let isPasskey = event.signInMethod == "passkey" && event.signInProvider == "passkey"
      return isPasskey ? .deny(message: "not by this") : .allow(HookChanges())
    }
  }
}
