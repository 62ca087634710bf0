import HearthPlugin
import HearthTree
import RandomTestKit
import Testing

@Suite struct MessageTests {
  static func json(_ text: String) throws -> JSON { try #require(JSON(parsing: text.utf8)) }

  @Test("messages have the form that the guide shows, and are encoded and decoded unchanged")
  func shapes() throws {
    let request = SignInRequest(
      id: "r1", providerID: "apikey", method: .credential, operation: .signIn, parameters: ["key": "k"],
      facts: ProviderFacts(projectID: "p", nowSeconds: 7))
    let json = try JSON(encoding: request)
    #expect(
      json
        == (try Self.json(
          """
          {"id":"r1","providerID":"apikey","method":"credential","operation":"signIn","parameters":{"key":"k"},
           "facts":{"projectID":"p","nowSeconds":7,"serviceAccounts":[]}}
          """)))
    #expect(try json.decoded(as: SignInRequest.self) == request)
  }

  @Test(
    "answers are decoded from a plugin's output",
    arguments: [
      (
        "{\"user\":{\"uid\":\"u\",\"claims\":{\"a\":[1,null,1.5]},\"new\":1}}",
        SignInAnswer.user(
          NamedUser(uid: "u", claims: .object([.init("a", .array([.int(1), .null, .double(1.5)]))])))
      ),
      ("{\"identity\":{\"rawID\":\"7\"}}", .identity(ForeignIdentity(rawID: "7"))),
      ("{\"refused\":{\"code\":\"INVALID_CREDENTIAL_OR_PROVIDER_ID\"}}", .refused(SignInRefusal(.invalidCredential))),
    ])
  func answers(text: String, answer: SignInAnswer) throws {
    #expect(try Self.json(text).decoded(as: SignInAnswer.self) == answer)
    #expect(try JSON(encoding: answer).decoded(as: SignInAnswer.self) == answer)
  }

  @Test(
    "an invalid answer is an error",
    arguments: [
      "{}", "[]", "null", "{\"user\":{}}", "{\"user\":{\"uid\":1}}", "{\"refused\":{\"code\":\"X\"}}",
      "{\"user\":{\"uid\":\"u\"},\"refused\":{\"code\":\"INVALID_CREDENTIAL_OR_PROVIDER_ID\"}}",
      "{\"user\":{\"uid\":\"u\",\"issuedAtSeconds\":1e300}}",
    ])
  func noAnswers(text: String) throws {
    let json = try Self.json(text)
    #expect(throws: DecodingError.self) { try json.decoded(as: SignInAnswer.self) }
  }

