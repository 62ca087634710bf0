import HearthTestKit
import NIOCore
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// Tests of long polls over a live server, with two event loops.
@Suite struct LongPollServerTests {
  private static let rules = #"{"rules": {".read": true, ".write": true}}"#

  private static func reply(_ number: Int, _ data: String = "\"\"") -> String {
    "{\"t\":\"d\",\"d\":{\"r\":\(number),\"b\":{\"s\":\"ok\",\"d\":\(data)}}}"
  }

  @Test("a write that is not UTF-8 is answered with an error, and the session continues")
  func misencodedText() async throws {
    try await TestServer.with(rules: #"{"rules":{".read":true,".write":true}}"#) { test throws in
      let poll = try LivePoll(port: test.port)
      // firebase.js 4 sends é as one byte, and characters beyond Latin-1 as two, with a control character among them.
      for bytes in [[0xE9], [0x17, 0x0E]] as [[UInt8]] {
        let parts = poll.data("p", #"{"p":"/a","d":"%"}"#).split(separator: "%").map { Array($0.utf8) }
        let answer = try poll.take(try poll.poll(bytes: [parts[0] + bytes + parts[1]])).messages
        let reply = try answer.first ?? poll.messages(1)[0]
        #expect(reply.contains(#""s":"failed""#) && reply.contains("not UTF-8"), "\(reply)")
      }
      let written = try poll.messages(1, saying: poll.data("p", #"{"p":"/a","d":"é"}"#))
      #expect(written[0].contains(#""s":"ok""#))
      #expect(try test.answer("GET", "/a.json") == #"200 "é""#)
    }
  }

  @Test("a browser without a socket listens and writes by long polling")
  func conversation() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let browser = try LivePoll(port: test.port)
      #expect(browser.session.utf8.count == 32 && !browser.id.isEmpty)
      #expect(try browser.messages(1, saying: browser.data("q", #"{"p":"/a","h":""}"#)) == [Self.reply(1, "{}")])
      let held = try browser.poll()
      #expect(try test.http("PUT", "/a/x.json", "\"\u{2028}</b>\"").status == 200)
      #expect(
        try browser.take(held).messages == [#"{"t":"d","d":{"a":"d","b":{"p":"a/x","d":"\#u{2028}</b>"}}}"#])
      let long = String(repeating: "é🐵", count: 2_000)
      let told = try browser.messages(2, saying: browser.data("p", #"{"p":"/a/long","d":"\#(long)"}"#))
      #expect(told == [#"{"t":"d","d":{"a":"d","b":{"p":"a/long","d":"\#(long)"}}}"#, Self.reply(2)])
    }
  }

  @Test("answers are scripts that are not cached")
  func headers() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let browser = try LivePoll(port: test.port)
      let response = try browser.poll(browser.data("s", #"{"c":{}}"#)).connection.takeResponse()
      #expect(response.status == 200)
      #expect(response.headers["content-type"] == "application/javascript; charset=utf-8")
      #expect(response.headers["cache-control"]?.contains("no-store") == true)
      #expect(response.headers["access-control-allow-origin"] == nil)
    }
  }

  @Test("a wrong password or an ended session ends only that client's session")
  func wrongPassword() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let browser = try LivePoll(port: test.port)
      for query in ["id=\(browser.id)&pw=x&ser=1", "id=123456789&pw=x&ser=1"] {
        let response = try test.http("GET", "/.lp?\(query)")
        #expect(response.status == 200 && response.body == "pLPCommand('close');\n")
      }
      #expect(try test.http("GET", "/.lp?disconn=t&id=\(browser.id)&pw=x").status == 200)
      #expect(try browser.messages(1, saying: browser.data("s", #"{"c":{}}"#)) == [Self.reply(1)])
      #expect(!test.log.lines.contains { $0.contains(browser.id) || $0.contains(browser.password) })
    }
  }

  @Test(
    "requests in a form that no client sends are refused",
    arguments: ["", "?start=t&cb=alert(1)", "?start=t", "?id=1&pw=2"])
  func malformed(_ query: String) async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      #expect(try test.http("GET", "/.lp\(query)").status == 400)
      #expect(try test.http("DELETE", "/.lp?start=t&cb=1").status == 405)
    }
  }

