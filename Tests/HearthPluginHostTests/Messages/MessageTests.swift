import HearthPlugin
import HearthTree
import RandomTestKit
import Testing

@Suite struct MessageTests {
  static func json(_ text: String) throws -> JSON { try #require(JSON(parsing: text.utf8)) }

  @Test("messages of the contract have the shape that the guide shows, and come back the same")
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
    "answers are read from what a plugin writes",
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
    "what is no answer is an error",
    arguments: [
      "{}", "[]", "null", "{\"user\":{}}", "{\"user\":{\"uid\":1}}", "{\"refused\":{\"code\":\"X\"}}",
      "{\"user\":{\"uid\":\"u\"},\"refused\":{\"code\":\"INVALID_CREDENTIAL_OR_PROVIDER_ID\"}}",
      "{\"user\":{\"uid\":\"u\",\"issuedAtSeconds\":1e300}}",
    ])
  func noAnswers(text: String) throws {
    let json = try Self.json(text)
    #expect(throws: DecodingError.self) { try json.decoded(as: SignInAnswer.self) }
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
    "a line that is no message is a fault, and no trap",
    arguments: [
      "", "{", "[]", "7", "{\"id\":-1,\"output\":1}", "{\"id\":1}", "{\"id\":1e400,\"output\":1}",
      "{\"id\":\"1\",\"output\":1}",
      "{\"hello\":1}", "{\"hello\":{\"protocol\":1e300}}", "\u{FEFF}{}",
    ])
  func faults(line: String) {
    #expect(throws: PluginFault.self) { try PluginMessage(line: Array(line.utf8)) }
  }

  @Test("bytes at random are faults or messages, and no trap")
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

  @Test("what holds secrets shows none of them")
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
