import Testing

@testable import HearthCrypto

@Suite("Custom tokens of service accounts")
struct CustomTokenTests {
  private let folder = KeyFolder()
  private let now = ServiceForge.now

  private func verifier(tenant: String? = nil, allowsUnsigned: Bool = false) -> CustomTokenVerifier {
    CustomTokenVerifier(
      projectID: TokenForge.projectID, accounts: ServiceForge.accounts, tenant: tenant, allowsUnsigned: allowsUnsigned)
  }

  private func refusal(
    _ token: String, at seconds: Int64 = ServiceForge.now, by verifier: CustomTokenVerifier? = nil
  ) -> CustomTokenError.Code? {
    do {
      _ = try (verifier ?? self.verifier()).verify(token, nowSeconds: seconds)
      return nil
    } catch {
      return error.code
    }
  }

  private func refusal(_ changes: [String: String?]) -> CustomTokenError.Code? { refusal(ServiceForge.custom(changes)) }

  @Test("A valid token has uid, claims and signer; other members have no effect")
  func accepted() throws {
    let token = ServiceForge.custom([
      "claims": #"{"role":"ed","level":[1,{"a":null}]}"#, "admin": "true", "email": "\"x@example.com\"",
    ])
    let custom = try verifier().verify(token, nowSeconds: now)
    #expect(custom.uid == "alice")
    #expect(custom.claims == TokenForge.object(#"{"role":"ed","level":[1,{"a":null}]}"#).members)
    #expect(custom.issuer == ServiceForge.email && custom.tenant == nil)
  }

