import Foundation
import HearthPlugin
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

/// Tests of attackers who hold another user's token or password, and of the owner's remedies.
@Suite struct TakeoverTests {
  @Test("Claims that were removed from an account are not kept by a session that a client continues")
  func withdrawnClaims() async throws {
    let fixture = try IdentityFixture()
    let uid = try await fixture.signUp("a@b.example").localID
    try await fixture.change(uid) { $0.customAttributes = "{\"admin\":true}" }
    let token = try await fixture.signIn("a@b.example").idToken
    #expect(try fixture.claims(token)["admin"] == .bool(true))
    try await fixture.change(uid) { $0.customAttributes = nil }
    let linked = try await fixture.federated("7~x@y.example~yes", ["idToken": .string(token)])
    #expect(try fixture.claims(linked.idToken)["admin"] == nil)
    #expect(try fixture.claims(try await fixture.refresh(linked.refreshToken).idToken)["admin"] == nil)
    let changed = try await fixture.update(token, ["password": "another one"])
    #expect(try fixture.claims(changed.idToken)["admin"] == nil)
    #expect(try fixture.claims(try await fixture.refresh(changed.refreshToken).idToken)["admin"] == nil)
  }

  @Test("Session claims are kept per session")
  func sessionClaims() async throws {
    let fixture = try IdentityFixture()
    let editor = try await fixture.post("accounts:signInWithCustomToken", ["token": "bob:{\"role\":\"ed\"}"])
    let plain = try await fixture.post("accounts:signInWithCustomToken", ["token": "bob"])
    let linked = try await fixture.federated("7~~no", ["idToken": .string(editor.idToken)])
    #expect(try fixture.claims(try await fixture.refresh(linked.refreshToken).idToken)["role"] == .string("ed"))
    let upgraded = try await fixture.post(
      "accounts:signUp",
      ["idToken": .string(linked.idToken), "email": "bob@example.com", "password": "123456", "returnSecureToken": true])
    #expect(try fixture.claims(try await fixture.refresh(upgraded.refreshToken).idToken)["role"] == .string("ed"))
    #expect(try fixture.claims(try await fixture.refresh(plain.refreshToken).idToken)["role"] == nil)
  }

