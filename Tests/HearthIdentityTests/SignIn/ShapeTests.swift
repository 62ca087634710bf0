import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

/// Tests of answers and errors that clients' own test suites compare.
@Suite struct ShapeTests {
  @Test("A link that an administrator requests for an unknown address is refused with the error of its kind")
  func unknownAddress() async throws {
    for protects in [true, false] {
      let fixture = try IdentityFixture { $0.protectsFromEnumeration = protects }
      func link(_ type: String) async throws -> String? {
        try await fixture.administer(
          "accounts:sendOobCode",
          [
            "requestType": .string(type), "email": "nobody@example.com", "newEmail": "new@example.com",
            "returnOobLink": true,
          ]
        ).error
      }
      #expect(try await link("VERIFY_EMAIL") == "USER_NOT_FOUND")
      #expect(try await link("VERIFY_AND_CHANGE_EMAIL") == "USER_NOT_FOUND")
      #expect(try await link("PASSWORD_RESET") == "EMAIL_NOT_FOUND")
    }
  }

  @Test("Links use the server's domain: another linkDomain is refused, except on an emulator")
  func linkDomain() async throws {
    let fixture = try IdentityFixture()
    _ = try await fixture.signUp("a@b.example")
    func send(_ fixture: IdentityFixture, _ domain: String) async throws -> String? {
      fixture.accountsFixture.advance(seconds: 61)
      return try await fixture.sendCode("PASSWORD_RESET", ["email": "a@b.example", "linkDomain": .string(domain)]).error
    }
    #expect(try await send(fixture, "other.example")?.hasPrefix("INVALID_HOSTING_LINK_DOMAIN : ") == true)
    #expect(try await send(fixture, "auth.example.com.evil.example") != nil)
    for domain in ["auth.example.com", "AUTH.example.com", ""] {
      #expect(try await send(fixture, domain) == nil, "\(domain)")
    }
    #expect(await fixture.mails().count == 3)
    #expect(try await send(try IdentityFixture { $0.isEmulator = true }, "other.example") == nil)
  }

