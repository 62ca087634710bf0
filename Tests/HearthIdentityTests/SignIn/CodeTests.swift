import Foundation
import HearthBytes
import HearthPlugin
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

@Suite struct CodeTests {
  @Test("Security 14: A reset for an unknown address gets the same answer, and no mail")
  func unknownAddress() async throws {
    let fixture = try IdentityFixture()
    _ = try await fixture.signUp("known@example.com")
    let known = try await fixture.sendCode("PASSWORD_RESET", ["email": "known@example.com"])
    let unknown = try await fixture.sendCode("PASSWORD_RESET", ["email": "other@example.com"])
    #expect(known.status == 200 && unknown.status == 200)
    #expect(known.text.replacing("known@", with: "other@") == unknown.text)
    #expect(await fixture.mails().map(\.to) == ["known@example.com"])
    // Beyond the limit of one mail a minute the answer stays the same.
    #expect(try await fixture.sendCode("PASSWORD_RESET", ["email": "known@example.com"]).text == known.text)
    #expect(await fixture.mails().count == 1)
    let open = try IdentityFixture { $0.protectsFromEnumeration = false }
    #expect(try await open.sendCode("PASSWORD_RESET", ["email": "a@b.example"]).error == "EMAIL_NOT_FOUND")
  }

  @Test(
    "Security 14: Before the response no account is looked up and no record is written",
    arguments: ["PASSWORD_RESET", "EMAIL_SIGNIN"])
  func afterTheAnswer(type: String) async throws {
    let fixture = try IdentityFixture { $0.allowsSignUp = false }
    let user = fixture.accountsFixture.user("u1", email: "known@example.com")
    try await fixture.accounts.store.transact { (accounts) throws(AccountError) in try accounts.insert(user) }
    for (email, mails) in [("known@example.com", 1), ("other@example.com", 0)] {
      let (before, sent) = (fixture.accounts.store.view.auditHead, await fixture.mails().count)
      let answer = try await fixture.sendCode(type, ["email": .string(email), "continueUrl": "http://localhost/"])
      #expect(answer.status == 200 && answer.json["email"] == .string(email))
      // All work is done after the answer.
      await fixture.accounts.context.server.mails.idle()
      #expect(fixture.accounts.store.view.auditHead == before && fixture.outbox.messages.count == sent)
      #expect(fixture.accounts.store.view.allTickets(limit: 9).count == sent)
      await fixture.makeCodes()
      #expect(fixture.accounts.store.view.auditHead?.sequence == (before?.sequence ?? 0) + 1)
      #expect(await fixture.mails().count == sent + mails)
    }
  }

  @Test("Missing members are reported with Firebase's messages")
  func missing() async throws {
    let fixture = try IdentityFixture()
    _ = try await fixture.signUp("a@b.example")
    let verification = try await fixture.sendCode("VERIFY_EMAIL", ["email": "a@b.example"])
    #expect(verification.error == "INVALID_ID_TOKEN")
    let change = try await fixture.sendCode("VERIFY_AND_CHANGE_EMAIL", ["newEmail": "c@b.example"])
    #expect(change.error == "MISSING_ID_TOKEN")
    #expect(try await fixture.post("accounts:resetPassword").error == "MISSING_OOB_CODE")
    let without = try await fixture.post(
      "/v2/projects/demo-test/tenants", ["enableEmailLinkSignin": true], authority: .administrator("op"))
    let tenant = try #require(without.json["name"]?.string?.split(separator: "/").last.map(String.init))
    let reset = try await fixture.post("accounts:resetPassword", ["tenantId": .string(tenant)])
    #expect(reset.error == "PASSWORD_LOGIN_DISABLED")
    let unknown = try await fixture.post("accounts:resetPassword", ["tenantId": .string(tenant), "oobCode": "x"])
    #expect(unknown.error == "INVALID_OOB_CODE")
  }

