import HearthTree
import HearthWire
import Testing

@testable import HearthClient

@Suite struct ConnectionAttemptTests {
  @Test("without a token no connection opens, and the retry delays grow")
  func tokenFailures() throws {
    var fixture = try ConnectionFixture()
    fixture.handle(.open)
    var ceiling = 1_000.0
    for _ in 0..<20 {
      #expect(fixture.handle(.tokensFailed(attempt: fixture.attempt, "no network")) == [])
      let before = fixture.now
      #expect(fixture.waitForDeadline() == ["tokens \(fixture.attempt)"])
      #expect(Double(fixture.now - before) <= ceiling + 1 && Double(fixture.now - before) >= ceiling * 0.29)
      ceiling = min(30_000, ceiling * 1.3)
    }
  }

  @Test("a connection that lasted half a minute resets the waits, one of two seconds does not")
  func steadyConnections() throws {
    var fixture = try ConnectionFixture()
    for _ in 0..<8 {
      fixture.connect()
      fixture.now += 2_000
      fixture.handle(.closed(attempt: fixture.attempt, ""))
    }
    let before = fixture.now
    fixture.waitForDeadline()
    #expect(fixture.now - before > 1_000)
    fixture.connect()
    fixture.now += 30_000
    fixture.handle(.closed(attempt: fixture.attempt, ""))
    let later = fixture.now
    if case .waiting = fixture.connection.phase { fixture.waitForDeadline() }
    #expect(fixture.now - later <= 1_000)
  }

  @Test("the waits for tokens, an open socket and a hello are limited")
  func timeouts() throws {
    var fixture = try ConnectionFixture()
    fixture.handle(.open)
    #expect(fixture.connection.deadline == 60_000)
    #expect(fixture.waitForDeadline() == [])
    fixture.waitForDeadline()
    fixture.handle(.tokens(attempt: fixture.attempt, ConnectionTokens()))
    #expect(fixture.connection.deadline == fixture.now + 30_000)
    let opening = fixture.attempt
    #expect(fixture.waitForDeadline() == ["close \(opening)"])
    fixture.waitForDeadline()
    fixture.handle(.tokens(attempt: fixture.attempt, ConnectionTokens()))
    fixture.handle(.opened(attempt: fixture.attempt))
    #expect(fixture.connection.deadline == fixture.now + 30_000)
    let greeting = fixture.attempt
    #expect(fixture.waitForDeadline() == ["close \(greeting)"])
    #expect(fixture.waitForDeadline() == ["tokens \(fixture.attempt)"])
  }

  @Test("goOffline closes and waits for goOnline, however often it is called; reachability ends a wait")
  func offline() throws {
    var fixture = try ConnectionFixture()
    fixture.connect()
    #expect(fixture.handle(.interrupt(.offline)) == ["close 1", "tell lost"])
    #expect(fixture.handle(.interrupt(.offline)) == [])
    #expect(fixture.connection.deadline == nil)
    #expect(fixture.handle(.reachable) == [])
    #expect(fixture.handle(.resume(.offline)) == ["tokens \(fixture.attempt)"])
    #expect(fixture.handle(.resume(.offline)) == [])
    fixture.handle(.tokensFailed(attempt: fixture.attempt, ""))
    #expect(fixture.handle(.reachable) == ["tokens \(fixture.attempt)"])
    #expect(fixture.handle(.reachable) == [])
  }

  @Test("after a shutdown frame nothing connects any more")
  func shutDown() throws {
    var fixture = try ConnectionFixture()
    fixture.connect()
    #expect(fixture.receive(#"{"t":"c","d":{"t":"s","d":"wrong region"}}"#) == ["close 1", "tell lost"])
    #expect(fixture.handle(.interrupt(.offline), .resume(.offline), .reachable, .open) == [])
    #expect(fixture.connection.deadline == nil)
  }

