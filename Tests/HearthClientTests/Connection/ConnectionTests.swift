import HearthTree
import HearthWire
import Testing

@testable import HearthClient

@Suite struct ConnectionTests {
  private let stats = #"send {"t":"d","d":{"r":0,"a":"s","b":{"c":{"sdk.hearth.1-0-0":1}}}}"#

  static func listen(_ path: String) -> Request.Action { .listen(Request.Listen(path: Path(path), hash: "")) }
  static func put(_ path: String, _ value: Int64 = 1) -> Request.Action {
    .put(Request.Put(write: Write(location: Location(path: Path(path)), value: WriteValue(Node(.int(value))))))
  }

  @Test("an attempt: tokens, socket, hello, sign-in, and only then requests")
  func signsInFirst() throws {
    var fixture = try ConnectionFixture()
    #expect(fixture.handle(.open) == ["tokens 1"])
    #expect(
      fixture.handle(.tokens(attempt: 1, ConnectionTokens(credential: "a.b.c")))
        == ["open 1 ws://db.example:9000/.ws?v=5&ns=chat"])
    #expect(fixture.handle(.opened(attempt: 1)) == [])
    #expect(
      fixture.receive(ConnectionFixture.hello()) == [
        "tell hello 5000000", stats, #"send {"t":"d","d":{"r":1,"a":"auth","b":{"cred":"a.b.c"}}}"#,
      ])
    // No write and no listen is sent while the server decides.
    #expect(fixture.handle(.request(id: 7, Self.listen("x"))) == [])
    #expect(fixture.receive(ConnectionFixture.reply(0)) == [])
    #expect(
      fixture.receive(ConnectionFixture.reply(1, "ok", #"{"auth":{"uid":"u"}}"#)) == [
        #"tell authenticated {"auth":{"uid":"u"}}"#, "tell ready",
      ])
    #expect(
      fixture.handle(.request(id: 8, Self.listen("x"))) == [
        #"send {"t":"d","d":{"r":2,"a":"q","b":{"p":"/x","h":""}}}"#
      ])
    #expect(fixture.receive(ConnectionFixture.reply(2, "ok", "{}")) == ["tell reply 8 ok {}"])
    #expect(fixture.receive(ConnectionFixture.reply(2, "ok", "{}")) == [])
  }

  @Test("without a credential the connection is ready after the hello; a secret is sent as gauth")
  func signedOut() throws {
    var fixture = try ConnectionFixture()
    #expect(fixture.connect().suffix(4) == ["tell hello 5000000", "tell cleared", stats, "tell ready"])
    var other = try ConnectionFixture()
    #expect(other.connect(credential: "owner").last == #"send {"t":"d","d":{"r":1,"a":"gauth","b":{"cred":"owner"}}}"#)
  }

  @Test(
    "a lost connection is reported once; request numbers continue, the session is resumed, the retry counter is not")
  func reconnects() throws {
    var fixture = try ConnectionFixture()
    fixture.connect()
    fixture.handle(.request(id: 1, Self.put("a")))
    #expect(fixture.handle(.closed(attempt: 1, "gone")) == ["close 1", "tell lost"])
    #expect(fixture.handle(.closed(attempt: 1, "gone")) == [])
    let lines = fixture.waitForDeadline()
    #expect(lines == ["tokens \(fixture.attempt)"])
    let again = fixture.connect(hello: ConnectionFixture.hello(session: "s 2"))
    #expect(again.first == "open \(fixture.attempt) ws://db.example:9000/.ws?v=5&ns=chat&ls=s1")
    #expect(again.last == "tell ready")
    #expect(fixture.handle(.request(id: 2, Self.put("a"))).first?.contains("\"r\":2") == true)
    // An answer that arrives from the ended connection.
    #expect(fixture.handle(.received(attempt: 1, Array(ConnectionFixture.reply(1).utf8))) == [])
    fixture.handle(.closed(attempt: fixture.attempt, ""))
    fixture.waitForDeadline()
    #expect(fixture.connect().first?.hasSuffix("&ls=s%202") == true)
  }

  @Test(
    "a refused credential closes the connection and fetches a fresh one; after three in a row the usual delay applies")
  func refusedCredentials() throws {
    var fixture = try ConnectionFixture()
    for refusal in 1...3 {
      fixture.connect(credential: "a.b.c")
      let number = fixture.connection.lastNumber
      let attempt = fixture.attempt
      #expect(
        fixture.receive(ConnectionFixture.reply(Int(number), "invalid_token", #""bad""#))
          == ["tell refused invalid_token", "close \(attempt)", "tell lost"])
      let before = fixture.now
      #expect(fixture.waitForDeadline() == ["tokens \(fixture.attempt) forced"])
      #expect((fixture.now - before >= 9_000) == (refusal == 3))
    }
    // Accepted: the count restarts.
    fixture.connect(credential: "a.b.c")
    fixture.receive(ConnectionFixture.reply(Int(fixture.connection.lastNumber), "ok", "{}"))
    #expect(fixture.connection.refusals == 0)
  }

  @Test("a revoked credential closes the connection and forces a refresh, and cancels no listener")
  func revoked() throws {
    var fixture = try ConnectionFixture()
    fixture.connect()
    #expect(
      fixture.receive(ConnectionFixture.push("ac", #"{"s":"expired_token","d":"Auth token is expired"}"#))
        == ["tell revoked expired_token", "close 1", "tell lost"])
    #expect(fixture.waitForDeadline() == ["tokens \(fixture.attempt) forced"])
    // The refresh failed as well: no socket without a token, and the next fetch is forced again.
    #expect(fixture.handle(.tokensFailed(attempt: fixture.attempt, "offline")) == [])
    #expect(fixture.waitForDeadline() == ["tokens \(fixture.attempt) forced"])
    #expect(fixture.handle(.tokens(attempt: fixture.attempt, ConnectionTokens())).first?.hasPrefix("open") == true)
  }

  @Test("a new credential is sent over the live socket in order; an equal one is not; nil signs out")
  func changesCredential() throws {
    var fixture = try ConnectionFixture()
    fixture.connect(credential: "a.b.c")
    fixture.receive(ConnectionFixture.reply(1, "ok", "{}"))
    #expect(fixture.handle(.credential("a.b.c")) == [])
    fixture.handle(.writable(attempt: 1, false))
    #expect(fixture.handle(.request(id: 1, Self.put("a")), .credential("d.e.f"), .request(id: 2, Self.put("b"))) == [])
    #expect(
      fixture.handle(.writable(attempt: 1, true)) == [
        #"send {"t":"d","d":{"r":2,"a":"p","b":{"p":"/a","d":1}}}"#,
        #"send {"t":"d","d":{"r":3,"a":"auth","b":{"cred":"d.e.f"}}}"#,
        #"send {"t":"d","d":{"r":4,"a":"p","b":{"p":"/b","d":1}}}"#,
      ])
    #expect(fixture.handle(.credential(nil)) == [#"send {"t":"d","d":{"r":5,"a":"unauth","b":{}}}"#])
    // The server's answer about the replaced credential is ignored.
    #expect(fixture.receive(ConnectionFixture.reply(3, "invalid_token", "\"\"")) == [])
    #expect(fixture.receive(ConnectionFixture.reply(5, "ok", "\"\"")) == ["tell cleared"])
  }

  @Test("signing out during a token fetch connects signed out")
  func signsOutDuringFetch() throws {
    var fixture = try ConnectionFixture()
    fixture.handle(.open)
    fixture.handle(.credential(nil))
    fixture.handle(.tokens(attempt: 1, ConnectionTokens(credential: "a.b.c")))
    fixture.handle(.opened(attempt: 1))
    #expect(fixture.receive(ConnectionFixture.hello()).last == "tell ready")
  }

  @Test("tokens of an abandoned attempt open no connection")
  func staleTokens() throws {
    var fixture = try ConnectionFixture()
    fixture.handle(.open)
    fixture.handle(.interrupt(.offline))
    #expect(fixture.handle(.tokens(attempt: 1, ConnectionTokens())) == [])
    #expect(fixture.handle(.resume(.offline)) == ["tokens \(fixture.attempt)"])
    #expect(fixture.handle(.tokens(attempt: 1, ConnectionTokens())) == [])
  }

  @Test("an App Check token is sent in the header and in a message, and its refusal does not end the connection")
  func appCheck() throws {
    var fixture = try ConnectionFixture()
    fixture.handle(.open)
    fixture.handle(.tokens(attempt: 1, ConnectionTokens(appCheck: "ticket")))
    #expect(fixture.connection.socketRequest.headers.contains(.init(name: "X-Firebase-AppCheck", value: "ticket")))
    fixture.handle(.opened(attempt: 1))
    #expect(
      fixture.receive(ConnectionFixture.hello()).last
        == #"send {"t":"d","d":{"r":1,"a":"appcheck","b":{"token":"ticket"}}}"#)
    #expect(fixture.receive(ConnectionFixture.reply(1, "invalid_token", "\"no\"")) == ["tell ready"])
    // A value that is invalid in a header is left out.
    fixture.connection.tokens.appCheck = "a\r\nHost: evil"
    #expect(fixture.connection.socketRequest.headers.count == 1)
  }

  @Test("responses to writes are delivered after earlier listens; at a disconnection they are delivered first")
  func holdsWriteAnswers() throws {
    var fixture = try ConnectionFixture()
    fixture.connect()
    fixture.handle(.request(id: 1, Self.listen("a")), .request(id: 2, Self.put("a")), .request(id: 3, Self.listen("b")))
    #expect(fixture.receive(ConnectionFixture.reply(2)) == [])
    fixture.handle(.request(id: 4, Self.listen("c")))
    #expect(fixture.receive(ConnectionFixture.reply(3, "ok", "{}")) == ["tell reply 3 ok {}"])
    #expect(fixture.receive(ConnectionFixture.reply(1, "ok", "{}")) == ["tell reply 1 ok {}", #"tell reply 2 ok """#])
    fixture.handle(.request(id: 5, Self.put("a")))
    #expect(fixture.receive(ConnectionFixture.reply(5, "datastale", "\"\"")) == [])
    #expect(fixture.handle(.closed(attempt: 1, "")) == ["close 1", #"tell reply 5 datastale """#, "tell lost"])
  }

  @Test("pushes: priorities by path, tags, empty merges, and missing data")
  func pushes() throws {
    var fixture = try ConnectionFixture()
    fixture.connect()
    func push(_ action: String, _ body: String) -> [String] { fixture.receive(ConnectionFixture.push(action, body)) }
    #expect(push("d", #"{"p":"a/b","d":{"x":1,".priority":2}}"#) == [#"tell put /a/b {"x":1,".priority":2}"#])
    #expect(push("d", #"{"d":null,"t":3,"p":"/"}"#) == ["tell put / null t3"])
    #expect(push("d", #"{"p":"a/.priority","d":5}"#) == ["tell put /a/.priority 5"])
    #expect(
      push("m", #"{"p":"a","d":{"x/y":1,"z":null,".priority":"p"}}"#) == [
        #"tell merge /a /x/y=1 /z=null /.priority="p""#
      ])
    #expect(push("m", #"{"p":"a","d":{}}"#) == [])
    #expect(push("d", #"{"p":"a"}"#) == [])
    #expect(push("d", #"{"d":1}"#) == [])
    #expect(push("rm", #"{"p":"a","d":[{"s":"b","m":{"c":1}},{"e":"b","m":null}],"t":1}"#) == ["tell ranges /a 2 t1"])
    #expect(push("c", #"{"p":"a"}"#) == ["tell cancel /a"])
    #expect(push("c", #"{"p":"a","q":[{"l":2,"vf":"r"}]}"#) == [#"tell cancel /a {"l":2,"vf":"r"}"#])
    #expect(push("sd", #"{"msg":"hi"}"#) == [])
    #expect(push("zz", "{}") == [])
    #expect(fixture.connection.phase == .connected)
  }

  @Test("a get's data is read as data of the tree, its refusal as text")
  func gets() throws {
    var fixture = try ConnectionFixture()
    fixture.connect()
    fixture.handle(.request(id: 1, .get(Request.Get(location: Location(path: Path("a"))))))
    fixture.handle(.request(id: 2, .get(Request.Get(location: Location(path: Path("a"))))))
    #expect(
      fixture.receive(ConnectionFixture.reply(1, "ok", #"["x",null,{".sv":1}]"#)) == [
        #"tell reply 1 ok node {"0":"x"}"#
      ])
    #expect(fixture.receive(ConnectionFixture.reply(2, "failed", #""Index""#)) == [#"tell reply 2 failed "Index""#])
  }
}
