import Foundation
import HearthTestKit
import HearthTree
import NIOCore
import ServerTestKit
import Testing

@testable import HearthDatabase
@testable import HearthEngine
@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// Tests that the server releases all state of clients of every kind, however they disconnect.
@Suite struct ClientCleanupTests {
  private static let rules = """
    {"rules": {
      "public": {".read": true, ".write": true, "list": {".indexOn": "n"}},
      "users": {"$uid": {".read": "auth.uid === $uid", ".write": "auth.uid === $uid"}},
      "gated": {"$n": {".read": "root.child('public/open/' + $n).val() === true", ".indexOn": "n"}}
    }}
    """

  /// Returns the counts of all remaining client state by name.
  private static func leftovers(_ test: TestServer) async throws -> [String: Int] {
    let parts = try #require(test.server.parts)
    let services = parts.services
    var found: [String: Int] = [:]
    for loop in parts.transport.loops {
      let counts = try await loop.eventLoop.submit { () -> [String: Int] in
        let load = services.router.hub(on: loop.eventLoop).load
        return [
          "clients": load.clients, "signed in": load.signedIn, "requests": load.requests, "paused": load.paused,
          "cancellations": load.cancellations, "connections": loop.connectionCount, "holders": loop.holders.count,
          "held bytes": load.heldBytes,
        ]
      }.get()
      found.merge(counts, uniquingKeysWith: +)
    }
    found["sessions"] = services.sessions.count
    found["memory"] = services.pool.memory.heldBytes
    found["shares"] = services.pool.memory.holderCount
    found["polls"] = parts.routes.polls.polls.count
    let receiptCounts = services.router.receipts.state.withLock {
      ($0.drafts.count, $0.processes.count, $0.waiters.count)
    }
    (found["drafts"], found["rounds"], found["waiters"]) = receiptCounts
    for database in services.databases.openDatabases {
      let name = database.name
      found["seats of \(name)"] = services.quotas.connectionCount(of: name)
      let counts = database.decider.engine.withLock { engine in
        (engine.connectionCount, engine.listenCount, engine.grants.isEmpty ? 0 : 1, engine.state.sessions.count)
      }
      (found["connections of \(name)"], found["listens of \(name)"]) = (counts.0, counts.1)
      (found["clock listens of \(name)"], found["sessions of \(name)"]) = (counts.2, counts.3)
    }
    return found.filter { $0.value != 0 }
  }

  /// Waits until the server has noticed the last disconnect.
  private static func expectNothing(_ test: TestServer) async throws {
    try await Polling.until { try await leftovers(test).isEmpty }
    #expect(try await leftovers(test) == [:])
  }

  private static let socketEnds = [
    "close", "cut", "violation", "noise", "replaced", "large", "unanswered", "verifying", "segments",
  ]

