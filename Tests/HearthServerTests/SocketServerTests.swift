import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

@Suite struct SocketServerTests {
  static let rules = """
    {"rules": {
      "public": {".read": true, ".write": true},
      "members": {".write": "auth != null"},
      "rooms": {"$room": {
        ".read": "auth != null && root.child('members/' + $room + '/' + auth.uid).exists()",
        ".write": "auth != null && root.child('members/' + $room + '/' + auth.uid).exists()"}}
    }}
    """

  private static func signIn(_ socket: LiveSocket, _ token: String) throws {
    socket.request("auth", "{\"cred\":\"\(token)\"}")
    let reply = try socket.next()
    #expect(reply.contains(" ok {\"auth\":{\"uid\":"))
  }

  @Test func theHelloNamesWhatTheClientDialled() async throws {
    try await TestServer.with { test throws in
      let socket = try test.socket()
      #expect(socket.hello.hasPrefix("{\"t\":\"c\",\"d\":{\"t\":\"h\",\"d\":{\"ts\":1"))
      #expect(socket.hello.contains("\"v\":\"5\",\"h\":\"localhost:9000\",\"s\":\""))
      #expect(socket.session.utf8.count == 32)
      socket.send(#"{"t":"c","d":{"t":"p","d":{}}}"#)
      #expect(try socket.receive() == #"{"t":"c","d":{"t":"o","d":null}}"#)
    }
  }

  @Test func twoUsersShareARoomUntilOneIsRemoved() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let (ann, bob) = (try test.socket(), try test.socket())
      try Self.signIn(ann, try test.token(uid: "ann"))
      try Self.signIn(bob, try test.token(uid: "bob"))
      ann.request("q", #"{"p":"/rooms/r","h":""}"#)
      #expect(try ann.next() == #"r 2 permission_denied "Permission denied""#)
      ann.request("p", #"{"p":"/members/r","d":{"ann":true,"bob":true}}"#)
      #expect(try ann.next() == #"r 3 ok """#)
      ann.request("q", #"{"p":"/rooms/r","h":""}"#)
      #expect(try ann.next() == "r 4 ok {}")
      bob.request("p", #"{"p":"/rooms/r/m1","d":{"text":"hi","ts":1}}"#)
      #expect(try bob.next() == #"r 2 ok """#)
      #expect(try ann.next() == #"d {"p":"rooms/r/m1","d":{"text":"hi","ts":1}}"#)
      bob.request("q", #"{"p":"/rooms/r","h":""}"#)
      #expect(try bob.next() == #"d {"p":"rooms/r","d":{"m1":{"text":"hi","ts":1}}}"#)
      #expect(try bob.next() == "r 3 ok {}")
      // Ann is removed and a message follows in the same read: her listen is cancelled before she receives it.
      bob.request("p", #"{"p":"/members/r/ann","d":null}"#)
      bob.request("m", #"{"p":"/rooms/r","d":{"m2":{"text":"secret"},"m1/text":"hey"}}"#)
      #expect(try bob.next() == #"r 4 ok """#)
      #expect(try bob.next() == #"m {"p":"rooms/r","d":{"m2":{"text":"secret"},"m1/text":"hey"}}"#)
      #expect(try bob.next() == #"r 5 ok """#)
      #expect(try ann.next() == #"c {"p":"rooms/r"}"#)
      ann.request("g", #"{"p":"/rooms/r","q":{}}"#)
      #expect(try ann.next() == #"r 5 permission_denied "Permission denied""#)
      #expect(test.log.lines.contains { $0.contains("operation=listen cancelled by data") && $0.hasSuffix("uid=ann") })
    }
  }

  @Test func aClientMayPipelineItsWholeStart() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let secret = try test.secret
      #expect(
        try test.http("PUT", "/.json?auth=\(secret)", #"{"members":{"r":{"ann":1}},"rooms":{"r":5}}"#).status == 200)
      let socket = try test.socket()
      socket.request("s", #"{"c":{"sdk.js.9-5-0":1}}"#)
      socket.request("auth", "{\"cred\":\"\(try test.token(uid: "ann"))\"}")
      socket.request("appcheck", #"{"token":"t"}"#)
      socket.request("q", #"{"p":"/rooms/r","h":""}"#)
      socket.request("p", #"{"p":"/rooms/r","d":6}"#)
      var messages: [String] = []
      while messages.count < 7 { messages.append(try socket.next()) }
      // Answers that do not involve the database may come earlier; the others keep their order.
      let order = messages.filter { !$0.hasPrefix("r 1 ") && !$0.hasPrefix("r 3 ") }
      #expect(order.first?.hasPrefix("r 2 ok {\"auth\":{\"uid\":\"ann\"") == true)
      #expect(
        Array(order.dropFirst()) == [
          #"d {"p":"rooms/r","d":5}"#, "r 4 ok {}", #"d {"p":"rooms/r","d":6}"#, #"r 5 ok """#,
        ])
    }
  }

  @Test func transactionsCompareHashes() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let socket = try test.socket()
      socket.request("p", #"{"p":"/public/n","d":1,"h":""}"#)
      #expect(try socket.next() == #"r 1 ok """#)
      socket.request("p", #"{"p":"/public/n","d":2,"h":""}"#)
      #expect(try socket.next() == #"r 2 datastale "The data has changed""#)
      socket.request("p", #"{"p":"/public/n","d":2,"h":"YPVfR2bXt/lcDjiQZ8pOkAd3qkQ="}"#)
      #expect(try socket.next() == #"r 3 ok """#)
      socket.request("q", #"{"p":"/public/n","h":"YPVfR2bXt/lcDjiQZ8pOkAd3qkQ="}"#)
      #expect(try socket.next() == #"d {"p":"public/n","d":2}"#)
      #expect(try socket.next() == "r 4 ok {}")
    }
  }

  @Test func aTokenThatEndsIsToldAndTakesItsListensAlong() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let socket = try test.withBriefToken(uid: "ann") { token in
        let socket = try test.socket()
        socket.request("auth", "{\"cred\":\"\(token)\"}")
        socket.request("p", #"{"p":"/members/r/ann","d":true}"#)
        socket.request("q", #"{"p":"/rooms/r","h":""}"#)
        let replies = try (0..<3).map { _ in try socket.next() }
        let isAllowed = replies[0].contains(" ok {\"auth\":{\"uid\":") && replies[1...] == [#"r 2 ok """#, "r 3 ok {}"]
        guard isAllowed else { throw LiveConnection.Unexpected(lines: replies) }
        return socket
      }
      #expect(try socket.next() == #"ac {"s":"expired_token","d":"Auth token is expired."}"#)
      #expect(try socket.next() == #"c {"p":"rooms/r"}"#)
      socket.request("p", #"{"p":"/members/r/ann","d":null}"#)
      #expect(try socket.next() == #"r 4 permission_denied "Permission denied""#)
    }
  }

  @Test func signingOutAndARulesDeployEndListens() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let socket = try test.socket()
      try Self.signIn(socket, try test.token(uid: "ann"))
      socket.request("p", #"{"p":"/members/r/ann","d":true}"#)
      socket.request("q", #"{"p":"/rooms/r","h":""}"#)
      socket.request("q", #"{"p":"/public","h":""}"#)
      for _ in 0..<3 { _ = try socket.next() }
      socket.request("unauth", "{}")
      #expect(try socket.next() == #"c {"p":"rooms/r"}"#)
      #expect(try socket.next() == #"r 5 ok "unauthenticated""#)
      let target = "/.settings/rules.json?auth=\(try test.secret)"
      #expect(try test.http("PUT", target, #"{"rules":{".read":false}}"#).status == 200)
      #expect(try socket.next() == #"c {"p":"public"}"#)
    }
  }

  @Test func aClientThatComesBackEndsItsOldSession() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let old = try test.socket()
      old.request("q", #"{"p":"/public","h":""}"#)
      #expect(try old.next() == "r 1 ok {}")
      let new = try test.socket("ls=\(old.session)&ns=default")
      new.request("p", #"{"p":"/public/x","d":1}"#)
      #expect(try new.next() == #"r 1 ok """#)
      #expect(try old.receive() == "close 1000", "and nothing before it")
      // A session ID of another database, or an unknown one, ends no session.
      let other = try test.socket("ls=nonsense&ns=default")
      #expect(other.session != new.session)
      new.request("p", #"{"p":"/public/x","d":2}"#)
      #expect(try new.next() == #"r 2 ok """#)
    }
  }

  @Test("a client that comes back before its database was created ends its earlier connection")
  func comingBackEarly() async throws {
    try await TestServer.with(rules: #"{"rules": {".read": true}}"#, mode: .dev) { test throws in
      let old = try test.socket("ns=fresh")
      let new = try test.socket("ns=fresh&ls=\(old.session)")
      new.request("q", #"{"p":"/a","h":""}"#)
      #expect(try new.next() == "r 1 ok {}")
      #expect(try old.receive() == "close 1000")
    }
  }

  @Test func aCredentialThatFailsLeavesTheSocketSignedOut() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let socket = try test.socket()
      for credential in ["owner", "nonsense", "a.b.c"] {
        socket.request("gauth", "{\"cred\":\"\(credential)\"}")
        #expect(try socket.next().hasSuffix(#" invalid_token "Could not parse auth token.""#))
      }
      socket.request("g", #"{"p":"/members","q":{}}"#)
      #expect(try socket.next() == #"r 4 permission_denied "Permission denied""#)
      socket.request("gauth", "{\"cred\":\"\(try test.secret)\"}")
      #expect(try socket.next() == #"r 5 ok {"auth":null}"#)
      socket.request("g", #"{"p":"/members","q":{}}"#)
      #expect(try socket.next() == "r 6 ok null")
      socket.request("gauth", "{\"cred\":\"\(try test.secret)\",\"authvar\":{\"uid\":\"bob\"}}")
      #expect(try socket.next() == #"r 7 ok {"auth":{"uid":"bob"}}"#)
      socket.request("g", #"{"p":"/members","q":{}}"#)
      #expect(try socket.next() == #"r 8 permission_denied "Permission denied""#)
    }
  }

  @Test func aCredentialThatFailsTakesTheOldOneAlong() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let token = try test.token(uid: "ann")
      let socket = try test.socket()
      try Self.signIn(socket, token)
      socket.request("p", #"{"p":"/members/r/ann","d":true}"#)
      socket.request("q", #"{"p":"/rooms/r","h":""}"#)
      for _ in 0..<2 { _ = try socket.next() }
      socket.request("auth", #"{"cred":"nonsense"}"#)
      socket.request("p", #"{"p":"/members/r/bob","d":true}"#)
      #expect(try socket.next() == #"c {"p":"rooms/r"}"#)
      #expect(try socket.next() == #"r 4 invalid_token "Could not parse auth token.""#)
      #expect(try socket.next() == #"r 5 permission_denied "Permission denied""#)
      try Self.signIn(socket, token)
      socket.request("auth", "{\"cred\":\"\(token)\",\"authvar\":{\"uid\":\"bob\"}}")
      #expect(try socket.next().hasPrefix("r 7 permission_denied "))
      socket.request("p", #"{"p":"/members/r/bob","d":true}"#)
      #expect(try socket.next() == #"r 8 permission_denied "Permission denied""#)
    }
  }

  @Test func aClientThatSendsMuchAtOnceIsReadOnWhenItIsAnswered() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let socket = try test.socket()
      let text = String(repeating: "x", count: ClientSession.unansweredBytesMax)
      for _ in 0..<4 { socket.request("p", "{\"p\":\"/public/s\",\"d\":\"\(text)\"}") }
      socket.request("g", #"{"p":"/members/none","q":{}}"#)
      for number in 1...4 { #expect(try socket.next() == "r \(number) ok \"\"") }
      #expect(try socket.next() == #"r 5 permission_denied "Permission denied""#)
    }
  }

  @Test func pathsAndValuesThatCannotBeAreRefusedOneByOne() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let socket = try test.socket()
      let bodies = [
        #"{"p":"/.info/connected","d":1}"#, #"{"p":"/public/a.b","d":1}"#, #"{"p":"/public","d":{"$x":1}}"#,
        #"{"p":"/public","d":{"x":1e400}}"#,
        "{\"p\":\"/public\",\"d\":" + String(repeating: "{\"a\":", count: 33) + "1" + String(repeating: "}", count: 34),
        "{\"p\":\"/public\",\"d\":{\"\(String(repeating: "k", count: 769))\":1}}",
      ]
      for (number, body) in bodies.enumerated() {
        socket.request("p", body)
        #expect(try socket.next().hasPrefix("r \(number + 1) failed \""))
      }
      socket.request("g", #"{"p":"/.info/connected","q":{}}"#)
      #expect(try socket.next() == #"r 7 failed "Invalid token in path""#)
      socket.request("p", #"{"p":"/public/x","d":1}"#)
      #expect(try socket.next() == #"r 8 ok """#, "the socket goes on")
    }
  }

  @Test func aMalformedMessageClosesOnlyItsSocket() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let other = try test.socket()
      for text in ["xx", "{}", "[1]", #"{"t":"d","d":5}"#, #"{"t":"d"}"#, "\"", "{\"t\":\"d\",\"d\":{"] {
        let socket = try test.socket()
        socket.send(text)
        #expect(try socket.receive().hasPrefix("close 1"), "\(text)")
      }
      other.request("p", #"{"p":"/public/x","d":1}"#)
      #expect(try other.next() == #"r 1 ok """#)
    }
  }

  @Test func anUnknownDatabaseShutsTheClientDown() async throws {
    try await TestServer.with { test throws in
      for name in ["nobody", "No!Name"] {
        let socket = try test.socket("ns=\(name)")
        #expect(socket.hello.hasPrefix(#"{"t":"c","d":{"t":"s","d":"There is no such database."#))
        #expect(try socket.receive() == "close 1000")
      }
    }
  }

  @Test func javaClientsGetLongMessagesInSegments() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let text = String(repeating: "é", count: 40_000)
      #expect(try test.http("PUT", "/public/long.json", "\"\(text)\"").status == 200)
      let socket = try test.socket(headers: "User-Agent: Firebase/5/9.0/17/AdminJava\r\n")
      socket.request("g", #"{"p":"/public/long","q":{}}"#)
      #expect(try socket.receive() == "3")
      let whole = try (0..<3).map { _ in try socket.receive() }.joined()
      #expect(whole == "{\"t\":\"d\",\"d\":{\"r\":1,\"b\":{\"s\":\"ok\",\"d\":\"\(text)\"}}}")
    }
  }

  @Test func largeValuesKeepTheirPlaceInTheOrder() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let text = String(repeating: "0123456789abcdef", count: 65_536)
      let members = (0..<4).map { "\"k\($0)\":\"\(text)\"" }.joined(separator: ",")
      let socket = try test.socket()
      socket.request("p", "{\"p\":\"/public\",\"d\":{\(members)}}")
      socket.request("q", #"{"p":"/public","h":""}"#)
      socket.request("p", #"{"p":"/public/k0","d":1}"#)
      socket.request("g", #"{"p":"/public","q":{}}"#)
      socket.request("p", #"{"p":"/public/k1","d":2}"#)
      #expect(try socket.next() == #"r 1 ok """#)
      #expect(try socket.next() == "d {\"p\":\"public\",\"d\":{\(members)}}")
      #expect(try socket.next() == "r 2 ok {}")
      #expect(try socket.next() == #"d {"p":"public/k0","d":1}"#)
      #expect(try socket.next() == #"r 3 ok """#)
      let got = try socket.next()
      #expect(got.hasPrefix("r 4 ok {\"k0\":1,\"k1\":\"0123") && got.utf8.count > 3 << 20)
      #expect(try socket.next() == #"d {"p":"public/k1","d":2}"#)
      #expect(try socket.next() == #"r 5 ok """#)
      let read = try test.http("GET", "/public.json", headers: ["X-Firebase-ETag": "true"])
      #expect(read.status == 200 && read.body.utf8.count > 2 << 20 && read.headers["etag"]?.utf8.count == 28)
      let body = "{\(members)}"
      #expect(try test.answer("PUT", "/public.json", body) == "200 " + body)
      #expect(try test.http("PUT", "/public.json", body + "x").status == 400)
      let keys = try test.answer("GET", "/public.json?shallow=true")
      #expect(keys == #"200 {"k0":true,"k1":true,"k2":true,"k3":true}"#)
    }
  }

  @Test func aStringMayHaveTenMebibytesAndNotOneByteMore() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let socket = try test.socket()
      let text = String(repeating: "x", count: 10_485_760)
      socket.request("p", "{\"p\":\"/public/s\",\"d\":\"\(text)\"}")
      #expect(try socket.next() == #"r 1 ok """#)
      socket.request("p", "{\"p\":\"/public/s\",\"d\":\"\(text)x\"}")
      #expect(try socket.next().hasPrefix("r 2 failed "))
      #expect(try test.http("GET", "/public/s.json").body.utf8.count == text.utf8.count + 2)
    }
  }

  @Test func emulatorTokensWorkInEmulatorModeOnly() async throws {
    // The token {"alg":"none","type":"JWT"} . {"sub":"ann","iat":0,"exp":3600}
    let token = "eyJhbGciOiJub25lIiwidHlwZSI6IkpXVCJ9.eyJzdWIiOiJhbm4iLCJpYXQiOjAsImV4cCI6MzYwMH0."
    try await TestServer.with(rules: Self.rules, mode: .dev, isEmulator: true) { test throws in
      let socket = try test.socket()
      try Self.signIn(socket, token)
      socket.request("p", #"{"p":"/members/r/ann","d":true}"#)
      #expect(try socket.next() == #"r 2 ok """#)
    }
    try await TestServer.with(rules: Self.rules, mode: .dev) { test throws in
      let socket = try test.socket()
      socket.request("auth", "{\"cred\":\"\(token)\"}")
      #expect(try socket.next() == #"r 1 invalid_token "Could not parse auth token.""#)
    }
  }
}