  @Test("An address taken by an attacker is recovered, despite the attacker's later changes")
  func recovery() async throws {
    let fixture = try IdentityFixture { $0.protectsFromEnumeration = false }
    let uid = try await fixture.signUp("owner@example.com").localID
    var token = try await fixture.signIn("owner@example.com").idToken
    token = try await fixture.update(token, ["email": "thief@example.com"]).idToken
    let owners = try await fixture.code(mailedTo: "owner@example.com")
    token = try await fixture.update(token, ["email": "thief2@example.com"]).idToken
    let thiefs = try await fixture.code(mailedTo: "thief@example.com")
    token = try await fixture.update(token, ["password": "the thief's own"]).idToken
    fixture.accountsFixture.advance(seconds: 61)
    _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "thief2@example.com"])
    let reset = try await fixture.code(mailedTo: "thief2@example.com")
    #expect(
      try await fixture.post("accounts:resetPassword", ["oobCode": .string(reset), "newPassword": "thief again"]).status
        == 200)
    #expect(
      try await fixture.post("accounts:update", ["oobCode": .string(thiefs)]).json["email"] == "thief@example.com")
    let recovered = try await fixture.post("accounts:update", ["oobCode": .string(owners)])
    #expect(recovered.json["email"] == "owner@example.com")
    #expect(fixture.user(uid)?.email == "owner@example.com")
    #expect(fixture.accounts.store.view.tickets(of: uid).isEmpty)
  }

  @Test("A recovered address is not lost by a code mailed to the attacker")
  func recoveredForGood() async throws {
    let fixture = try IdentityFixture { $0.protectsFromEnumeration = false }
    let uid = try await fixture.signUp("owner@example.com").localID
    var token = try await fixture.signIn("owner@example.com").idToken
    // All within one second.
    token = try await fixture.update(token, ["email": "thief@example.com"]).idToken
    token = try await fixture.update(token, ["email": "thief2@example.com"]).idToken
    let owners = try await fixture.code(mailedTo: "owner@example.com")
    let thiefs = try await fixture.code(mailedTo: "thief@example.com")
    #expect(try await fixture.post("accounts:update", ["oobCode": .string(owners)]).status == 200)
    #expect(try await fixture.post("accounts:update", ["oobCode": .string(thiefs)]).error == "INVALID_OOB_CODE")
    #expect(fixture.user(uid)?.email == "owner@example.com")
  }

  @Test("A password reset by mail ends the lock that wrong passwords caused")
  func resetUnlocks() async throws {
    let fixture = try IdentityFixture { $0.limits.accountFailuresFree = 3 }
    _ = try await fixture.signUp("a@b.example")
    for _ in 0..<4 { _ = try await fixture.signIn("a@b.example", "wrong password", address: "198.51.100.9") }
    #expect(try await fixture.signIn("a@b.example").error?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
    _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "a@b.example"])
    _ = try await fixture.post(
      "accounts:resetPassword", ["oobCode": .string(try await fixture.mailedCode()), "newPassword": "another one"])
    #expect(try await fixture.signIn("a@b.example", "another one").status == 200)
  }

  @Test("The creator of an account with another person's address loses access once the owner resets the password")
  func resetOfUnproven() async throws {
    let fixture = try IdentityFixture()
    let uid = try await fixture.signUp("owner@b.example").localID
    try await fixture.change(uid) {
      $0.phoneNumber = "+15555550100"
      $0.factors = [SecondFactor(id: "f", kind: .phone("+15555550101"), displayName: nil, enrolledAtMilliseconds: 0)]
      $0.recoveryCodes = ["hash"]
    }
    _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "owner@b.example"])
    let reset = try await fixture.post(
      "accounts:resetPassword", ["oobCode": .string(try await fixture.mailedCode()), "newPassword": "another one"])
    #expect(reset.status == 200, "\(reset.text)")
    let user = try #require(fixture.user(uid))
    #expect(user.phoneNumber == nil && user.factors.isEmpty && user.recoveryCodes.isEmpty)
    #expect(fixture.accounts.store.view.user(phone: "+15555550100") == nil)
    #expect(try await fixture.signIn("owner@b.example", "another one").json["idToken"] != nil)
  }

  @Test("A session from before a second factor can neither remove it nor add another sign-in method")
  func sessionsFromBefore() async throws {
    let fixture = try IdentityFixture {
      $0.phone.secondFactor = true
      $0.phone.testNumbers = ["+15555550100": "123456"]
    }
    let thief = try await fixture.verified("a@b.example")
    let owner = try await fixture.enrol(thief.idToken, uid: thief.localID, members: [.init("recoveryCodes", true)])
    let withdrawn = try await fixture.post(
      "/v2/accounts/mfaEnrollment:withdraw",
      ["idToken": .string(thief.idToken), "mfaEnrollmentId": .string(owner.id)])
    #expect(withdrawn.error == "TOKEN_EXPIRED", "\(withdrawn.text)")
    let phone = try await fixture.post(
      "/v2/accounts/mfaEnrollment:start",
      ["idToken": .string(thief.idToken), "phoneEnrollmentInfo": ["phoneNumber": "+15555550100"]])
    #expect(phone.error == "TOKEN_EXPIRED", "\(phone.text)")
    #expect(fixture.user(thief.localID)?.factors.map(\.id) == [owner.id])
    let by = try await fixture.post(
      "/v2/accounts/mfaEnrollment:withdraw",
      ["idToken": .string(owner.answer.idToken), "mfaEnrollmentId": .string(owner.id)])
    #expect(by.status == 200, "\(by.text)")
  }

  @Test("Repeated changes do not flood an unproven mailbox")
  func mailFlood() async throws {
    let fixture = try IdentityFixture()
    let victim = try await fixture.signUp("victim@example.com")
    var token = victim.idToken
    for number in 0..<5 { token = try await fixture.update(token, ["password": .string("password \(number)")]).idToken }
    #expect(await fixture.mails().count == 1)
    // The owner of a verified mailbox is notified every time.
    try await fixture.change(victim.localID) { $0.isEmailVerified = true }
    for number in 0..<3 { token = try await fixture.update(token, ["password": .string("another \(number)")]).idToken }
    #expect(await fixture.mails().count == 4)
  }

  @Test("A signed-in client may test for taken addresses no more often than others")
  func linkProbes() async throws {
    let fixture = try IdentityFixture { $0.limits.signUpsPerHour = 3 }
    _ = try await fixture.signUp("known@example.com")
    let token = try await fixture.anonymous().idToken
    var errors: [String?] = []
    for _ in 0..<3 {
      errors.append(
        try await fixture.post(
          "accounts:signUp", ["idToken": .string(token), "email": "known@example.com", "password": "123456"]
        ).error)
    }
    #expect(errors[0...1] == ["EMAIL_EXISTS", "EMAIL_EXISTS"])
    #expect(errors[2]?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER : ") == true)
  }

  @Test("Nor may it test by changing an address together with a password")
  func changeProbes() async throws {
    let fixture = try IdentityFixture { $0.limits.signUpsPerHour = 3 }
    _ = try await fixture.signUp("known@example.com")
    let user = try #require(fixture.user(try await fixture.signUp("a@b.example").localID))
    let client = fixture.accountsFixture.client()
    await #expect(throws: AccountError(.emailExists)) {
      try await fixture.accounts.changes.addresses.set(
        of: user, to: "known@example.com", client: client, now: fixture.accountsFixture.now)
    }
    do {
      try await fixture.accounts.changes.addresses.set(
        of: user, to: "known@example.com", client: client, now: fixture.accountsFixture.now)
      Issue.record("nothing was thrown")
    } catch {
      #expect(error.code == .tooManyAttempts)
    }
  }

  @Test("However often tokens are ended within one second, the last time ends all earlier ones")
  func manyChanges() async throws {
    let fixture = try IdentityFixture()
    let uid = try await fixture.signUp("a@b.example").localID
    var token = try await fixture.signIn("a@b.example").idToken
    for number in 0..<40 {
      let last = token
      token = try await fixture.update(token, ["password": .string("password \(number)")]).idToken
      #expect(try fixture.standing(token) == .good && fixture.standing(last) == .ended)
    }
    try await fixture.accounts.sessions.revocations.revoke(uid: uid, client: fixture.accountsFixture.client())
    #expect(try fixture.standing(token) == .ended)
  }

  @Test("A lower limit of the password length does not lock out users with longer passwords")
  func longPasswords() async throws {
    let fixture = try IdentityFixture { $0.passwordPolicy.sizeBytesMax = 64 }
    let uid = try await fixture.signUp("a@b.example").localID
    let long = String(repeating: "long ", count: 30)
    let hash = try PasswordHash.make(long, cost: .developer, random: fixture.accountsFixture.random)
    try await fixture.change(uid) { $0.password?.hash = hash }
    #expect(try await fixture.signIn("a@b.example", long).status == 200)
    #expect(try await fixture.signIn("a@b.example", String(repeating: "x", count: 4_097)).status == 400)
  }

  @Test("Where clients cannot create accounts, a sign-in link is mailed only to existing ones, with the same response")
  func uselessLinks() async throws {
    let fixture = try IdentityFixture { $0.allowsSignUp = false }
    let user = fixture.accountsFixture.user("u1", email: "known@example.com")
    try await fixture.accounts.store.transact { (accounts) throws(AccountError) in try accounts.insert(user) }
    for email in ["unknown@example.com", "known@example.com"] {
      let answer = try await fixture.sendCode(
        "EMAIL_SIGNIN", ["email": .string(email), "continueUrl": "http://localhost/"])
      #expect(answer.status == 200 && answer.json["email"] == .string(email))
    }
    #expect(await fixture.mails().map(\.to) == ["known@example.com"])
  }

  @Test("Names keep joiners that their script needs, and lose line breaks and direction controls")
  func plainText() {
    #expect(PlainText.line("می\u{200C}نا", lengthMax: 64) == "می\u{200C}نا")
    #expect(PlainText.line("a\r\nb\u{2028}c\u{202E}d\u{200B}e", lengthMax: 64) == "a  b c d e")
  }

  @Test("Clients cannot put text into mails to other addresses")
  func names() async throws {
    let fixture = try IdentityFixture()
    let signedUp = try await fixture.signUp("victim@example.com")
    _ = try await fixture.update(signedUp.idToken, ["displayName": "You have won: prize.example"])
    _ = try await fixture.sendCode("VERIFY_EMAIL", ["idToken": .string(signedUp.idToken)])
    #expect(await fixture.mails().last?.text.contains("prize.example") == false)
    try await fixture.change(signedUp.localID) { $0.isEmailVerified = true }
    _ = try await fixture.sendCode(
      "VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(signedUp.idToken), "newEmail": "other@example.com"])
    #expect(await fixture.mails().last?.to == "other@example.com")
    #expect(await fixture.mails().last?.text.contains("prize.example") == false)
    fixture.accountsFixture.advance(seconds: 61)
    _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "victim@example.com"])
    #expect(await fixture.mails().last?.text.hasPrefix("Hello You have won") == true)
  }
}

extension IdentityFixture {
  /// Returns the code in the last mail to this address.
  func code(mailedTo address: String) async throws -> String {
    let link = try #require(await mails().last { $0.to == address }?.link)
    return try #require(URLComponents(string: link)?.queryItems?.first { $0.name == "oobCode" }?.value)
  }
}