  @Test("a revocation with an unreadable part revokes everything")
  func revocations() throws {
    let digest = String(repeating: "a", count: 64)
    #expect(
      try PluginMessage(line: Array("{\"revoke\":{\"tokens\":[\"\(digest)\"],\"uids\":[\"u\"],\"new\":1}}".utf8))
        == .revoke(TokenRevocation(digests: [digest], uids: ["u"])))
    let many = (0...TokenRevocation.countMax).map { "\"\($0)\"" }.joined(separator: ",")
    for text in [
      "{\"everything\":true}", "{}", "[]", "null", "1", "{\"tokens\":[\"abc\"]}", "{\"tokens\":[1]}",
      "{\"uids\":\"u\"}",
      "{\"uids\":[]}", "{\"uids\":[\(many)]}", "{\"tokens\":[\"\(digest.uppercased())\"]}",
    ] {
      #expect(try PluginMessage(line: Array("{\"revoke\":\(text)}".utf8)) == .revoke(.everything), "\(text)")
    }
  }

  @Test("an answer about a token is one of two kinds, and times are integers")
  func tokenAnswers() throws {
    var token = VerifiedToken(uid: "u")
    token.cacheSeconds = 60
    #expect(
      try Self.json(#"{"verified":{"uid":"u","cacheSeconds":60,"new":1}}"#).decoded() == TokenAnswer.verified(token))
    #expect(try JSON(encoding: TokenAnswer.verified(token)).decoded() == TokenAnswer.verified(token))
    #expect(
      try Self.json(#"{"refused":{"reason":"expired"}}"#).decoded() == TokenAnswer.refused(TokenRefusal(.expired)))
    for text in [
      "{}", #"{"verified":{}}"#, #"{"refused":{}}"#, #"{"refused":{"reason":"x"}}"#,
      #"{"verified":{"uid":"u"},"refused":{"reason":"invalid"}}"#, #"{"verified":{"uid":"u","cacheSeconds":1e300}}"#,
    ] {
      let json = try Self.json(text)
      #expect(throws: DecodingError.self, "\(text)") { try json.decoded(as: TokenAnswer.self) }
    }
  }

  @Test("the more specific of two token selections is used")
  func selections() throws {
    let (whole, long, short) = (
      TokenSelection(issuers: ["https://id.example/a"]), TokenSelection(issuers: ["https://id.example/*"]),
      TokenSelection(issuers: ["*"], opaquePrefixes: ["", "s_"])
    )
    let issuer = "https://id.example/a"
    let fits = try [whole, long, short].map { try #require($0.fit(issuer: issuer)) }
    #expect(fits[0] > fits[1] && fits[1] > fits[2])
    #expect(whole.fit(issuer: issuer + "b") == nil && long.fit(issuer: "https://id.example") == nil)
    #expect(short.fit(issuer: "") != nil && whole.fit(issuer: "") == nil && TokenSelection().fit(opaque: "x") == nil)
    let opaque = try ["s_1", "t_1"].map { try #require(short.fit(opaque: $0)) }
    #expect(opaque[0] > opaque[1])
    #expect(long.common(with: short) == nil && short.common(with: TokenSelection(opaquePrefixes: ["s_"])) == "s_")
  }

  @Test("verdicts are objects with one member")
  func verdicts() throws {
    #expect(try Self.json("{\"allow\":{}}").decoded() == HookVerdict.allow())
    #expect(try Self.json("{\"deny\":{\"message\":\"no\"}}").decoded() == HookVerdict.deny(message: "no"))
    var changes = HookChanges(sessionClaims: .object([.init("vip", .bool(true))]))
    changes.displayName = .cleared
    let text = "{\"allow\":{\"displayName\":null,\"sessionClaims\":{\"vip\":true}}}"
    #expect(try JSON(encoding: HookVerdict.allow(changes)) == Self.json(text))
    #expect(try Self.json(text).decoded() == HookVerdict.allow(changes))
  }

  @Test(
    "a line that is not a message is a fault, and causes no trap",
    arguments: [
      "", "{", "[]", "7", "{\"id\":-1,\"output\":1}", "{\"id\":1}", "{\"id\":1e400,\"output\":1}",
      "{\"id\":\"1\",\"output\":1}",
      "{\"hello\":1}", "{\"hello\":{\"protocol\":1e300}}", "\u{FEFF}{}",
    ])
  func faults(line: String) {
    #expect(throws: PluginFault.self) { try PluginMessage(line: Array(line.utf8)) }
  }

  @Test("random bytes are faults or messages, and cause no trap")
  func fuzz() {
    var random = SeededRandom(seed: 3)
    let base = Array(
      "{\"id\":12,\"error\":{\"message\":\"x\",\"isTemporary\":true},\"hello\":{\"protocol\":1,\"hooks\":[]}}".utf8)
    for _ in 0..<5_000 {
      var line = base
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        line[Int.random(in: 0..<line.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      _ = try? PluginMessage(line: line)
    }
  }

  @Test("printed messages contain no secrets")
  func printing() {
    let secret = JSON.object([.init("key", .string("s3cret"))])
    let request = PluginRequest(id: 1, hook: .exchange, deadlineMilliseconds: 1, input: secret)
    let hello = HostHello(server: "s", plugin: "p", worker: 0, settings: secret)
    for text in ["\(request)", "\(hello)", "\(HostMessage.request(request))", "\(HostMessage.hello(hello))"] {
      #expect(!text.contains("s3cret"))
    }
    var dumped = ""
    dump(HostMessage.hello(hello), to: &dumped)
    #expect(!dumped.contains("s3cret"))
  }
}