  @Test("A link uses the requested domain if it is a configured page domain")
  func linkDomainOfPages() async throws {
    let fixture = try IdentityFixture { $0.pageDomains = ["sign-in.example.net", "in.example.org:8443"] }
    _ = try await fixture.signUp("a@b.example")
    func link(_ domain: JSON) async throws -> IdentityFixture.Answer {
      try await fixture.administer(
        "accounts:sendOobCode",
        ["requestType": "PASSWORD_RESET", "email": "a@b.example", "returnOobLink": true, "linkDomain": domain])
    }
    for (domain, origin) in [
      ("Sign-In.example.net", "https://sign-in.example.net"), ("in.example.org:8443", "https://in.example.org:8443"),
      ("auth.example.com", "https://auth.example.com"),
    ] {
      let answer = try await link(.string(domain))
      #expect(answer.json["oobLink"]?.string?.hasPrefix(origin + "/__/auth/action?mode=") == true, "\(answer.text)")
    }
    for domain in ["example.net", "in.example.org", "sign-in.example.net:8443", "x.sign-in.example.net", "localhost"] {
      let refusal = try await link(.string(domain)).error
      #expect(refusal?.hasPrefix("INVALID_HOSTING_LINK_DOMAIN : ") == true && refusal?.contains("pageDomains") == true)
    }
    _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "a@b.example", "linkDomain": "sign-in.example.net"])
    #expect(await fixture.mails().last?.link?.hasPrefix("https://sign-in.example.net/__/auth/action?") == true)
  }

  @Test("An administrator's accounts:delete needs a uid beside any token")
  func adminDelete() async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.signUp("a@b.example")
    let refused = try await fixture.post(
      "accounts:delete", ["idToken": .string(first.idToken)], authority: .administrator("root"))
    #expect(refused.error == "MISSING_LOCAL_ID")
    #expect(fixture.user(first.localID) != nil)
    let done = try await fixture.post(
      "accounts:delete", ["localId": .string(first.localID)], authority: .administrator("root"))
    #expect(done.status == 200 && fixture.user(first.localID) == nil)
  }

  @Test("Linking an already linked identity is refused, for its own account as well")
  func linkedAlready() async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.federated("7~a@b.example~yes")
    let again = try await fixture.federated("7~a@b.example~yes", ["idToken": .string(first.idToken)])
    #expect(again.error == "FEDERATED_USER_ID_ALREADY_LINKED")
    let soft = try await fixture.federated(
      "7~a@b.example~yes", ["idToken": .string(first.idToken), "returnIdpCredential": true])
    #expect(soft.status == 200 && soft.json["errorMessage"] == "FEDERATED_USER_ID_ALREADY_LINKED")
    #expect(soft.json["oauthIdToken"] == "7~a@b.example~yes" && soft.json["localId"] == nil)
    #expect(try await fixture.federated("7~a@b.example~yes").localID == first.localID)
  }

  @Test("A new address is in the update's response and in the list of codes")
  func newEmail() async throws {
    let fixture = try IdentityFixture {
      $0.isEmulator = true
      $0.protectsFromEnumeration = false
    }
    let first = try await fixture.signUp("old@example.com")
    #expect(try await fixture.listedCodes().isEmpty)
    _ = try await fixture.sendCode(
      "VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(first.idToken), "newEmail": "new@example.com"])
    let change = try #require(try await fixture.listedCodes().first)
    #expect(change["email"] == "old@example.com" && change["newEmail"] == "new@example.com")
    let changed = try await fixture.post("accounts:update", ["oobCode": change["oobCode"] ?? .null])
    #expect(changed.json["email"] == "new@example.com" && changed.json["newEmail"] == "new@example.com")

    let codes = try await fixture.listedCodes()
    let back = try #require(codes.first)
    #expect(codes.count == 1 && back["requestType"] == "RECOVER_EMAIL")
    #expect(back["email"] == "old@example.com" && back["newEmail"] == nil)
    #expect(back["oobLink"]?.string?.contains("mode=recoverEmail&oobCode=\(back["oobCode"]?.string ?? "?")") == true)
    let recovered = try await fixture.post("accounts:update", ["oobCode": back["oobCode"] ?? .null])
    #expect(recovered.json["email"] == "old@example.com" && recovered.json["newEmail"] == nil)
    #expect(try await fixture.listedCodes().isEmpty)

    let token = try await fixture.signIn("old@example.com").idToken
    let direct = try await fixture.update(token, ["email": "Third@example.com"])
    #expect(direct.json["newEmail"] == "third@example.com")
    #expect(try await fixture.update(direct.idToken, ["displayName": "A"]).json["newEmail"] == nil)
    let byAdministrator = try await fixture.administer(
      "accounts:update", ["localId": .string(first.localID), "email": "Fourth@example.com"])
    #expect(byAdministrator.json["newEmail"] == "fourth@example.com")
  }

  @Test("A code for an address taken meanwhile is used up by the refusal")
  func takenMeanwhile() async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.signUp("old@example.com")
    _ = try await fixture.sendCode(
      "VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(first.idToken), "newEmail": "new@example.com"])
    let code = JSON.string(try await fixture.mailedCode())
    _ = try await fixture.signUp("new@example.com")
    #expect(try await fixture.post("accounts:update", ["oobCode": code]).error == "EMAIL_EXISTS")
    #expect(try await fixture.post("accounts:update", ["oobCode": code]).error == "INVALID_OOB_CODE")
    #expect(fixture.accounts.store.view.tickets(of: first.localID).isEmpty)
    #expect(fixture.user(first.localID)?.email == "old@example.com")
    #expect(try await fixture.refresh(first.refreshToken).status == 200)
  }

  @Test("A verified address is notified of its removal beyond the limits, also where codes are listed")
  func provenAddress() async throws {
    for isEmulator in [false, true] {
      let fixture = try IdentityFixture {
        $0.isEmulator = isEmulator
        $0.protectsFromEnumeration = false
      }
      let first = try await fixture.signUp("old@example.com")
      try await fixture.change(first.localID) { $0.isEmailVerified = true }
      // The one mail in a minute to this address.
      _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "old@example.com"])
      _ = try await fixture.update(first.idToken, ["email": "new@example.com"])
      #expect(await fixture.mails().last?.kind == .recoverEmail)
    }
  }

  @Test("An administrator creates an account with a password and no address")
  func passwordOnly() async throws {
    let fixture = try IdentityFixture()
    let made = try await fixture.administer("accounts", ["localId": "bob", "password": "correct horse"])
    #expect(made.status == 200 && made.localID == "bob")
    let user = try await fixture.administer("accounts:lookup", ["localId": ["bob"]]).json["users"]?.array?.first
    #expect(user?["passwordHash"] == "UkVEQUNURUQ=" && user?["email"] == nil)
    #expect(
      try await fixture.administer("accounts", ["password": "short"]).error?.hasPrefix("WEAK_PASSWORD : ") == true)
    _ = try await fixture.administer("accounts:update", ["localId": "bob", "email": "bob@example.com"])
    #expect(try await fixture.signIn("bob@example.com").localID == "bob")
  }

  @Test("Cleared claims are returned as an empty object, and claims that were never set not at all")
  func clearedClaims() async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.signUp("a@b.example")
    func shown() async throws -> JSON? {
      try await fixture.administer("accounts:lookup", ["localId": [.string(first.localID)]])
        .json["users"]?.array?.first?["customAttributes"]
    }
    func set(_ claims: String) async throws {
      _ = try await fixture.administer(
        "accounts:update", ["localId": .string(first.localID), "customAttributes": .string(claims)])
    }
    #expect(try await shown() == nil)
    for cleared in ["{}", " { } ", ""] {
      try await set("{\"role\":\"ed\"}")
      #expect(try await shown() == "{\"role\":\"ed\"}")
      try await set(cleared)
      #expect(try await shown() == "{}", "\(cleared)")
    }
    #expect(try fixture.claims(try await fixture.signIn("a@b.example").idToken)["role"] == nil)
  }

  @Test("A full page has a next token, whose page may be empty")
  func fullPages() async throws {
    let fixture = try IdentityFixture()
    for uid in ["a", "b", "c", "d"] { _ = try await fixture.administer("accounts", ["localId": .string(uid)]) }
    func page(_ size: Int, after token: String?) async throws -> (uids: [String], next: String?) {
      let next = token.map { [(name: "nextPageToken", value: $0)] } ?? []
      let json = try await fixture.administer(
        "accounts:batchGet", [:], query: [(name: "maxResults", value: String(size))] + next
      ).json
      return (json["users"]?.array?.compactMap { $0["localId"]?.string } ?? [], json["nextPageToken"]?.string)
    }
    let first = try await page(2, after: nil)
    let second = try await page(2, after: first.next)
    #expect(first.uids == ["a", "b"] && second.uids == ["c", "d"] && second.next != nil)
    let third = try await page(2, after: second.next)
    #expect(third.uids == [] && third.next == nil)
    #expect(try await page(5, after: nil).next == nil)
  }

  @Test("An import refuses second factors with a missing or unverified address, user by user")
  func importedFactors() async throws {
    let fixture = try IdentityFixture()
    let factors: JSON = [["phoneInfo": "+15555550100"]]
    let answer = try await fixture.administer(
      "accounts:batchCreate",
      [
        "users": [
          ["localId": "none", "mfaInfo": factors],
          ["localId": "unproven", "email": "a@b.example", "mfaInfo": factors],
          ["localId": "proven", "email": "c@d.example", "emailVerified": true, "mfaInfo": factors],
          ["localId": "without", "email": "e@f.example", "mfaInfo": []],
        ]
      ])
    #expect(
      answer.json["error"] == [
        ["index": 0, "message": "Second factor account requires email to be presented."],
        ["index": 1, "message": "Second factor account requires email to be verified."],
      ])
    #expect(fixture.accounts.store.view.users(limit: 9).map(\.uid) == ["proven", "without"])
    #expect(fixture.user("proven")?.factors.count == 1)
  }
}

extension IdentityFixture {
  /// Returns the codes that an emulator lists.
  func listedCodes() async throws -> [JSON] {
    try await post("/emulator/v1/projects/demo-test/oobCodes", method: "GET", isFromLoopback: true)
      .json["oobCodes"]?.array ?? []
  }
}
