import Foundation
import HearthTestKit
import HearthTree
import ServerTestKit
import Testing

@testable import HearthDatabase
@testable import HearthEngine
@testable import HearthGateway
@testable import HearthServer

/// Tests of a server whose databases keep no page in memory.
@Suite struct PagedServerTests {
  private static let rules = """
    {"rules": {
      "list": {".read": true, ".write": true, ".indexOn": "n"}, "texts": {".read": true},
      "rooms": {"$room": {".read": "root.child('members').child($room).child(auth.uid).exists()"}}
    }}
    """
  private static let text = String(repeating: "é", count: 5_000)

  /// Runs `body` with a server that has stored its data, and with a function that evicts all of it.
  private static func with(_ body: (TestServer, _ evict: () async throws -> Void) async throws -> Void) async throws {
    try await TestServer.with(rules: rules, configure: TestServer.evictEverything) { test in
      let list = (0..<2_000).map { "\"k\($0)\":{\"n\":\($0)}" }.joined(separator: ",")
      let rooms = (0..<500).map { "\"r\($0)\":{\"topic\":\"about \($0)\"}" }.joined(separator: ",")
      let members = (0..<500).map { "\"r\($0)\":{\"ann\":true,\"bob\($0)\":true}" }.joined(separator: ",")
      let texts = (0..<40).map { "\"t\($0)\":\"\(text)\"" }.joined(separator: ",")
      let all = "{\"list\":{\(list)},\"rooms\":{\(rooms)},\"members\":{\(members)},\"texts\":{\(texts)}}"
      #expect(try test.http("PUT", "/.json?print=silent&auth=\(try test.secret)", all).status == 204)
      let database = try #require(test.server.parts?.services.databases.opened("default"))
      try await body(test) {
        let isEvicted = try await Polling.until {
          Self.evict(database)
          return database.published.root.children.allSatisfy { !$0.node.isResident }
        }
        #expect(isEvicted)
      }
    }
  }

  /// Evicts all stored pages from the newest version.
  private static func evict(_ database: Database) {
    let state = database.decider.engine.withLock { engine in
      for number in 1...UInt16.max {
        guard let store = PageStore.named(number) else { break }
        var (evictor, rounds) = (PageEvictor(of: store), 0)
        // The first round forgets which pages were read.
        while rounds < 2 {
          engine.state.root = evictor.run(engine.state.root, sizeBytes: .max)
          if evictor.isAtStart { rounds += 1 }
        }
      }
      return engine.state
    }
    database.writer.durable.replace(withSame: state)
  }

  @Test("REST reads, queries and streams of evicted data return all of it")
  func rest() async throws {
    try await Self.with { test, evict in
      let secret = try test.secret
      let targets: [(target: String, part: String)] = [
        ("/list/k77.json", #"{"n":77}"#), ("/list.json?shallow=true", #""k1999":true"#),
        ("/list.json", #""k1999":{"n":1999}"#),
        ("/list.json?orderBy=%22n%22&limitToLast=1", #"{"k1999":{"n":1999}}"#),
        ("/list.json?orderBy=%22$key%22&equalTo=%22k5%22", #"{"k5":{"n":5}}"#), ("/texts/t3.json", Self.text),
        ("/texts.json", "\"t39\":\"\(Self.text)\""), ("/rooms/r499.json?auth=\(secret)", "about 499"),
        ("/.json?print=pretty&auth=\(secret)", "about 499"),
      ]
      for (target, part) in targets {
        try await evict()
        let response = try test.http("GET", target)
        #expect(response.status == 200 && response.body.contains(part), "\(target): \(response.body.prefix(100))")
      }
      try await evict()
      let stream = try LiveStream(port: test.port, "/list/k77.json")
      #expect(try stream.next() == #"put|{"path":"/","data":{"n":77}}"#)
      #expect(try test.answer("PUT", "/list/k77/n.json", "78") == "200 78")
      #expect(try stream.next() == #"put|{"path":"/n","data":78}"#)
      try await evict()
      #expect(try LiveStream(port: test.port, "/list.json").next().contains(#""k1999":{"n":1999}"#))
    }
  }

  @Test("rules read evicted data, and denials are explained")
  func rules() async throws {
    try await Self.with { test, evict in
      try await evict()
      let ann = try test.token(uid: "ann")
      #expect(try test.answer("GET", "/rooms/r250.json?auth=\(ann)") == #"200 {"topic":"about 250"}"#)
      try await evict()
      #expect(try test.http("GET", "/rooms/r250.json?auth=\(try test.token(uid: "eve"))").status == 401)
      let line = try #require(test.log.lines.first { $0.contains("denied") })
      let trace = try #require(line.firstMatch(of: /trace=([0-9a-z-]+)/)?.1)
      let explained = try test.http("GET", "/.settings/denials/\(trace).json?auth=\(try test.secret)")
      #expect(explained.status == 200 && explained.body.contains("exists()"), "\(explained.body)")
      try await evict()
      let socket = try test.socket()
      socket.request("auth", "{\"cred\":\"\(try test.token(uid: "bob7"))\"}")
      _ = try socket.next()
      socket.request("q", #"{"p":"/rooms/r7","h":""}"#)
      #expect(try socket.next() == #"d {"p":"rooms/r7","d":{"topic":"about 7"}}"#)
      #expect(try socket.next() == "r 2 ok {}")
      socket.request("q", #"{"p":"/rooms/r8","h":""}"#)
      #expect(try socket.next() == #"r 3 permission_denied "Permission denied""#)
    }
  }

  @Test("sockets read, listen, query and compare evicted data")
  func sockets() async throws {
    try await Self.with { test, evict in
      let (reader, writer) = (try test.socket(), try test.socket())
      try await evict()
      reader.request("g", #"{"p":"/list/k5"}"#)
      reader.request("q", #"{"p":"/list","h":"","q":{"i":"n","l":2,"vf":"r"},"t":1}"#)
      reader.request("g", #"{"p":"/texts/t1"}"#)
      #expect(try reader.next() == #"r 1 ok {"n":5}"#)
      #expect(try reader.next() == #"d {"p":"list","d":{"k1998":{"n":1998},"k1999":{"n":1999}},"t":1}"#)
      #expect(try reader.next() == "r 2 ok {}")
      #expect(try reader.next() == "r 3 ok \"\(Self.text)\"")
      try await evict()
      writer.request("p", #"{"p":"/list/k3/n","d":5000}"#)
      #expect(try writer.next() == #"r 1 ok """#)
      #expect(try reader.next() == #"m {"p":"list","d":{"k1998":null,"k3":{"n":5000}},"t":1}"#)
      let hash = try #require(test.http("GET", "/list/k9.json", headers: ["X-Firebase-ETag": "true"]).headers["etag"])
      try await evict()
      #expect(try test.http("PUT", "/list/k9.json", "1", headers: ["if-match": "null"]).status == 412)
      try await evict()
      #expect(try test.http("PUT", "/list/k9.json", "1", headers: ["if-match": hash]).status == 200)
    }
  }
}
