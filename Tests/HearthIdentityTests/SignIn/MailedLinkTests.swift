import Foundation
import HearthPlugin
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

@Suite struct MailedLinkTests {
  @Test("Security 42: Links have the configured origin for any Host header")
  func hostPoisoning() async throws {
    let fixture = try IdentityFixture()
    _ = try await fixture.signUp("a@b.example")
    for host in ["evil.example", "identitytoolkit.googleapis.com"] {
      fixture.accountsFixture.advance(seconds: 61)
      _ = try await fixture.post(
        "/v1/accounts:sendOobCode", ["requestType": "PASSWORD_RESET", "email": "a@b.example"], host: host)
      let link = try #require(await fixture.mails().last?.link)
      #expect(link.hasPrefix("https://auth.example.com/__/auth/action?mode=resetPassword&oobCode="))
      #expect(!link.contains("evil"))
    }
  }

  @Test("Security 43: Names and addresses cannot inject into a mail's header or markup")
  func headerInjection() async throws {
    let fixture = try IdentityFixture { $0.mail.appName = "My\r\nBcc: x@evil.example app" }
    let signedUp = try await fixture.signUp("a@b.example")
    try await fixture.change(signedUp.localID) { $0.isEmailVerified = true }
    _ = try await fixture.update(
      signedUp.idToken,
      ["displayName": "Eve\r\nBcc: all@evil.example\r\n\r\n<script>alert(1)</script>\u{2028}\u{202E}x"])
    _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "a@b.example"])
    let mail = try #require(await fixture.mails().last)
    for field in [mail.subject, mail.fromName, mail.fromAddress, mail.to] {
      #expect(field.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x2028 })
    }
    #expect(!mail.html.contains("<script"))
    #expect(mail.text.split(separator: "\n").first?.contains("Bcc: all@evil.example") == true)
    #expect(!mail.text.contains("\r"))
    #expect(
      try await fixture.sendCode("PASSWORD_RESET", ["email": "a@b.example\r\nBcc: x@evil.example"]).error
        == "INVALID_EMAIL")
  }

  @Test("A verified address: the code works once and for the address it was sent to")
  func verifyEmail() async throws {
    let fixture = try IdentityFixture()
    let signedUp = try await fixture.signUp("a@b.example")
    _ = try await fixture.sendCode("VERIFY_EMAIL", ["idToken": .string(signedUp.idToken)])
    let code = try await fixture.mailedCode()
    let answer = try await fixture.post("accounts:update", ["oobCode": .string(code)])
    #expect(answer.json["emailVerified"] == true)
    #expect(fixture.user(signedUp.localID)?.isEmailVerified == true)
    #expect(try await fixture.post("accounts:update", ["oobCode": .string(code)]).error == "INVALID_OOB_CODE")
    // Verification is not a change of credentials.
    #expect(try await fixture.lookup(signedUp.idToken).status == 200)
  }

  @Test("An address is changed by a code mailed to the new one, and restored by a code mailed to the old")
  func changeAndRecover() async throws {
    let fixture = try IdentityFixture()
    let signedUp = try await fixture.signUp("old@example.com")
    let direct = try await fixture.update(signedUp.idToken, ["email": "new@example.com"])
    #expect(direct.error?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
    _ = try await fixture.sendCode(
      "VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(signedUp.idToken), "newEmail": "new@example.com"])
    #expect(await fixture.mails().last?.to == "new@example.com")
    let code = try await fixture.mailedCode()
    let inspected = try await fixture.post("accounts:resetPassword", ["oobCode": .string(code)])
    #expect(inspected.json["email"] == "old@example.com")
    #expect(inspected.json["newEmail"] == "new@example.com")
    let changed = try await fixture.post("accounts:update", ["oobCode": .string(code)])
    #expect(changed.json["email"] == "new@example.com" && changed.json["emailVerified"] == true)
    #expect(try await fixture.refresh(signedUp.refreshToken).error == "TOKEN_EXPIRED")
    let notice = try #require(await fixture.mails().last)
    #expect(notice.kind == .recoverEmail && notice.to == "old@example.com")
    let recovered = try await fixture.post("accounts:update", ["oobCode": .string(try await fixture.mailedCode())])
    #expect(recovered.json["email"] == "old@example.com")
    #expect(fixture.user(signedUp.localID)?.email == "old@example.com")
    #expect(try await fixture.signIn("new@example.com").error == "INVALID_LOGIN_CREDENTIALS")
  }

  @Test("An e-mail link signs in once, and creates the account when there is none")
  func emailLink() async throws {
    let fixture = try IdentityFixture()
    let request: JSON = ["email": "a@b.example", "continueUrl": "http://localhost/x", "canHandleCodeInApp": true]
    #expect(try await fixture.sendCode("EMAIL_SIGNIN", ["email": "a@b.example"]).error == "MISSING_CONTINUE_URI")
    _ = try await fixture.sendCode("EMAIL_SIGNIN", request)
    let code = try await fixture.mailedCode()
    #expect(try await fixture.post("accounts:resetPassword", ["oobCode": .string(code)]).json["email"] == nil)
    let answer = try await fixture.post(
      "accounts:signInWithEmailLink", ["email": "A@b.example", "oobCode": .string(code)])
    #expect(answer.json["isNewUser"] == true)
    #expect(try fixture.claims(answer.idToken)["email_verified"] == .bool(true))
    #expect(try fixture.claims(answer.idToken)["firebase"]?["sign_in_provider"] == .string("password"))
    #expect(
      try await fixture.post("accounts:signInWithEmailLink", ["email": "a@b.example", "oobCode": .string(code)]).error
        == "INVALID_OOB_CODE")
    fixture.accountsFixture.advance(seconds: 61)
    _ = try await fixture.sendCode("EMAIL_SIGNIN", request)
    let again = try await fixture.post(
      "accounts:signInWithEmailLink", ["email": "a@b.example", "oobCode": .string(try await fixture.mailedCode())])
    #expect(again.json["isNewUser"] == false && again.localID == answer.localID)
  }

  @Test("Security 37: Five attempts with a wrong address void a link")
  func wrongAddresses() async throws {
    let fixture = try IdentityFixture()
    _ = try await fixture.sendCode("EMAIL_SIGNIN", ["email": "a@b.example", "continueUrl": "http://localhost/"])
    let code = try await fixture.mailedCode()
    for number in 0..<5 {
      #expect(
        try await fixture.post(
          "accounts:signInWithEmailLink", ["email": .string("e\(number)@b.example"), "oobCode": .string(code)]
        ).error?.hasPrefix("INVALID_EMAIL : ") == true)
    }
    #expect(
      try await fixture.post("accounts:signInWithEmailLink", ["email": "a@b.example", "oobCode": .string(code)]).error
        == "INVALID_OOB_CODE")
  }
}
