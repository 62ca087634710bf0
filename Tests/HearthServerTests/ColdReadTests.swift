import Foundation
import HearthTestKit
import HearthTree
import PagesTestKit
import ServerTestKit
import Synchronization
import Testing

@testable import HearthDatabase
@testable import HearthEngine
@testable import HearthGateway
@testable import HearthServer

/// Tests of clients that read data that is not in memory, from a source that is slow or fails.
@Suite struct ColdReadTests {
  private static let rules = """
    {"rules": {
      "cold": {".read": true}, "warm": {".read": true, ".write": true},
      "gated": {".read": "root.child('cold/k1500/n').val() === 1500"}
    }}
    """

  /// Stored pages whose reads wait, or fail, as a test wants.
  private final class SlowPages: PageSource {
    private let pages: MemoryPages
    private let isFailing = Atomic(false)
    private let gate = NSCondition()
    nonisolated(unsafe) private var isOpen = true

    init(_ pages: MemoryPages) { self.pages = pages }

    func read(at location: PageLocation, _ body: (UnsafeRawBufferPointer, UInt64) -> Void) throws(PageError) {
      gate.lock()
      while !isOpen { gate.wait() }
      gate.unlock()
      if isFailing.load(ordering: .relaxed) { throw PageError("the disk failed", at: location) }
      try pages.read(at: location, body)
    }

    func setOpen(_ isOpen: Bool) {
      gate.lock()
      self.isOpen = isOpen
      gate.broadcast()
      gate.unlock()
    }

    func setFailing(_ isFailing: Bool) { self.isFailing.store(isFailing, ordering: .relaxed) }
  }

  /// A server's database with `cold`, of which nothing but the number of children is in memory.
  private struct Cold {
    let pages: SlowPages
    let database: Database
    let data: Node

    init(_ test: TestServer) throws {
      let found = Mutex<SlowPages?>(nil)
      var store = MemoryStore { pages in
        let slow = SlowPages(pages)
        found.withLock { $0 = slow }
        return slow
      }
      data = Node.empty.replacing((0..<2_000).map { (Path("k\($0)/n"), Node(.int(Int64($0)))) })
      stored = try store.save(data)
      pages = try #require(found.withLock { $0 })
      database = try #require(test.server.parts?.services.databases.opened("default"))
      try evict()
    }

    private let stored: StoredNode

    /// Puts the data into the database as it is without pages in memory.
    func evict() throws {
      let cold = try stored.open()
      let state = database.decider.engine.withLock { engine in
        engine.state.root = engine.state.root.replacing("cold", with: cold)
        return engine.state
      }
      database.writer.durable.replace(state)
    }

    var text: String { String(decoding: data.json(.plain), as: UTF8.self) }
  }

  private static func with(_ body: (TestServer, Cold) async throws -> Void) async throws {
    try await TestServer.with(rules: rules, ioThreadCount: 1) { test in
      #expect(try test.http("PUT", "/warm.json", "7").status == 200)
      let cold = try Cold(test)
      defer { cold.pages.setOpen(true) }
      try await body(test, cold)
    }
  }

  @Test("a slow disk delays the clients that read from it, in their order, and no others on the same event loop")
  func slow() async throws {
    try await Self.with { test, cold in
      cold.pages.setOpen(false)
      let (slow, other) = (try test.socket(), try test.socket())
      other.request("q", #"{"p":"/warm","h":""}"#)
      #expect(try other.next() == #"d {"p":"warm","d":7}"#)
      #expect(try other.next() == "r 1 ok {}")
      slow.request("g", #"{"p":"/cold"}"#)
      slow.request("g", #"{"p":"/warm"}"#)
      slow.request("q", #"{"p":"/warm","h":""}"#)
      slow.request("p", #"{"p":"/warm","d":8}"#)
      #expect(try other.next() == #"d {"p":"warm","d":8}"#)
      let rest = try LiveConnection(port: test.port)
      rest.send(Array("GET /cold.json HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
      let gated = try LiveConnection(port: test.port)
      gated.send(Array("GET /gated.json HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
      other.request("g", #"{"p":"/warm"}"#)
      #expect(try other.next() == "r 2 ok 8")
      #expect(try test.answer("GET", "/warm.json") == "200 8")
      #expect(!rest.hasBytes && !gated.hasBytes)
      cold.pages.setOpen(true)
      #expect(try slow.next() == "r 1 ok \(cold.text)")
      #expect(try slow.next() == "r 2 ok 7")
      #expect(try slow.next() == #"d {"p":"warm","d":7}"#)
      #expect(try slow.next() == "r 3 ok {}")
      #expect(try slow.next() == #"d {"p":"warm","d":8}"#)
      #expect(try slow.next() == #"r 4 ok """#)
      #expect(try rest.takeResponse().body == cold.text)
      #expect(try gated.takeResponse().body == "null", "the rule has read what it needs")
    }
  }

  @Test("every form of a read returns the same from the disk as from memory")
  func forms() async throws {
    try await Self.with { test, cold in
      let targets = [
        "/cold.json", "/cold.json?shallow=true", "/cold/k7.json", "/cold/k7/n.json", "/gated.json",
        "/cold.json?orderBy=\"$key\"&limitToFirst=2", "/cold.json?orderBy=\"$key\"&limitToLast=1500",
        "/cold.json?orderBy=\"$key\"&equalTo=\"k33\"", "/cold.json?print=pretty", "/cold/k7/.priority.json",
      ]
      for target in targets {
        let target = target.replacing("\"", with: "%22")
        try cold.evict()
        let first = try test.http("GET", target, headers: ["X-Firebase-ETag": "true"])
        let second = try test.http("GET", target, headers: ["X-Firebase-ETag": "true"])
        #expect(first.status == 200 && first.body == second.body, "\(target)")
        #expect(first.headers["etag"] == second.headers["etag"], "\(target)")
      }
      #expect(try test.http("GET", "/cold.json").body == cold.text)
      try cold.evict()
      let socket = try test.socket()
      socket.request("q", #"{"p":"/cold","h":""}"#)
      #expect(try socket.next() == "d {\"p\":\"cold\",\"d\":\(cold.text)}")
      #expect(try socket.next() == "r 1 ok {}")
      try cold.evict()
      let stream = try LiveStream(port: test.port, "/cold.json")
      #expect(try stream.next() == "put|{\"path\":\"/\",\"data\":\(cold.text)}")
    }
  }

  @Test("a read that fails is answered as unavailable, ends its listen, logs no denial, and can be repeated")
  func failing() async throws {
    try await Self.with { test, cold in
      cold.pages.setFailing(true)
      let socket = try test.socket()
      socket.request("g", #"{"p":"/cold"}"#)
      socket.request("q", #"{"p":"/cold","h":""}"#)
      socket.request("g", #"{"p":"/warm"}"#)
      #expect(try socket.next() == #"r 1 unavailable "The database is not available.""#)
      #expect(try socket.next() == #"r 2 unavailable "The database is not available.""#)
      #expect(try socket.next() == "r 3 ok 7")
      for target in ["/cold.json", "/cold.json?shallow=true", "/cold/k7.json", "/gated.json"] {
        #expect(try test.http("GET", target).status == 503, "\(target)")
      }
      let stream = try LiveStream(port: test.port, "/cold.json")
      #expect(try stream.next() == "end")
      #expect(!test.log.lines.contains { $0.contains("denied") })
      cold.pages.setFailing(false)
      socket.request("g", #"{"p":"/cold"}"#)
      #expect(try socket.next() == "r 4 ok \(cold.text)")
      #expect(try test.http("GET", "/gated.json").body == "null")
    }
  }
}
