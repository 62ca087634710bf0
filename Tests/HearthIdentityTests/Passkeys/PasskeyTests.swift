import HearthBytes
import HearthTestKit
import HearthTree
import PasskeyTestKit
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

@Suite struct PasskeyTests {
  @Test("A key is registered, listed with its name, and signs in; tokens name the method also after refreshes")
  func wholeWay() async throws {
    let fixture = try IdentityFixture.withPasskeys()
    let user = try await fixture.signUp("a@b.example")
    let authenticator = SoftwareAuthenticator()
    let (options, _) = try await fixture.startPasskey(user.idToken)
    #expect(options["rp"] == ["id": "example.com", "name": "Example"])
    #expect(options["user"]?["name"] == "a@b.example" && options["attestation"] == "none")
    #expect(options["pubKeyCredParams"]?.array?.compactMap { $0["alg"]?.int } == [-7, -8, -257])
    #expect(options["authenticatorSelection"]?["userVerification"] == "required")
    let done = try await fixture.enrol(authenticator, user.idToken)
    #expect(done.status == 200 && done.localID == user.localID && done.json["expiresIn"] == "3600")
    #expect(try fixture.claims(done.idToken)["firebase"]?["sign_in_provider"] == .string("passkey"))
    let shown = try await fixture.lookup(done.idToken).json["users"]?.array?.first
    #expect(shown?["passkeyInfo"] == [["credentialId": .string(authenticator.id), "name": "Laptop"]])
    // Private fields of the key are not returned.
    #expect(try await !fixture.lookup(done.idToken).text.contains("publicKey"))
    fixture.accountsFixture.advance(seconds: 3_000)
    let back = try await fixture.signIn(authenticator)
    #expect(back.status == 200 && back.localID == user.localID, "\(back.text)")
    let claims = try fixture.claims(back.idToken)
    #expect(claims["firebase"]?["sign_in_provider"] == .string("passkey"))
    #expect(claims["firebase"]?["sign_in_second_factor"] == nil)
    #expect(claims["auth_time"]?.seconds == fixture.nowSeconds)
    let refreshed = try await fixture.refresh(back.refreshToken)
    #expect(try fixture.claims(refreshed.idToken)["firebase"]?["sign_in_provider"] == .string("passkey"))
    #expect(fixture.auditedKinds.contains("passkey_enroll"))
  }

  @Test("Values are equal in both alphabets of base64, and without padding", arguments: 0..<20)
  func alphabets(seed: Int) async throws {
    let fixture = try IdentityFixture.withPasskeys()
    let user = try await fixture.signUp("a\(seed)@b.example")
    let (options, _) = try await fixture.startPasskey(user.idToken)
    let start = try await fixture.post("/v2/accounts/passkeySignIn:start", [:])
    for text in [
      options["challenge"]?.string, options["user"]?["id"]?.string,
      start.json["credentialRequestOptions"]?["challenge"]?.string,
    ] {
      let text = try #require(text)
      #expect(text.utf8.count % 4 == 0 && !text.contains { "-_+/=".contains($0) }, "\(text)")
    }
    #expect(try #require(Base64URL.decode(Array((options["user"]?["id"]?.string ?? "").utf8))).count <= 64)
  }