  @Test("the page for a hidden frame reports that the browser leaves, and then the session ends")
  func leaving() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let browser = try LivePoll(port: test.port)
      let page = try test.http("GET", "/.lp?dframe=t&id=\(browser.id)&pw=\(browser.password)&ns=default")
      #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
      let farewell = "/.lp?disconn=t&id=\(browser.id)&pw=\(browser.password)"
      #expect(page.body.contains("\"\(farewell)\""))
      let held = try browser.poll()
      #expect(try test.http("POST", farewell, "").status == 200)
      let answer = try browser.take(held)
      #expect(answer.isLast && answer.number == nil)
      #expect(try test.http("GET", farewell).status == 200)
    }
  }

  @Test("an unknown database shuts the client down, as on a socket")
  func unknownDatabase() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let response = try test.http("GET", "/.lp?start=t&cb=1&ser=1&v=5&ns=nobody")
      #expect(response.body.contains("pRTLPCB(0,[{\"t\":\"c\",\"d\":{\"t\":\"s\",\"d\":\"There is no such database."))
    }
  }

  @Test("a client that reconnects ends its old session, with any transport before and after")
  func comingBack() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let first = try LivePoll(port: test.port)
      _ = try first.messages(1, saying: first.data("q", #"{"p":"/a","h":""}"#))
      let held = try first.poll()
      let socket = try test.socket("ns=default&ls=\(first.session)")
      #expect(try first.take(held).isLast)
      let third = try LivePoll(port: test.port, "ns=default&ls=\(socket.session)")
      #expect(try socket.receive() == "close 1000")
      #expect(try third.messages(1, saying: third.data("g", #"{"p":"/a","q":{}}"#)) == [Self.reply(1, "null")])
    }
  }

  @Test("a browser switches to a socket without lost or repeated messages", arguments: 0..<4)
  func upgrade(round: Int) async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let browser = try LivePoll(port: test.port)
      _ = try browser.messages(1, saying: browser.data("q", #"{"p":"/a","h":""}"#))
      let held = try browser.poll()
      let socket = try LiveSocket(port: test.port, "ns=default&s=\(browser.session)", expectsHello: false)
      #expect(try socket.receive() == #"{"t":"c","d":{"t":"a","d":{}}}"#)
      for _ in 0..<2 {
        socket.send(#"{"t":"c","d":{"t":"p","d":{}}}"#)
        #expect(try socket.receive() == #"{"t":"c","d":{"t":"o","d":null}}"#)
      }
      // The waiting poll receives this write.
      #expect(try test.http("PUT", "/a/x.json", "1").status == 200)
      #expect(try browser.take(held).messages == [#"{"t":"d","d":{"a":"d","b":{"p":"a/x","d":1}}}"#])
      socket.send(#"{"t":"c","d":{"t":"a","d":{}}}"#)
      // Sent on the socket before the polls have ended, so it waits.
      let early = browser.data("p", #"{"p":"/a/y","d":2}"#)
      let late = browser.data("p", #"{"p":"/a/z","d":3}"#)
      socket.send(late)
      let last = try browser.take(try browser.poll(early, #"{"t":"c","d":{"t":"n","d":{}}}"#))
      #expect(last.isLast && last.messages.last == #"{"t":"c","d":{"t":"n","d":{}}}"#)
      var told = Array(last.messages.dropLast())
      while told.count < 4 { told.append(try socket.receive()) }
      #expect(
        told == [
          #"{"t":"d","d":{"a":"d","b":{"p":"a/y","d":2}}}"#, Self.reply(2),
          #"{"t":"d","d":{"a":"d","b":{"p":"a/z","d":3}}}"#, Self.reply(3),
        ])
      // The page of the polls closes, which has no effect any more.
      #expect(try test.http("GET", "/.lp?disconn=t&id=\(browser.id)&pw=\(browser.password)").status == 200)
      #expect(try test.http("PUT", "/a/w.json", "4").status == 200)
      #expect(try socket.receive() == #"{"t":"d","d":{"a":"d","b":{"p":"a/w","d":4}}}"#)
      let next = try test.socket("ns=default&ls=\(browser.session)")
      #expect(try socket.receive() == "close 1000")
      next.send(#"{"t":"c","d":{"t":"p","d":{}}}"#)
      #expect(try next.receive() == #"{"t":"c","d":{"t":"o","d":null}}"#)
    }
  }

  @Test("early messages on joined sockets are limited, per client and in total")
  func earlyMessages() async throws {
    try await TestServer.with(rules: Self.rules, ioThreadCount: 1) { test throws in
      let text = String(repeating: "x", count: 9 << 20)
      let joined = try (0..<8).map { number in
        let browser = try LivePoll(port: test.port)
        _ = try browser.messages(1, saying: browser.data("s", #"{"c":{}}"#))
        let socket = try LiveSocket(port: test.port, "ns=default&s=\(browser.session)", expectsHello: false)
        #expect(try socket.receive() == #"{"t":"c","d":{"t":"a","d":{}}}"#)
        socket.send(browser.data("p", #"{"p":"/a/\#(number)","d":"\#(text)"}"#))
        socket.send(#"{"t":"c","d":{"t":"p","d":{}}}"#)
        // Seven times nine megabytes fit; the eighth client is closed, with its socket.
        var answer = try socket.receive()
        if number == 7, !answer.hasPrefix("close") { answer = try socket.receive() }
        #expect(answer == (number < 7 ? #"{"t":"c","d":{"t":"o","d":null}}"# : "close 1000"))
        return (browser, socket)
      }
      for (browser, socket) in joined.dropLast() {
        #expect(try browser.take(try browser.poll(#"{"t":"c","d":{"t":"n","d":{}}}"#)).isLast)
        #expect(try socket.receive().hasSuffix(#""b":{"s":"ok","d":""}}}"#))
      }
      #expect(try joined[7].0.take(joined[7].0.poll()).isLast)
    }
  }

  @Test("a socket that joins an unknown long-polling session is refused")
  func strangeJoins() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let other = try test.socket()
      let reset = #"{"t":"c","d":{"t":"r","d":"localhost:9000"}}"#
      for session in ["unknown", other.session] {
        let socket = try LiveSocket(port: test.port, "ns=default&s=\(session)", expectsHello: false)
        #expect(try socket.receive() == reset)
        #expect(try socket.receive() == "close 1000")
      }
      let browser = try LivePoll(port: test.port)
      _ = try browser.messages(1, saying: browser.data("s", #"{"c":{}}"#))
      let first = try LiveSocket(port: test.port, "ns=default&s=\(browser.session)", expectsHello: false)
      #expect(try first.receive() == #"{"t":"c","d":{"t":"a","d":{}}}"#)
      let second = try LiveSocket(port: test.port, "ns=default&s=\(browser.session)", expectsHello: false)
      #expect(try second.receive() == reset)
      #expect(try browser.messages(1, saying: browser.data("s", #"{"c":{}}"#)) == [Self.reply(2)])
    }
  }

  @Test(
    "a page of another site does not count as a local program, although browsers send no origin for its scripts",
    arguments: [
      ("", false), ("Referer: https://evil.example/localhost\r\n", false), ("Sec-Fetch-Site: cross-site\r\n", false),
      ("Referer: http://localhost.evil.example/\r\n", false), ("Referer: http://localhost@evil.example/\r\n", false),
      ("Origin: https://evil.example\r\nSec-Fetch-Site: same-site\r\n", false), ("Referer: nonsense\r\n", false),
      ("Referer: http://localhost:8000/app/index.html\r\n", true), ("Referer: http://127.0.0.1?x\r\n", true),
      ("Sec-Fetch-Site: same-site\r\n", false), ("Sec-Fetch-Site: same-origin\r\n", true),
      ("Sec-Fetch-Site: cross-site\r\nReferer: http://localhost:5173/\r\n", true),
    ])
  func foreignPages(_ headers: String, isLocal: Bool) async throws {
    try await TestServer.with(mode: .dev, isEmulator: true) { test throws in
      let browser = try LivePoll(port: test.port, headers: headers)
      let told = try browser.messages(1, saying: browser.data("gauth", #"{"cred":"owner"}"#))
      #expect(told.first?.contains("\"s\":\"\(isLocal ? "ok" : "invalid_token")\"") == true, "\(told)")
    }
  }

  @Test("ten thousand idle sessions do not lock out others of their address")
  func restingNeighbours() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let polls = try #require(test.server.parts).routes.polls.polls
      let idle = try #require(polls.find(try LivePoll(port: test.port).id))
      let rested = NIODeadline.now() - TimeAmount.seconds(Int64(polls.limits.idleSecondsMin))
      let presence = PollPresence(at: rested)
      presence.pollBegan(nil, at: .now())
      for number in 1..<polls.limits.sessionsMax / 2 {
        let entry = PollDirectory.Entry(
          loop: idle.loop, transport: idle.transport, network: idle.network, presence: presence)
        guard case .admitted = polls.insert(entry, as: "x\(number)", at: .now()) else {
          Issue.record("number \(number) was not admitted")
          return
        }
      }
      func start() throws -> Int {
        try test.http("GET", "/.lp?start=t&ser=1&cb=1&v=5&ns=default").status
      }
      #expect(try start() == 503, "each of them has a connection on which somebody waits")
      presence.pollEnded(at: rested)
      #expect(try start() == 200)
      let browser = try LivePoll(port: test.port)
      #expect(try browser.messages(1, saying: browser.data("s", #"{"c":{}}"#)) == [Self.reply(1)])
      #expect(polls.count <= polls.limits.sessionsMax / 2)
    }
  }

  @Test("sessions are counted for the client address that a trusted proxy names", arguments: [true, false])
  func forwardedSessions(isTrusted: Bool) async throws {
    let test = try await TestServer(rules: Self.rules) { $0.accounts.trustedProxies = isTrusted ? ["127.0.0.1"] : [] }
    let polls = try #require(test.server.parts).routes.polls.polls
    let browser = try LivePoll(port: test.port, headers: "X-Forwarded-For: 203.0.113.7\r\n")
    #expect(polls.find(browser.id)?.network.text == (isTrusted ? "203.0.113.7" : "127.0.0.1"))
    await test.server.stop()
  }

  @Test("the server stops while browsers poll")
  func stopping() async throws {
    let test = try await TestServer(rules: Self.rules)
    let browser = try LivePoll(port: test.port)
    let polls = [try browser.poll(), try browser.poll()]
    // The last poll ends the wait of the one before, and waits itself.
    #expect(try await Polling.until { polls.contains { $0.connection.hasBytes } })
    let held = polls[0].connection.hasBytes ? 1 : 0
    _ = try browser.take(polls[1 - held])
    await test.server.stop()
    #expect(try browser.take(polls[held]).isLast)
  }
}
