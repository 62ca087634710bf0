import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

@Suite struct CaptchaTests {
  private func fixture(_ change: @escaping (inout CaptchaSettings) -> Void = { _ in }) throws -> PhoneFixture {
    try PhoneFixture { configuration in
      var captcha = CaptchaSettings(service: .turnstile, siteKey: "site-key", secret: "the-secret")
      change(&captcha)
      configuration.phone.captcha = captcha
      configuration.limits.messagesPerNumberPerMinute = 100
    }
  }

  private func ask(_ phone: PhoneFixture, _ token: JSON) async throws -> String {
    try await phone.ask(PhoneFixture.number, ["recaptchaToken": token, "captchaResponse": "NO_RECAPTCHA"]).error
      ?? "sent"
  }

  @Test("Security 69: where a captcha is required, each message needs a valid token, once")
  func tokens() async throws {
    let phone = try fixture()
    #expect(try await ask(phone, .null).hasPrefix("MISSING_APP_CREDENTIAL"))
    #expect(phone.captchas.forms.isEmpty)
    #expect(try await ask(phone, "bad") == "CAPTCHA_CHECK_FAILED")
    #expect(try await ask(phone, "good-1") == "sent")
    #expect(try await ask(phone, "good-1") == "CAPTCHA_CHECK_FAILED")
    let form = try #require(phone.captchas.forms.first)
    #expect(form["secret"] == "the-secret" && form["response"] == "bad")
    #expect(form["url"] == "https://challenges.cloudflare.com/turnstile/v0/siteverify")
    await phone.fixture.accounts.context.server.texts.idle()
    #expect(phone.phones.messages.count == 1)
  }

  @Test("the token of the enterprise widget is valid as well")
  func enterpriseToken() async throws {
    let phone = try fixture()
    #expect(try await phone.ask(PhoneFixture.number, ["captchaResponse": "good"]).status == 200)
  }

  @Test("web clients get the widget's key, or a placeholder without a captcha")
  func parameters() async throws {
    let told = try await fixture().fixture.post("/v1/recaptchaParams", method: "GET")
    #expect(told.json["recaptchaSiteKey"] == "site-key" && told.json["recaptchaStoken"]?.string?.isEmpty == false)
    let none = try await PhoneFixture().fixture.post("/v1/recaptchaParams", method: "GET")
    #expect(none.json["recaptchaSiteKey"]?.string?.isEmpty == false)
  }

  @Test("a token of another page, and one with a low score, are refused")
  func hostAndScore() async throws {
    let phone = try fixture { captcha in (captcha.hostnames, captcha.scoreMin) = (["app.example.com"], 60) }
    let answers: [(JSON, Bool)] = [
      (["success": true, "hostname": "app.example.com", "score": .double(0.6)], true),
      (["success": true, "hostname": "App.example.com"], true),
      (["success": true, "hostname": "app.example.com", "score": .double(0.59)], false),
      (["success": true, "hostname": "app.example.com", "score": 0], false),
      (["success": true, "hostname": "evil.example"], false), (["success": true], false),
      (["success": false, "hostname": "app.example.com"], false),
    ]
    for (answer, isTaken) in answers {
      phone.captchas.answer(answer)
      #expect(try await ask(phone, "good") == (isTaken ? "sent" : "CAPTCHA_CHECK_FAILED"), "\(answer)")
      phone.fixture.accountsFixture.advance(seconds: 3_700)
    }
  }

  @Test("an unreachable or invalid captcha service refuses messages, and the operator is notified")
  func away() async throws {
    let phone = try fixture()
    for answer in [nil, "no" as JSON, [:], ["success": "true"]] as [JSON?] {
      phone.captchas.answer(answer)
      let refused = try await phone.ask(PhoneFixture.number, ["recaptchaToken": "good"])
      #expect(refused.status == 503, "\(refused.text)")
    }
    #expect(phone.fixture.accountsFixture.notices.contains { $0.text.contains("returned an unexpected response") })
    phone.captchas.answer(["success": false, "error-codes": ["invalid-input-secret"]])
    #expect(try await ask(phone, "good") == "CAPTCHA_CHECK_FAILED")
    #expect(phone.fixture.accountsFixture.notices.contains { $0.text.contains("refused the secret") })
    #expect(!phone.fixture.accountsFixture.notices.contains { $0.text.contains("the-secret") })
    await phone.fixture.accounts.context.server.texts.idle()
    #expect(phone.phones.messages.isEmpty)
  }

  @Test("after thirty refused tokens the service is not called for that network for a while")
  func flood() async throws {
    let phone = try fixture()
    for number in 0..<30 { #expect(try await ask(phone, .string("bad-\(number)")) == "CAPTCHA_CHECK_FAILED") }
    #expect(try await ask(phone, "good").hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER"))
    #expect(phone.captchas.forms.count == 30)
    #expect(try await phone.ask(PhoneFixture.number, ["recaptchaToken": "good"], address: "198.51.100.1").status == 200)
  }
}