  @Test("A code that a signed-in user requested is not valid for a later owner of the address")
  func addressMovedOn() async throws {
    let fixture = try IdentityFixture { $0.protectsFromEnumeration = false }
    let first = try await fixture.signUp("a@b.example")
    _ = try await fixture.sendCode(
      "VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(first.idToken), "newEmail": "thief@b.example"])
    _ = try await fixture.post("accounts:delete", ["idToken": .string(first.idToken)])
    let second = try await fixture.signUp("a@b.example")
    #expect(await fixture.mails().isEmpty)
    #expect(fixture.accounts.store.view.tickets(of: second.localID).isEmpty)
  }

  @Test(
    "An address-change code ends with the session that requested it", arguments: [true, false])
  func revokedAsker(isMadeBefore: Bool) async throws {
    let fixture = try IdentityFixture()
    let first = try await fixture.signUp("a@b.example")
    _ = try await fixture.sendCode(
      "VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(first.idToken), "newEmail": "thief@b.example"])
    if isMadeBefore { #expect(await fixture.mails().count == 1) }
    try await fixture.accounts.sessions.revocations.revoke(uid: first.localID, client: fixture.accountsFixture.client())
    if !isMadeBefore { #expect(await fixture.mails().isEmpty) }
    #expect(fixture.accounts.store.view.tickets(of: first.localID).isEmpty)
  }

  @Test("If a code cannot be stored, the request fails")
  func unwritable() async throws {
    let fixture = try IdentityFixture()
    _ = try await fixture.signUp("known@example.com")
    fixture.accounts.store.close()
    for email in ["known@example.com", "other@example.com"] {
      #expect(try await fixture.sendCode("PASSWORD_RESET", ["email": .string(email)]).status == 503)
    }
  }

  @Test("Security 35: One of twenty concurrent uses of a code succeeds")
  func singleUse() async throws {
    let fixture = try IdentityFixture()
    _ = try await fixture.signUp("a@b.example")
    _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "a@b.example"])
    let code = try await fixture.mailedCode()
    let winners = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
      for number in 0..<20 {
        group.addTask {
          let answer = try await fixture.post(
            "accounts:resetPassword",
            ["oobCode": .string(code), "newPassword": .string("password \(number)")],
            address: "192.0.2.\(number)")
          if answer.status != 200 {
            #expect(answer.error == "INVALID_OOB_CODE" || answer.status == 503)
          }
          return (number, answer.status)
        }
      }
      return try await group.reduce(into: []) { if $1.1 == 200 { $0.append($1.0) } }
    }
    #expect(winners.count == 1)
    #expect(try await fixture.signIn("a@b.example", "password \(winners[0])").status == 200)
  }

  @Test("Security 36: Codes expire, and are valid for their own purpose and project only")
  func wrongUse() async throws {
    let fixture = try IdentityFixture()
    let token = try await fixture.signUp("a@b.example").idToken
    _ = try await fixture.sendCode("VERIFY_EMAIL", ["idToken": .string(token)])
    let verify = try await fixture.mailedCode()
    #expect(
      try await fixture.post("accounts:resetPassword", ["oobCode": .string(verify), "newPassword": "another one"]).error
        == "INVALID_OOB_CODE")
    #expect(
      try await fixture.post("accounts:signInWithEmailLink", ["oobCode": .string(verify), "email": "a@b.example"]).error
        == "INVALID_OOB_CODE")
    #expect(
      try await fixture.post("accounts:update", ["oobCode": .string(verify), "tenantId": "t"]).error
        == "TENANT_NOT_FOUND")
    let other = try IdentityFixture(seed: 2)
    #expect(try await other.post("accounts:update", ["oobCode": .string(verify)]).error == "INVALID_OOB_CODE")
    #expect(try await fixture.post("accounts:resetPassword", ["oobCode": ""]).error == "MISSING_OOB_CODE")
    fixture.accountsFixture.advance(seconds: 3 * 86_400)
    #expect(try await fixture.post("accounts:update", ["oobCode": .string(verify)]).error == "EXPIRED_OOB_CODE")
    fixture.accountsFixture.advance(seconds: 60)
    _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "a@b.example"])
    let reset = try await fixture.mailedCode()
    #expect(try await fixture.post("accounts:update", ["oobCode": .string(reset)]).error == "INVALID_OOB_CODE")
    fixture.accountsFixture.advance(seconds: 3_599)
    #expect(try await fixture.post("accounts:resetPassword", ["oobCode": .string(reset)]).status == 200)
    fixture.accountsFixture.advance(seconds: 1)
    #expect(
      try await fixture.post("accounts:resetPassword", ["oobCode": .string(reset), "newPassword": "another one"]).error
        == "EXPIRED_OOB_CODE")
  }

  @Test("Security 38: A code for an old address is void when the address changes")
  func addressChanges() async throws {
    let fixture = try IdentityFixture()
    let uid = try await fixture.signUp("old@example.com").localID
    _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "old@example.com"])
    let code = try await fixture.mailedCode()
    // An administrator's change of the record, which does not void the codes itself.
    try await fixture.change(uid) { $0.email = "new@example.com" }
    #expect(
      try await fixture.post("accounts:resetPassword", ["oobCode": .string(code), "newPassword": "another one"]).error
        == "INVALID_OOB_CODE")
    // Another user gets the old address: the code is not valid for that account either.
    let other = try await fixture.signUp("old@example.com").localID
    #expect(
      try await fixture.post("accounts:resetPassword", ["oobCode": .string(code), "newPassword": "another one"]).error
        == "INVALID_OOB_CODE")
    #expect(try await fixture.signIn("old@example.com").localID == other)
  }

  @Test("Security 39: A reset ends other codes and sessions, notifies the owner, and does not bypass a second factor")
  func reset() async throws {
    let fixture = try IdentityFixture()
    let signedUp = try await fixture.signUp("a@b.example")
    _ = try await fixture.sendCode("VERIFY_EMAIL", ["idToken": .string(signedUp.idToken)])
    let verify = try await fixture.mailedCode()
    fixture.accountsFixture.advance(seconds: 61)
    _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "a@b.example"])
    let reset = try await fixture.mailedCode()
    let sealed = try fixture.accounts.keys.seal(Array("12345678901234567890".utf8))
    try await fixture.change(signedUp.localID) {
      $0.isEmailVerified = true
      $0.factors = [
        SecondFactor(
          id: "f", kind: .totp(sealedSecret: sealed, lastAcceptedStep: -1), displayName: nil, enrolledAtMilliseconds: 1)
      ]
    }
    let answer = try await fixture.post(
      "accounts:resetPassword", ["oobCode": .string(reset), "newPassword": "another one"])
    #expect(answer.json["email"] == "a@b.example")
    #expect(answer.json["requestType"] == "PASSWORD_RESET")
    #expect(answer.json["idToken"] == nil)
    #expect(try await fixture.refresh(signedUp.refreshToken).error == "TOKEN_EXPIRED")
    #expect(try await fixture.post("accounts:update", ["oobCode": .string(verify)]).error == "INVALID_OOB_CODE")
    #expect(fixture.user(signedUp.localID)?.isEmailVerified == true)
    #expect(await fixture.mails().last?.kind == .passwordChanged)
    let signIn = try await fixture.signIn("a@b.example", "another one")
    #expect(signIn.json["mfaPendingCredential"] != nil && signIn.json["idToken"] == nil)
    #expect(fixture.auditedKinds.contains("reset_done"))
  }

  @Test("A refused weak password does not use the code up")
  func weakPassword() async throws {
    let fixture = try IdentityFixture()
    _ = try await fixture.signUp("a@b.example")
    _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "a@b.example"])
    let code = try await fixture.mailedCode()
    let body: JSON = ["oobCode": .string(code), "newPassword": "12345"]
    #expect(
      try await fixture.post("accounts:resetPassword", body).error
        == "WEAK_PASSWORD : Password should be at least 6 characters")
    #expect(
      try await fixture.post("accounts:resetPassword", ["oobCode": .string(code), "newPassword": "123456"]).status
        == 200)
  }

  @Test("Security 40: Inspecting a code has no effect")
  func inspecting() async throws {
    let fixture = try IdentityFixture()
    _ = try await fixture.signUp("a@b.example")
    _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "a@b.example"])
    let code = try await fixture.mailedCode()
    for _ in 0..<10 {
      let inspected = try await fixture.post("accounts:resetPassword", ["oobCode": .string(code)])
      #expect(inspected.json["email"] == "a@b.example")
      #expect(fixture.accounts.changes.codes.inspect(code)?.purpose == .resetPassword)
    }
    #expect(
      try await fixture.post("accounts:resetPassword", ["oobCode": .string(code), "newPassword": "123456"]).status
        == 200)
    #expect(fixture.accounts.changes.codes.inspect(code) == nil)
  }

  @Test(
    "Security 41: A continue URL leads to listed hosts only",
    arguments: [
      ("https://app.example.com/done?a=b", nil), ("http://localhost:3000/", nil), ("HTTPS://APP.EXAMPLE.COM", nil),
      ("https://auth.example.com/x", nil), ("https://evil.example/", "UNAUTHORIZED_DOMAIN"),
      ("//evil.example", "INVALID_CONTINUE_URI"), ("javascript:alert(1)", "INVALID_CONTINUE_URI"),
      ("javascript://app.example.com/%0aalert(1)", "INVALID_CONTINUE_URI"),
      ("data:text/html,x", "INVALID_CONTINUE_URI"),
      ("https://app.example.com@evil.example/", "INVALID_CONTINUE_URI"),
      ("https://evil.example\\@app.example.com/", "INVALID_CONTINUE_URI"),
      ("https://app.example.com.evil.example/", "UNAUTHORIZED_DOMAIN"),
      ("https://app.example.com./", "UNAUTHORIZED_DOMAIN"), ("https://xn--pp-yia.example.com/", "UNAUTHORIZED_DOMAIN"),
      ("https://аpp.example.com/", "INVALID_CONTINUE_URI"), ("https://app.example.com\n.evil/", "INVALID_CONTINUE_URI"),
      ("https:///app.example.com", "INVALID_CONTINUE_URI"), ("https://app.example.com:x/", "INVALID_CONTINUE_URI"),
      ("myapp://anything/here", nil), ("ftp://app.example.com/", "INVALID_CONTINUE_URI"),
      (" https://app.example.com/", "INVALID_CONTINUE_URI"), ("https:app.example.com", "INVALID_CONTINUE_URI"),
    ])
  func continueURL(_ url: String, _ error: String?) async throws {
    let fixture = try IdentityFixture {
      $0.authorizedDomains = ["localhost", "app.example.com"]
      $0.continueSchemes = ["myapp"]
    }
    _ = try await fixture.signUp("a@b.example")
    let answer = try await fixture.sendCode("PASSWORD_RESET", ["email": "a@b.example", "continueUrl": .string(url)])
    #expect(answer.error.map { String($0.prefix { $0 != " " }) } == error)
    #expect(fixture.accounts.changes.codes.links.isAllowedContinueURL(url) == (error == nil))
    #expect(await fixture.mails().count == (error == nil ? 1 : 0))
  }

  @Test("Security 51: An update with a code applies the code and ignores other members")
  func updateWithCode() async throws {
    let fixture = try IdentityFixture()
    let signedUp = try await fixture.signUp("a@b.example")
    _ = try await fixture.sendCode("VERIFY_EMAIL", ["idToken": .string(signedUp.idToken)])
    let before = try #require(fixture.user(signedUp.localID))
    let answer = try await fixture.post(
      "accounts:update",
      [
        "oobCode": .string(try await fixture.mailedCode()), "displayName": "Eve", "password": "another one",
        "email": "eve@example.com", "customAttributes": "{\"admin\":true}", "localId": "other",
        "deleteProvider": ["password"], "disableUser": true,
      ])
    #expect(answer.status == 200)
    var expected = before
    expected.isEmailVerified = true
    #expect(fixture.user(signedUp.localID) == expected)
  }

  @Test("Only administrators get the link in the response, and mails need a mailer")
  func links() async throws {
    let fixture = try IdentityFixture(hasMailer: false)
    _ = try await fixture.signUp("a@b.example")
    let body: JSON = ["requestType": "PASSWORD_RESET", "email": "a@b.example", "returnOobLink": true]
    #expect(try await fixture.post("accounts:sendOobCode", body).error?.hasPrefix("INSUFFICIENT_PERMISSION") == true)
    let answer = try await fixture.post(
      "/v1/projects/demo-test/accounts:sendOobCode", body, authority: .administrator("test"))
    #expect(answer.json["oobLink"]?.string?.contains(answer.json["oobCode"]?.string ?? "-") == true)
    #expect(
      try await fixture.post(
        "/v1/projects/demo-test/accounts:sendOobCode",
        ["requestType": "PASSWORD_RESET", "email": "nobody@b.example", "returnOobLink": true],
        authority: .administrator("test")
      ).error == "EMAIL_NOT_FOUND")
    #expect(
      try await fixture.sendCode("PASSWORD_RESET", ["email": "a@b.example"]).error?.hasPrefix("OPERATION_NOT_ALLOWED")
        == true)
  }

  @Test("A reset is mailed although another mail was just sent to the address; a second reset within a minute is not")
  func resetAfterVerification() async throws {
    let fixture = try IdentityFixture()
    let user = try await fixture.signUp("ann@example.com")
    let verification: JSON = ["idToken": .string(user.idToken)]
    #expect(try await fixture.sendCode("VERIFY_EMAIL", verification).status == 200)
    #expect(try await fixture.sendCode("VERIFY_EMAIL", verification).error?.hasPrefix("QUOTA_EXCEEDED") == true)
    for _ in 0..<2 {
      #expect(try await fixture.sendCode("PASSWORD_RESET", ["email": "ann@example.com"]).status == 200)
    }
    #expect(await fixture.mails().map(\.kind) == [.verifyEmail, .resetPassword])
    let open = try IdentityFixture { $0.limits.mailsPerAddressPerMinute = 3 }
    let other = try await open.signUp("ann@example.com")
    for number in 0..<4 {
      let answer = try await open.sendCode("VERIFY_EMAIL", ["idToken": .string(other.idToken)])
      #expect((answer.status == 200) == (number < 3), "\(answer.text)")
    }
  }

  @Test("Codes are kept as hashes only")
  func storedHashed() async throws {
    let fixture = try IdentityFixture()
    _ = try await fixture.signUp("a@b.example")
    _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "a@b.example"])
    let code = try await fixture.mailedCode()
    #expect(Base64URL.decode(code.utf8)?.count == 32)
    let ticket = try #require(fixture.accounts.store.view.ticket(Digest(sha256: code.utf8)))
    #expect(!"\(ticket)".contains(code))
  }
}
