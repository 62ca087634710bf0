import HearthTree
import HearthWire
import Testing

@testable import HearthClient

@Suite struct ConnectionAttemptTests {
  @Test("without a token no connection opens, and the retry delays grow")
  func tokenFailures() throws {
    var world = try ConnectionWorld()
    world.handle(.open)
    var ceiling = 1_000.0
    for _ in 0..<20 {
      #expect(world.handle(.tokensFailed(attempt: world.attempt, "no network")) == [])
      let before = world.now
      #expect(world.waitForDeadline() == ["tokens \(world.attempt)"])
      #expect(Double(world.now - before) <= ceiling + 1 && Double(world.now - before) >= ceiling * 0.29)
      ceiling = min(30_000, ceiling * 1.3)
    }
  }

  @Test("a connection that lasted half a minute resets the waits, one of two seconds does not")
  func steadyConnections() throws {
    var world = try ConnectionWorld()
    for _ in 0..<8 {
      world.connect()
      world.now += 2_000
      world.handle(.closed(attempt: world.attempt, ""))
    }
    let before = world.now
    world.waitForDeadline()
    #expect(world.now - before > 1_000)
    world.connect()
    world.now += 30_000
    world.handle(.closed(attempt: world.attempt, ""))
    let later = world.now
    if case .waiting = world.connection.phase { world.waitForDeadline() }
    #expect(world.now - later <= 1_000)
  }

  @Test("the waits for tokens, an open socket and a hello are limited")
  func timeouts() throws {
    var world = try ConnectionWorld()
    world.handle(.open)
    #expect(world.connection.deadline == 60_000)
    #expect(world.waitForDeadline() == [])
    world.waitForDeadline()
    world.handle(.tokens(attempt: world.attempt, ConnectionTokens()))
    #expect(world.connection.deadline == world.now + 30_000)
    let opening = world.attempt
    #expect(world.waitForDeadline() == ["close \(opening)"])
    world.waitForDeadline()
    world.handle(.tokens(attempt: world.attempt, ConnectionTokens()))
    world.handle(.opened(attempt: world.attempt))
    #expect(world.connection.deadline == world.now + 30_000)
    let greeting = world.attempt
    #expect(world.waitForDeadline() == ["close \(greeting)"])
    #expect(world.waitForDeadline() == ["tokens \(world.attempt)"])
  }

  @Test("goOffline closes and waits for goOnline, however often it is called; reachability ends a wait")
  func offline() throws {
    var world = try ConnectionWorld()
    world.connect()
    #expect(world.handle(.interrupt(.offline)) == ["close 1", "tell lost"])
    #expect(world.handle(.interrupt(.offline)) == [])
    #expect(world.connection.deadline == nil)
    #expect(world.handle(.reachable) == [])
    #expect(world.handle(.resume(.offline)) == ["tokens \(world.attempt)"])
    #expect(world.handle(.resume(.offline)) == [])
    world.handle(.tokensFailed(attempt: world.attempt, ""))
    #expect(world.handle(.reachable) == ["tokens \(world.attempt)"])
    #expect(world.handle(.reachable) == [])
  }

  @Test("after a shutdown frame nothing connects any more")
  func shutDown() throws {
    var world = try ConnectionWorld()
    world.connect()
    #expect(world.receive(#"{"t":"c","d":{"t":"s","d":"wrong region"}}"#) == ["close 1", "tell lost"])
    #expect(world.handle(.interrupt(.offline), .resume(.offline), .reachable, .open) == [])
    #expect(world.connection.deadline == nil)
  }

  @Test("a reset reconnects to its host soon; an unreachable host is forgotten")
  func reset() throws {
    var world = try ConnectionWorld()
    world.connect()
    #expect(world.receive(#"{"t":"c","d":{"t":"r","d":"s-1.example:9001"}}"#).prefix(2) == ["close 1", "tell lost"])
    let before = world.now
    if case .waiting = world.connection.phase { world.waitForDeadline() }
    #expect(world.now - before <= 1_000)
    #expect(
      world.handle(.tokens(attempt: world.attempt, ConnectionTokens()))
        == ["open \(world.attempt) ws://s-1.example:9001/.ws?v=5&ns=chat&ls=s1"])
    world.handle(.closed(attempt: world.attempt, "refused"))
    world.waitForDeadline()
    #expect(
      world.handle(.tokens(attempt: world.attempt, ConnectionTokens()))
        == ["open \(world.attempt) ws://db.example:9000/.ws?v=5&ns=chat&ls=s1"])
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
    var world = try ConnectionWorld(isEmulator: isEmulator)
    world.connect(hello: ConnectionWorld.hello(host: host))
    #expect(world.connection.phase == .connected)
    world.handle(.closed(attempt: 1, ""))
    world.waitForDeadline()
    let lines = world.handle(.tokens(attempt: world.attempt, ConnectionTokens()))
    #expect(lines.first?.contains("ws://\(expected)/.ws") == true, "\(lines)")
  }

  @Test("a quiet connection sends a keep-alive and a ping every 45 seconds; a silent server is given up after 75")
  func keepalive() throws {
    var world = try ConnectionWorld()
    world.connect()
    #expect(world.connection.deadline == 45_000)
    #expect(world.waitForDeadline() == ["send 0", "ping"])
    world.handle(.alive(attempt: 1))
    world.now = 60_000
    world.receive(ConnectionWorld.push("sd", #"{"msg":"x"}"#))
    #expect(world.connection.deadline == 105_000)
    #expect(world.waitForDeadline() == ["send 0", "ping"])
    #expect(world.connection.deadline == 135_000)
    // A socket that is busy sending buffered data is not dead.
    world.handle(.writable(attempt: 1, false))
    world.now = 135_000
    #expect(world.handle(.timer) == [])
    world.now = 140_000
    world.handle(.writable(attempt: 1, true))
    world.now = 214_999
    #expect(!world.handle(.timer).contains("tell lost"))
    world.now = 215_000
    #expect(world.handle(.timer) == ["close 1", "tell lost"])
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
      _ = connection.handle(.received(attempt: 1, Array(ConnectionWorld.hello().utf8)), at: at(0))
      _ = connection.handle(.closed(attempt: 1, ""), at: at(31_000))
      // One attempt in a thousand may follow at once.
      if case .waiting(let until) = connection.phase { moments.append(until) } else { moments.append(31_000) }
    }
    let slots = Dictionary(grouping: moments) { ($0 - 31_000) / 100 }
    #expect(moments.allSatisfy { $0 <= 32_000 })
    #expect(slots.values.allSatisfy { $0.count < 200 } && slots.count >= 10)
  }
}