  @Test("Minted tokens are verified")
  func minter() throws {
    let ring = try folder.ring()
    let minter = try CustomTokenMinter(account: ring.mintingAccount)
    let token = try minter.mint(uid: "bob", claims: [.init("role", .string("é🙂"))], issuedAtSeconds: now)
    let custom = try ring.customTokenVerifier(accounts: []).verify(token, nowSeconds: now)
    #expect(custom.uid == "bob" && custom.claims == [.init("role", .string("é🙂"))])
    #expect(custom.issuer == "hearth@\(KeyFolder.projectID).iam.gserviceaccount.com" && custom.issuedAtSeconds == now)
    let unsigned = try verifier(allowsUnsigned: true).verify(#"{"uid":"bob","iat":5}"#, nowSeconds: now)
    #expect(unsigned.issuedAtSeconds == nil, "anybody's word")
    #expect(refusal(token) == .credentialMismatch, "a verifier that does not know the server's own account")
    #expect(refusal(token, at: now + 3_900, by: ring.customTokenVerifier(accounts: [])) == .invalidCustomToken)
    for uid in ["", String(repeating: "a", count: 129), "a\u{1}b"] {
      #expect(throws: TokenMintError.self) { try minter.mint(uid: uid, issuedAtSeconds: now) }
    }
    for seconds: Int64 in [.min, 0, 3_601, .max] {
      #expect(throws: TokenMintError.invalidTimes("")) {
        try minter.mint(uid: "a", issuedAtSeconds: now, lifetimeSeconds: seconds)
      }
    }
    #expect(throws: TokenMintError.invalidTimes("")) { try minter.mint(uid: "a", issuedAtSeconds: .max) }
    #expect(throws: TokenMintError.forbiddenClaim("sub")) {
      try minter.mint(uid: "a", claims: [.init("sub", .null)], issuedAtSeconds: now)
    }
    for pem in ["", "x", ServiceForge.publicPEM] {
      #expect(throws: TokenMintError.refused("")) {
        try CustomTokenMinter(email: ServiceForge.email, keyID: "k", privatePEM: pem)
      }
    }
  }

  @Test("Only the project's service accounts are accepted")
  func accounts() {
    for issuer in [
      "\"stranger@demo-forge.iam.gserviceaccount.com\"", "\"\"", "1", "null", "[\"\(ServiceForge.email)\"]", nil,
      "\"\(ServiceForge.email) \"",
    ] as [String?] {
      #expect(refusal(["iss": issuer, "sub": issuer]) == .credentialMismatch)
    }
    #expect(refusal(["sub": "\"other@demo-forge.iam.gserviceaccount.com\""]) == .invalidCustomToken)
    #expect(refusal(["sub": nil]) == .invalidCustomToken)
  }

  @Test("A signing key is searched only among its own account's keys")
  func keys() {
    let other = "\"other@demo-forge.iam.gserviceaccount.com\""
    #expect(refusal(ServiceForge.custom(header: ServiceForge.header(["kid": nil]))) == nil, "old generators")
    #expect(
      refusal(ServiceForge.custom(["iss": other, "sub": other], header: ServiceForge.header(["kid": nil])))
        == .invalidCustomToken, "signed with our key in another's name")
    #expect(
      refusal(ServiceForge.custom(header: ServiceForge.header(["kid": "\"\(ServiceForge.otherKeyID)\""])))
        == .invalidCustomToken)
    for kid in [
      "\"\"", "1", "null", "[\"\(ServiceForge.keyID)\"]", "\"../../etc/passwd\"", "\"\(ServiceForge.keyID) \"",
    ] {
      #expect(refusal(ServiceForge.custom(header: ServiceForge.header(["kid": kid]))) == .invalidCustomToken)
    }
    #expect(refusal(ServiceForge.custom(key: TokenForge.key)) == .invalidCustomToken)
    #expect(refusal(ServiceForge.custom() + "A") == .invalidCustomToken)
  }

  @Test("aud is Firebase's custom token audience, as a string")
  func audience() {
    let name = UnverifiedToken.customTokenAudience
    for value in [
      "[\"\(name)\"]", "\"\(name)/\"", "\"\(TokenForge.projectID)\"", "1", nil, "\"\"",
    ] as [String?] {
      #expect(refusal(["aud": value]) == .invalidCustomToken)
    }
  }

  @Test("Times: an hour at most, five minutes of clock skew, and no invalid times")
  func times() {
    for value in ["\"\(now)\"", "-1", "1.5", "1e400", "1e300", "null", "9007199254740992", nil] as [String?] {
      #expect(refusal(["iat": value]) == .invalidCustomToken)
      #expect(refusal(["exp": value]) == .invalidCustomToken)
    }
    #expect(refusal(["iat": "\(now + 300)", "exp": "\(now + 3_900)"]) == nil)
    #expect(refusal(["iat": "\(now + 301)", "exp": "\(now + 3_900)"]) == .invalidCustomToken)
    #expect(refusal(["iat": "\(now - 3_600)", "exp": "\(now - 299)"]) == nil)
    #expect(refusal(["iat": "\(now - 3_600)", "exp": "\(now - 300)"]) == .invalidCustomToken)
    #expect(refusal(["exp": "\(now + 3_900)"]) == nil)
    #expect(refusal(["exp": "\(now + 3_901)"]) == .invalidCustomToken)
    #expect(refusal(["nbf": "\(now + 301)"]) == .invalidCustomToken)
    #expect(refusal(["nbf": "\"x\""]) == .invalidCustomToken)
    for seconds in [Int64.min, -1, 0, .max] {
      #expect(refusal(ServiceForge.custom(), at: seconds) == .invalidCustomToken)
    }
  }

  @Test("A uid is 1 to 128 characters without control characters")
  func uid() {
    for value in [
      "\"\"", "1", "null", "[\"a\"]", "{}", nil, "\"a\\u0007\"", "\"a\\u0085b\"",
      "\"\(String(repeating: "a", count: 129))\"",
    ] as [String?] {
      #expect(refusal(["uid": value]) == .missingIdentifier)
    }
    #expect(refusal(["uid": "\"\(String(repeating: "é", count: 128))\""]) == nil)
  }

  @Test("The tenants of the request and of the token must be the same")
  func tenants() throws {
    let token = ServiceForge.custom(["tenant_id": "\"a\""])
    #expect(try verifier(tenant: "a").verify(token, nowSeconds: now).tenant == "a")
    #expect(refusal(token) == .tenantIDMismatch)
    #expect(refusal(token, by: verifier(tenant: "b")) == .tenantIDMismatch)
    #expect(refusal(ServiceForge.custom(), by: verifier(tenant: "a")) == .tenantIDMismatch)
    #expect(refusal(["tenant_id": "1"]) == .tenantIDMismatch)
  }

  @Test(
    "Claims that developers may not set are refused",
    arguments: [
      "acr", "amr", "at_hash", "aud", "auth_time", "azp", "c_hash", "cnf", "exp", "firebase", "iat", "iss", "jti",
      "nbf",
      "nonce", "sub",
    ])
  func reserved(name: String) {
    do {
      _ = try verifier().verify(ServiceForge.custom(["claims": #"{"\#(name)":{}}"#]), nowSeconds: now)
      Issue.record("accepted \(name)")
    } catch {
      #expect(error.code == .forbiddenClaim && error.detail == name)
    }
  }

  @Test("Claims with names of the account's own values are accepted, and tokens have the account's own values or none")
  func computed() throws {
    let names = ["email", "email_verified", "phone_number", "provider_id", "user_id"]
    let claims = "{" + names.map { "\"\($0)\":\"x\"" }.joined(separator: ",") + ",\"role\":1}"
    let custom = try verifier().verify(ServiceForge.custom(["claims": claims]), nowSeconds: now)
    #expect(custom.claims.map(\.name) == names + ["role"])
    let ring = try folder.ring()
    var subject = IDTokenSubject(uid: custom.uid, signInProvider: "custom", authTimeSeconds: now)
    subject.sessionClaims = custom.claims
    let minted = try ring.verifyIDToken(try ring.mintIDToken(subject, issuedAtSeconds: now), nowSeconds: now).claims
    #expect(minted["user_id"] == .string("alice") && minted["sub"] == .string("alice"))
    #expect(["email", "email_verified", "phone_number", "provider_id"].allSatisfy { minted[$0] == nil })
    #expect(minted["role"] == .int(1))
    (subject.sessionClaims, subject.customClaims) = ([], custom.claims)
    let stored = try ring.verifyIDToken(try ring.mintIDToken(subject, issuedAtSeconds: now), nowSeconds: now).claims
    #expect(["email", "email_verified", "phone_number", "provider_id"].allSatisfy { stored[$0] == nil })
    #expect(stored["role"] == .int(1))
    (subject.email, subject.phoneNumber) = ("alice@example.com", "+15555550100")
    let own = try ring.verifyIDToken(try ring.mintIDToken(subject, issuedAtSeconds: now), nowSeconds: now).claims
    #expect(own["email"] == .string("alice@example.com") && own["email_verified"] == .bool(false))
    #expect(own["phone_number"] == .string("+15555550100") && own["user_id"] == .string("alice"))
    #expect(own.members?.count { $0.name == "email" } == 1)
  }

  @Test("Claims are an object of 1000 bytes at most")
  func claims() {
    for value in ["[]", "1", "\"x\"", "true"] { #expect(refusal(["claims": value]) == .invalidClaims) }
    for value in ["null", "{}", nil] as [String?] { #expect(refusal(["claims": value]) == nil) }
    let fits = #"{"x":"\#(String(repeating: "x", count: 992))"}"#
    #expect(refusal(["claims": fits]) == nil)
    #expect(refusal(["claims": fits.replacing("\"}", with: "x\"}")]) == .claimsTooLarge)
    #expect(refusal(["claims": #"{"a":1,"a":2}"#]) == .invalidCustomToken)
  }

  @Test("Every failure of form, signature and time has the same error for a client")
  func oneMessage() {
    var details: Set<String?> = []
    for token in [
      "x", "a.b.c", ServiceForge.custom(["exp": "1"]), ServiceForge.custom(key: TokenForge.key),
      ServiceForge.custom(["aud": "1"]), TokenForge.unsigned(ServiceForge.customPayload()),
    ] {
      do {
        _ = try verifier().verify(token, nowSeconds: now)
        Issue.record("accepted")
      } catch {
        #expect(error.code == .invalidCustomToken)
        details.insert(error.detail)
      }
    }
    #expect(details.count == 1)
    #expect(refusal("") == .missingCustomToken)
    #expect(refusal(String(repeating: "a", count: 1_000_000)) == .invalidCustomToken)
    #expect(refusal(String(repeating: ".", count: 16_000)) == .invalidCustomToken)
  }

  @Test("Unsigned tokens and bare JSON objects are accepted from emulator clients alone")
  func unsigned() throws {
    let payload = ServiceForge.customPayload(["exp": "1", "iss": "\"firebase-auth-emulator@example.com\""])
    let token = TokenForge.unsigned(payload)
    let bare = #"{"uid":"carol","claims":{"role":"x"}}"#
    let open = verifier(allowsUnsigned: true)
    #expect(try open.verify(token, nowSeconds: now).uid == "alice")
    #expect(try open.verify(token, nowSeconds: now).issuer == nil)
    #expect(try open.verify(bare, nowSeconds: now).claims == [.init("role", .string("x"))])
    #expect(refusal(token) == .invalidCustomToken && refusal(bare) == .invalidCustomToken)
    #expect(refusal(token + "AAAA", by: open) == .invalidCustomToken)
    #expect(refusal(#"{"uid":"carol","claims":{"sub":"x"}}"#, by: open) == .forbiddenClaim)
    #expect(try open.verify(#"{"uid":17}"#, nowSeconds: now).uid == "17")
    #expect(try open.verify(#"{"user_id":"dan"}"#, nowSeconds: now).uid == "dan")
    #expect(refusal(#"{"uid":true}"#, by: open) == .missingIdentifier)
    #expect(refusal(["uid": nil, "user_id": "\"dan\""]) == .missingIdentifier, "a signed token says uid")
    #expect(refusal("{", by: open) == .invalidCustomToken)
    for name in ["None", "NONE", "nOnE", "none "] {
      let header = #"{"alg":"\#(name)","typ":"JWT"}"#
      #expect(refusal(TokenForge.unsigned(payload, header: header), by: open) != nil)
    }
    #expect(refusal(TokenForge.unsigned(TokenForge.idPayload()), by: open) == .invalidCustomToken)
  }
}