  @Test("Keys of an account share a user handle, are excluded from registration, and are removed one by one")
  func severalKeys() async throws {
    let fixture = try IdentityFixture.withPasskeys()
    let user = try await fixture.signUp("a@b.example")
    let keys = (1...3).map { SoftwareAuthenticator(credentialID: [UInt8($0), 2, 3]) }
    var token = user.idToken
    for (index, key) in keys.enumerated() {
      let (options, challenge) = try await fixture.startPasskey(token)
      #expect(
        options["excludeCredentials"]?.array?.compactMap { $0["id"]?.string } == keys.prefix(index).map(\.id))
      key.userHandle = options["user"]?["id"]?.string ?? ""
      token = try await fixture.finishPasskey(token, key, key.make(challenge: challenge), name: "Key \(index)").idToken
    }
    #expect(Set(keys.map(\.userHandle)).count == 1)
    let full = try await fixture.post("/v2/accounts/passkeyEnrollment:start", ["idToken": .string(token)])
    #expect(full.error?.hasPrefix("PASSKEY_LIMIT_EXCEEDED : ") == true)
    let removed = try await fixture.update(token, ["deletePasskey": [.string(keys[1].id), "unknown"]])
    #expect(removed.status == 200 && !removed.refreshToken.isEmpty)
    let names = try await fixture.lookup(removed.idToken).json["users"]?.array?.first?["passkeyInfo"]?.array
    #expect(names?.compactMap { $0["name"]?.string } == ["Key 0", "Key 2"])
    // Sessions that began with the removed key have ended.
    #expect(try await fixture.lookup(token).error == "TOKEN_EXPIRED")
    #expect(try await fixture.signIn(keys[1]).error == "PASSKEY_CREDENTIAL_NOT_FOUND")
    #expect(try await fixture.signIn(keys[2]).status == 200)
    #expect(fixture.auditedKinds.contains("passkey_remove"))
    #expect(try await fixture.update(removed.idToken, ["deletePasskey": ["unknown"]]).status == 200)
    let mixed = try await fixture.update(removed.idToken, ["deletePasskey": ["x"], "displayName": "A"])
    #expect(mixed.error?.hasPrefix("INVALID_ARGUMENT : ") == true)
  }

  @Test("An administrator removes keys, and their tokens end")
  func administrator() async throws {
    let fixture = try IdentityFixture.withPasskeys()
    let user = try await fixture.signUp("a@b.example")
    let key = SoftwareAuthenticator()
    let token = try await fixture.enrol(key, user.idToken).idToken
    let answer = try await fixture.post(
      "accounts:update", ["localId": .string(user.localID), "deletePasskey": [.string(key.id)]],
      authority: .administrator("admin"))
    #expect(answer.status == 200 && fixture.user(user.localID)?.passkeys == [])
    #expect(try await fixture.lookup(token).error == "TOKEN_EXPIRED")
    #expect(try await fixture.signIn(key).error == "PASSKEY_CREDENTIAL_NOT_FOUND")
    // The ID is free again for any account.
    let other = try await fixture.signUp("c@d.example")
    #expect(try await fixture.enrol(key, other.idToken).status == 200)
  }

  @Test("A key belongs to one account, and is deleted with it")
  func ownership() async throws {
    let fixture = try IdentityFixture.withPasskeys()
    let (ann, bob) = (try await fixture.signUp("ann@b.example"), try await fixture.signUp("bob@b.example"))
    let key = SoftwareAuthenticator()
    let enrolled = try await fixture.enrol(key, ann.idToken)
    #expect(try await fixture.enrol(key, bob.idToken).error == "CREDENTIAL_ALREADY_IN_USE")
    #expect(try await fixture.enrol(key, enrolled.idToken).error == "CREDENTIAL_ALREADY_IN_USE")
    #expect(
      try await fixture.post("accounts:delete", ["idToken": .string(enrolled.idToken)]).status == 200)
    #expect(try await fixture.signIn(key).error == "PASSKEY_CREDENTIAL_NOT_FOUND")
    #expect(try await fixture.enrol(key, bob.idToken).status == 200)
  }

  @Test("Apps of Firebase send some members in another form; base64 with padding is read as well")
  func otherNames() async throws {
    let fixture = try IdentityFixture.withPasskeys()
    let user = try await fixture.signUp("a@b.example")
    let key = SoftwareAuthenticator(credentialID: [0xFB, 0xFF, 0xFE, 1])
    let (options, challenge) = try await fixture.startPasskey(user.idToken)
    key.userHandle = options["user"]?["id"]?.string ?? ""
    let made = key.make(challenge: challenge)
    func padded(_ bytes: [UInt8]) -> JSON { .string(Base64.encode(bytes)) }
    let done = try await fixture.post(
      "/v2/accounts/passkeyEnrollment:finalize",
      [
        "idToken": .string(user.idToken), "displayName": "Phone",
        "authenticatorRegistrationResponse": [
          "credentialId": padded(key.credentialID), "credentialType": "public-key",
          "authenticatorAttestationResponse": [
            "clientDataJson": padded(made.clientDataJSON), "clientDataJSON": padded(made.clientDataJSON),
            "attestationObject": padded(made.attestationObject),
          ],
        ],
      ])
    #expect(done.status == 200, "\(done.text)")
    #expect(fixture.user(user.localID)?.passkeys.map(\.id) == [key.id])
    let used = key.use(challenge: try await fixture.passkeyChallenge())
    let back = try await fixture.post(
      "/v2/accounts/passkeySignIn:finalize",
      [
        "authenticatorAssertionResponse": [
          "credentialId": padded(key.credentialID),
          "authenticatorAssertionResponse": [
            "clientDataJSON": padded(used.clientDataJSON), "authenticatorData": padded(used.authenticatorData),
            "signature": padded(used.signature), "userHandle": .string(key.userHandle),
          ],
        ]
      ])
    #expect(back.status == 200 && back.localID == user.localID, "\(back.text)")
    let removed = try await fixture.update(back.idToken, ["deletePasskey": [padded(key.credentialID)]])
    #expect(removed.status == 200 && fixture.user(user.localID)?.passkeys == [])
  }

  @Test("Adding a key to an anonymous account keeps the uid; a key without a name has a default one")
  func anonymous() async throws {
    let fixture = try IdentityFixture.withPasskeys()
    let user = try await fixture.anonymous()
    let key = SoftwareAuthenticator()
    let (options, challenge) = try await fixture.startPasskey(user.idToken)
    key.userHandle = options["user"]?["id"]?.string ?? ""
    #expect(try await fixture.finishPasskey(user.idToken, key, key.make(challenge: challenge), name: "").status == 200)
    #expect(fixture.user(user.localID)?.isAnonymous == false)
    #expect(fixture.user(user.localID)?.passkeys.first?.name == "Unnamed Passkey")
    #expect(try await fixture.signIn(key).localID == user.localID)
  }

  @Test("Without the plugin passkeys are not served")
  func switchedOff() async throws {
    let fixture = try IdentityFixture()
    let user = try await fixture.signUp("a@b.example")
    let calls: [(path: String, body: JSON)] = [
      ("passkeyEnrollment:start", ["idToken": .string(user.idToken)]), ("passkeySignIn:start", [:]),
    ]
    for (path, body) in calls {
      let answer = try await fixture.post("/v2/accounts/" + path, body)
      #expect(answer.status == 400 && answer.error?.hasPrefix("OPERATION_NOT_ALLOWED : ") == true)
    }
  }

  @Test("An emulator's test suites identify keys by id, which only programs on its machine may do")
  func emulated() async throws {
    let fixture = try IdentityFixture.withPasskeys { $0.isEmulator = true }
    let user = try await fixture.signUp("a@b.example")
    let body: JSON = [
      "idToken": .string(user.idToken), "authenticatorRegistrationResponse": ["id": "test_credential_id_1"],
      "name": "My Key",
    ]
    #expect(
      try await fixture.post("/v2/accounts/passkeyEnrollment:finalize", body).error?
        .hasPrefix("INVALID_AUTHENTICATOR_RESPONSE : ") == true)
    #expect(try await fixture.app("/v2/accounts/passkeyEnrollment:finalize", body).status == 200)
    let back: JSON = ["authenticatorAuthenticationResponse": ["id": "test_credential_id_1"]]
    let signedIn = try await fixture.app("/v2/accounts/passkeySignIn:finalize", back)
    #expect(signedIn.localID == user.localID && signedIn.status == 200)
    #expect(try await fixture.post("/v2/accounts/passkeySignIn:finalize", back).status == 400)
    let unknown = try await fixture.app(
      "/v2/accounts/passkeySignIn:finalize", ["authenticatorAuthenticationResponse": ["id": "other"]])
    #expect(unknown.error == "PASSKEY_CREDENTIAL_NOT_FOUND")
  }

  @Test("Missing members are named")
  func missing() async throws {
    let fixture = try IdentityFixture.withPasskeys()
    func error(_ path: String, _ body: JSON) async throws -> String? {
      try await fixture.post("/v2/accounts/" + path, body).error
    }
    #expect(try await error("passkeyEnrollment:start", [:]) == "MISSING_ID_TOKEN")
    #expect(
      try await error("passkeyEnrollment:finalize", ["authenticatorRegistrationResponse": ["id": "x"]])
        == "MISSING_ID_TOKEN")
    #expect(
      try await error("passkeyEnrollment:finalize", ["idToken": "some_token"]) == "MISSING_AUTHENTICATOR_RESPONSE")
    #expect(try await error("passkeySignIn:finalize", [:]) == "MISSING_AUTHENTICATOR_RESPONSE")
    #expect(
      try await error("passkeySignIn:finalize", ["authenticatorAuthenticationResponse": [:]])
        == "INVALID_CREDENTIAL_ID")
    #expect(
      try await error("passkeySignIn:finalize", ["authenticatorAuthenticationResponse": ["id": "x"]])?
        .hasPrefix("INVALID_AUTHENTICATOR_RESPONSE : ") == true)
    let responses: [JSON] = [
      [:], ["clientDataJSON": "!", "authenticatorData": "AA", "signature": "AA"],
      ["clientDataJSON": "e30", "authenticatorData": "AA", "signature": "AA", "userHandle": "AA"],
    ]
    for response in responses {
      let answer = try await error(
        "passkeySignIn:finalize", ["authenticatorAuthenticationResponse": ["id": "x", "response": response]])
      #expect(answer?.hasPrefix("INVALID_AUTHENTICATOR_RESPONSE : ") == true)
    }
  }
}
