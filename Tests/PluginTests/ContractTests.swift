import Foundation
import HearthPlugin
import HearthTree
import Testing

@Suite struct ContractTests {
  /// Returns a message encoded and decoded, as a child process or a webhook receives it.
  static func copied<Message: Codable>(_ message: Message) throws -> Message {
    try JSONDecoder().decode(Message.self, from: try JSONEncoder().encode(message))
  }

  @Test("a request is encoded and decoded unchanged")
  func request() throws {
    let request = Requests.make(
      .credential, ["id_token": "a.b.c", "nonce": "n"], operation: .link,
      serviceAccounts: [.init(email: "a@b", publicKeys: ["k": "pem"])])
    #expect(try Self.copied(request) == request)
  }

  @Test("credentials are not printed")
  func printing() throws {
    let mail = MailMessage(
      kind: .resetPassword, to: "bob@example.com", fromName: "Hearth", fromAddress: "app@example.com", subject: "Reset",
      text: "https://a.example/?oobCode=hidden", html: "hidden", link: "https://a.example/?oobCode=hidden")
    let values: [Any] = [
      Requests.make(.password, ["email": "a@b.c", "password": "hidden"]),
      SignInAnswer.password(PasswordProof(email: "a@b.c", password: "hidden")),
      SignInAnswer.emailCode(EmailCodeProof(email: "a@b.c", code: "hidden")), mail,
      try Requests.settings(#"{"password": "hidden"}"#),
    ]
    for value in values {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value)", String(reflecting: value), dumped] { #expect(!text.contains("hidden"), "\(text)") }
    }
  }

  @Test("every kind of answer is encoded and decoded unchanged")
  func answers() throws {
    var identity = ForeignIdentity(rawID: "7", email: "a@b.c", isEmailVerified: true)
    identity.profile = .object([.init("n", .int(1)), .init("x", .array([.null, .bool(true), .double(0.5)]))])
    let answers: [SignInAnswer] = [
      .identity(identity), .user(NamedUser(uid: "u", claims: .object([.init("a", .string("b"))]))), .anonymous,
      .password(PasswordProof(email: "a@b.c", password: " p\u{0} ")),
      .emailCode(EmailCodeProof(email: "a@b.c", code: "c")), .refused(SignInRefusal(.weakPassword, "text")),
    ]
    for answer in answers { #expect(try Self.copied(answer) == answer) }
  }
}