  /// Opens a signed-in socket with listens, queries and an on-disconnect write, and ends it.
  private static func socket(_ test: TestServer, _ end: String, token: String, _ round: Int) throws {
    let socket = try test.socket()
    socket.request("auth", "{\"cred\":\"\(token)\"}")
    socket.request("q", #"{"p":"/users/u\#(round % 7)","h":""}"#)
    socket.request("q", #"{"p":"/public/list","h":"","q":{"i":"n","l":2,"vf":"r"},"t":1}"#)
    socket.request("q", #"{"p":"/public/list","h":"","q":{"i":"m","l":2,"vf":"r"},"t":2}"#)
    socket.request("o", #"{"p":"/public/gone/\#(round)","d":{".sv":"timestamp"}}"#)
    if end != "unanswered" { for _ in 0..<5 { _ = try socket.receive() } }
    switch end {
    case "close":
      socket.close()
      while try !socket.receive().hasPrefix("close") {}
    case "violation": socket.send("{")
    case "noise": socket.send("\u{0}")
    case "replaced":
      let next = try test.socket("ns=default&ls=\(socket.session)")
      var last = ""
      while !last.hasPrefix("close") { last = try socket.receive() }
      #expect(last == "close 1000")
      next.close()
    case "large": socket.request("g", #"{"p":"/public/large"}"#)
    case "verifying": socket.request("auth", "{\"cred\":\"nonsense\"}")
    case "segments": socket.send("3")
    default: break
    }
  }

  private static let pollEnds = [
    "disconnect", "violation", "replaced", "upgraded", "joined", "joined twice", "held", "unfinished",
  ]

  private static func poll(_ test: TestServer, _ end: String, token: String, _ round: Int) throws {
    let poll = try LivePoll(port: test.port)
    let farewell = "/.lp?disconn=t&id=\(poll.id)&pw=\(poll.password)"
    let said = [
      poll.data("auth", "{\"cred\":\"\(token)\"}"), poll.data("q", #"{"p":"/public/list","h":""}"#),
      poll.data("o", #"{"p":"/public/gone/\#(round)","d":1}"#),
    ]
    for message in said { _ = try poll.messages(1, saying: message) }
    switch end {
    case "violation": _ = try poll.take(try poll.poll("{"))
    case "replaced": try test.socket("ns=default&ls=\(poll.session)").close()
    case "upgraded":
      let socket = try join(test, poll.session)
      let last = try poll.take(try poll.poll(#"{"t":"c","d":{"t":"n","d":{}}}"#))
      #expect(last.isLast)
      if round % 2 == 0 { socket.close() }
    case "joined", "joined twice":
      let socket = try join(test, poll.session)
      socket.send(poll.data("g", #"{"p":"/public/list"}"#))
      if end == "joined twice" {
        let second = try LiveSocket(port: test.port, "ns=default&s=\(poll.session)", expectsHello: false)
        #expect(try second.receive().contains(#""t":"r""#))
      }
      if round % 2 == 0 { socket.close() }
      #expect(try test.http("GET", farewell).status == 200)
    case "held":
      _ = try poll.poll()
      #expect(try test.http("POST", farewell, "").status == 200)
    case "unfinished":
      let query = "id=\(poll.id)&pw=\(poll.password)&ser=900&seg0=3&ts0=9&d0=AAAA&seg1=5&ts1=9&d1=AAAA"
      _ = try poll.request(query)
      #expect(try test.http("GET", farewell).status == 200)
    default: #expect(try test.http("GET", farewell).status == 200)
    }
  }

  private static func join(_ test: TestServer, _ session: String) throws -> LiveSocket {
    let socket = try LiveSocket(port: test.port, "ns=default&s=\(session)", expectsHello: false)
    #expect(try socket.receive() == #"{"t":"c","d":{"t":"a","d":{}}}"#)
    return socket
  }

  private static let streamEnds = ["cut", "unread", "cancel", "refused", "HEAD", "1.0", "large", "query", "expired"]

  private static func stream(_ test: TestServer, _ end: String, token: String, secret: String, _ round: Int) throws {
    let auth = "auth=\(token)"
    switch end {
    case "unread", "large":
      let connection = try LiveConnection(port: test.port)
      let path = end == "large" ? "public/large" : "public"
      connection.send(
        Array("GET /\(path).json HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\nGET / HTTP".utf8))
    case "cancel":
      let open = "/public/open/\(round).json"
      #expect(try test.http("PUT", open, "true").status == 200)
      let stream = try test.stream("/gated/\(round).json?orderBy=\"n\"&limitToFirst=1&\(auth)")
      _ = try stream.next()
      #expect(try test.http("DELETE", open).status == 200)
      #expect(try stream.next() == #"cancel|"Permission denied.""#)
    case "refused", "HEAD":
      let method = end == "HEAD" ? "HEAD" : "GET"
      let path = end == "HEAD" ? "public" : "users/other"
      let answer = try test.http(method, "/\(path).json?\(auth)", headers: ["Accept": "text/event-stream"])
      #expect(answer.status == (end == "HEAD" ? 200 : 401))
    case "1.0":
      let connection = try LiveConnection(port: test.port)
      connection.send(Array("GET /public.json?\(auth) HTTP/1.0\r\nAccept: text/event-stream\r\n\r\n".utf8))
      _ = try connection.takeHead()
    case "query":
      _ = try test.stream("/public/list.json?orderBy=\"n\"&limitToLast=2&\(auth)").next()
    case "expired":
      let answer = try test.http("GET", "/public.json?auth=nonsense", headers: ["Accept": "text/event-stream"])
      #expect(answer.status == 401)
    default: _ = try test.stream("/users/u\(round % 7).json?\(auth)").next()
    }
  }

  @Test func `no table keeps entries of thousands of ended clients of every kind`() async throws {
    try await TestServer.with(rules: Self.rules, memory: .ofTest()) { test throws in
      let large = String(repeating: "x", count: 400_000)
      #expect(try test.http("PUT", "/public/large.json?print=silent", "\"\(large)\"").status == 204)
      let list = (0..<20).map { "\"k\($0)\":{\"n\":\($0)}" }.joined(separator: ",")
      #expect(try test.http("PUT", "/public/list.json", "{\(list)}").status == 200)
      let secret = try test.secret
      let tokens = try (0..<7).map { try test.token(uid: "u\($0)") }
      for round in 0..<60 {
        let token = tokens[round % 7]
        for end in Self.socketEnds { try Self.socket(test, end, token: token, round) }
        for end in Self.pollEnds { try Self.poll(test, end, token: token, round) }
        for end in Self.streamEnds { try Self.stream(test, end, token: token, secret: secret, round) }
        _ = try test.socket("ns=nobody")
        _ = try LiveSocket(port: test.port, "ns=default&s=nobody", expectsHello: false).receive()
        _ = try test.http("GET", "/.lp?start=t&ser=1&cb=1&v=5&ns=nobody")
      }
      try await Self.expectNothing(test)
    }
  }

  @Test func `a database that has all its connections refuses further ones of every kind, and takes them again`()
    async throws
  {
    try await TestServer.with(rules: Self.rules) { test throws in
      let quota = try #require(test.server.parts).services.quotas
      var quotas = DatabaseQuotas.none
      try quotas.change(.object([.init("connections", .int(3))]))
      quota.set(quotas, of: "default")
      var slots: [QuotaSlot] = []
      while let slot = try? quota.takeSlot(in: "default", of: nil).get() { slots.append(slot) }
      #expect(try test.socket().receive() == "close 1013")
      #expect(try test.http("GET", "/public.json", headers: ["Accept": "text/event-stream"]).status == 503)
      let browser = try LivePoll(port: test.port)
      #expect(try browser.take(try browser.poll()).isLast)
      #expect(try test.http("GET", "/public.json").status == 200, "a request takes no place")
      slots.removeLast()
      let socket = try test.socket()
      socket.request("g", #"{"p":"/public"}"#)
      #expect(try socket.next() == "r 1 ok null")
      #expect(try test.socket().receive() == "close 1013")
      socket.close()
      #expect(try socket.receive() == "close 1000")
      slots = []
      try await Self.expectNothing(test)
    }
  }
}