  @Test("a reset reconnects to its host soon; an unreachable host is forgotten")
  func reset() throws {
    var fixture = try ConnectionFixture()
    fixture.connect()
    #expect(fixture.receive(#"{"t":"c","d":{"t":"r","d":"s-1.example:9001"}}"#).prefix(2) == ["close 1", "tell lost"])
    let before = fixture.now
    if case .waiting = fixture.connection.phase { fixture.waitForDeadline() }
    #expect(fixture.now - before <= 1_000)
    #expect(
      fixture.handle(.tokens(attempt: fixture.attempt, ConnectionTokens()))
        == ["open \(fixture.attempt) ws://s-1.example:9001/.ws?v=5&ns=chat&ls=s1"])
    fixture.handle(.closed(attempt: fixture.attempt, "refused"))
    fixture.waitForDeadline()
    #expect(
      fixture.handle(.tokens(attempt: fixture.attempt, ConnectionTokens()))
        == ["open \(fixture.attempt) ws://db.example:9000/.ws?v=5&ns=chat&ls=s1"])
  }

  @Test(
    "the next connection goes to the host in the hello, unless that is invalid or the server is an emulator",
    arguments: [
      ("s-usc1.example:9002", false, "s-usc1.example:9002"), ("s-usc1.example:9002", true, "db.example:9000"),
      ("", false, "db.example:9000"), ("evil.example/x", false, "db.example:9000"),
      ("a:b@evil", false, "db.example:9000"), ("evil\\r\\nX: 1", false, "db.example:9000"),
      ("x:99999", false, "db.example:9000"), ("[::1]:9003", false, "::1:9003"),
    ])
  func redirects(host: String, isEmulator: Bool, expected: String) throws {
    var fixture = try ConnectionFixture(isEmulator: isEmulator)
    fixture.connect(hello: ConnectionFixture.hello(host: host))
    #expect(fixture.connection.phase == .connected)
    fixture.handle(.closed(attempt: 1, ""))
    fixture.waitForDeadline()
    let lines = fixture.handle(.tokens(attempt: fixture.attempt, ConnectionTokens()))
    #expect(lines.first?.contains("ws://\(expected)/.ws") == true, "\(lines)")
  }

  @Test("a quiet connection sends a keep-alive and a ping every 45 seconds; a silent server is given up after 75")
  func keepalive() throws {
    var fixture = try ConnectionFixture()
    fixture.connect()
    #expect(fixture.connection.deadline == 45_000)
    #expect(fixture.waitForDeadline() == ["send 0", "ping"])
    fixture.handle(.alive(attempt: 1))
    fixture.now = 60_000
    fixture.receive(ConnectionFixture.push("sd", #"{"msg":"x"}"#))
    #expect(fixture.connection.deadline == 105_000)
    #expect(fixture.waitForDeadline() == ["send 0", "ping"])
    #expect(fixture.connection.deadline == 135_000)
    // A socket that is busy sending buffered data is not dead.
    fixture.handle(.writable(attempt: 1, false))
    fixture.now = 135_000
    #expect(fixture.handle(.timer) == [])
    fixture.now = 140_000
    fixture.handle(.writable(attempt: 1, true))
    fixture.now = 214_999
    #expect(!fixture.handle(.timer).contains("tell lost"))
    fixture.now = 215_000
    #expect(fixture.handle(.timer) == ["close 1", "tell lost"])
  }

  @Test("1,000 clients of a restarted server reconnect spread over a second")
  func spread() throws {
    var moments: [Int64] = []
    for seed in 0..<1_000 {
      let address = DatabaseAddress(host: "h", isSecure: true, namespace: "n")
      var connection = PersistentConnection(address, seed: UInt64(seed))
      func at(_ now: Int64) -> ConnectionTime { ConnectionTime(monotonic: now, wall: now) }
      _ = connection.handle(.open, at: at(0))
      _ = connection.handle(.tokens(attempt: 1, ConnectionTokens()), at: at(0))
      _ = connection.handle(.opened(attempt: 1), at: at(0))
      _ = connection.handle(.received(attempt: 1, Array(ConnectionFixture.hello().utf8)), at: at(0))
      _ = connection.handle(.closed(attempt: 1, ""), at: at(31_000))
      // One attempt in a thousand may follow at once.
      if case .waiting(let until) = connection.phase { moments.append(until) } else { moments.append(31_000) }
    }
    let slots = Dictionary(grouping: moments) { ($0 - 31_000) / 100 }
    #expect(moments.allSatisfy { $0 <= 32_000 })
    #expect(slots.values.allSatisfy { $0.count < 200 } && slots.count >= 10)
  }
}
