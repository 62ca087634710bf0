import HearthPlugin
import HearthTestKit
import HearthTree
import Synchronization
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

/// A server whose codes go to phones, with an app that requests them.
struct PhoneFixture {
  static let number = "+4915112345678"

  let fixture: IdentityFixture
  let phones: FakePhones
  let captchas: FakeCaptcha

  init(configure: (inout AccountsConfiguration) -> Void = { _ in }) throws {
    let (phones, captchas) = (FakePhones(), FakeCaptcha())
    (self.phones, self.captchas) = (phones, captchas)
    fixture = try IdentityFixture(texts: phones, captchas: captchas) { configuration in
      configuration.signIn = [PluginChoice("phone")]
      configuration.phone.secondFactor = true
      configuration.phone.regions = .only(["DE", "AT"])
      configure(&configuration)
    }
  }

  func ask(_ number: String, _ more: JSON = [:], address: String = "192.0.2.1") async throws -> IdentityFixture.Answer {
    try await fixture.post(
      "accounts:sendVerificationCode",
      .object([.init("phoneNumber", .string(number))] + (more.members ?? [])), address: address)
  }

  /// Requests a code and reads it on the phone.
  func code(
    _ number: String = number, address: String = "192.0.2.1"
  ) async throws -> (sessionInfo: JSON, code: JSON) {
    let sent = try await ask(number, address: address)
    let sessionInfo = try #require(sent.json["sessionInfo"], "\(sent.text)")
    return (sessionInfo, try await read(number))
  }

  /// Returns the code in the last message to a number.
  func read(_ number: String = number) async throws -> JSON {
    await fixture.accounts.context.server.texts.idle()
    let message = try #require(phones.messages.last { $0.to == number })
    #expect(message.kind == .code)
    return .string(String(message.text.prefix(6)))
  }

  func signIn(_ members: JSON, address: String = "192.0.2.1") async throws -> IdentityFixture.Answer {
    try await fixture.post("accounts:signInWithPhoneNumber", members, address: address)
  }

  /// Returns a code other than `code`.
  static func wrong(_ code: JSON) -> JSON { code == "000000" ? "000001" : "000000" }
}

/// A sender that keeps the messages instead of sending them.
final class FakePhones: SMSSender {
  private let kept = Mutex<[SMSMessage]>([])

  var messages: [SMSMessage] { kept.withLock { $0 } }
  func send(_ message: SMSMessage) async throws { kept.withLock { $0.append(message) } }
}

/// A captcha service that accepts tokens with the prefix `good`, each once.
final class FakeCaptcha: CaptchaService {
  private let state = Mutex<(forms: [[String: String]], answer: [UInt8]?, isDown: Bool)>(([], nil, false))

  var forms: [[String: String]] { state.withLock { $0.forms } }

  /// Sets the answer from now on; nil for no answer.
  func answer(_ json: JSON?) {
    state.withLock { ($0.answer, $0.isDown) = (json?.text(), json == nil) }
  }

  func ask(_ url: String, form: [(name: String, value: String)]) async -> [UInt8]? {
    state.withLock { state in
      let fields = Dictionary(form.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
      let isNew = !state.forms.contains { $0["response"] == fields["response"] }
      state.forms.append(fields.merging(["url": url]) { first, _ in first })
      if state.isDown { return nil }
      if let answer = state.answer { return answer }
      let isGood = isNew && fields["response"]?.hasPrefix("good") == true
      return JSON.object([.init("success", .bool(isGood))]).text()
    }
  }
}
