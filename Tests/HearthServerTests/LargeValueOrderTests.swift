import RandomTestKit
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// Tests of event order: large values are encoded off the event loop, small ones on it, and a client receives both in
/// the order of the database.
@Suite struct LargeValueOrderTests {
  private static let rules = #"{"rules": {".read": true, ".write": true, "list": {".indexOn": "n"}}}"#

  /// Longer than any value that is encoded on the event loop.
  private static let large = String(repeating: "é", count: LargeValuePool.loopBytesMax)

  /// Writes two thousand children: more than the event loop examines, unless an index finds the few that are requested.
  private static func fill(_ test: TestServer) throws {
    let list = (0..<2_000).map { "\"k\($0)\":{\"n\":\($0)}" }.joined(separator: ",")
    #expect(try test.http("PUT", "/list.json?print=silent", "{\(list)}").status == 204)
    #expect(try test.http("PUT", "/large.json?print=silent", "\"\(large)\"").status == 204)
  }

  /// Compares texts without printing large ones.
  private static func expect(_ text: String, _ expected: String, at place: SourceLocation = #_sourceLocation) {
    let isSame = text == expected
    #expect(isSame, "\(text.prefix(120)) … \(text.suffix(40))", sourceLocation: place)
  }

  @Test func `responses come in the order of the requests, however long each takes`() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      try Self.fill(test)
      let small = #"{"p":"/list","q":{"i":"n","l":1,"vf":"r"}}"#
      let scan = #"{"p":"/list","q":{"i":".key","sp":"k998","sin":true}}"#
      let keys = (0..<2_000).map { "k\($0)" }.sorted().prefix(1_500)
      let many = "{" + keys.map { "\"\($0)\":{\"n\":\($0.dropFirst())}" }.joined(separator: ",") + "}"
      let kinds: [(String, String, String)] = [
        ("g", small, #"{"k1999":{"n":1999}}"#), ("g", scan, #"{"k998":{"n":998},"k999":{"n":999}}"#),
        ("g", #"{"p":"/large"}"#, "\"\(Self.large)\""), ("p", #"{"p":"/x","d":1}"#, #""""#),
        ("g", #"{"p":"/list/k7","q":{"i":".key","l":1,"vf":"r"}}"#, #"{"n":7}"#),
        ("g", #"{"p":"/list","q":{"i":".key","l":1500,"vf":"l"}}"#, many),
      ]
      var numbers = SeededRandom(seed: 1)
      let chosen = (0..<200).map { _ in Int.random(in: 0..<kinds.count, using: &numbers) }
      let socket = try test.socket()
      for kind in chosen { socket.request(kinds[kind].0, kinds[kind].1) }
      for (number, kind) in chosen.enumerated() {
        Self.expect(try socket.next(), "r \(number + 1) ok \(kinds[kind].2)")
      }
    }
  }

  @Test func `requests are executed in order, also behind a large one`() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let socket = try test.socket()
      for round in 0..<4 {
        socket.request("p", "{\"p\":\"/a\",\"d\":\"\(round)\(Self.large)\"}")
        socket.request("g", #"{"p":"/b"}"#)
        socket.request("p", "{\"p\":\"/a\",\"d\":\(round)}")
        socket.request("p", "{\"p\":\"/b\",\"d\":\"\(round)\(Self.large)\"}")
        socket.request("p", "{\"p\":\"/b\",\"d\":\(round)}")
        socket.request("g", #"{"p":"/a"}"#)
      }
      for round in 0..<4 {
        let first = round * 6 + 1
        #expect(try socket.next() == "r \(first) ok \"\"")
        #expect(try socket.next() == "r \(first + 1) ok \(round == 0 ? "null" : "\(round - 1)")")
        for number in 2..<5 { #expect(try socket.next() == "r \(first + number) ok \"\"") }
        #expect(try socket.next() == "r \(first + 5) ok \(round)")
      }
    }
  }

  @Test func `an invalid large message closes the socket, and so does a truncated one`() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let broken = try test.socket()
      broken.request("p", "{\"p\":\"/a\",\"d\":\"\(Self.large)\"")
      #expect(try broken.next() == "close 1008")
      let cut = try test.socket()
      cut.request("p", "{\"p\":\"/a\",\"d\":\"\(Self.large)\"}")
      cut.close()
      let other = try test.socket()
      other.request("g", #"{"p":"/c"}"#)
      #expect(try other.next() == "r 1 ok null")
    }
  }

  @Test func `a large event reaches all listens with their tags before later events`() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let sockets = try (0..<6).map { _ in try test.socket() }
      for (number, socket) in sockets.enumerated() {
        let query = number < 3 ? "" : #","q":{"i":".key","sp":"","sin":true},"t":\#(number)"#
        socket.request("q", #"{"p":"/a","h":""\#(query)}"#)
        #expect(try socket.next().hasPrefix("r 1 ok {"))
      }
      let stream = try test.stream("/a.json")
      _ = try stream.next()
      for round in 0..<3 {
        #expect(try test.http("PUT", "/a/x.json?print=silent", "\"\(round)\(Self.large)\"").status == 204)
        #expect(try test.http("PUT", "/a/y.json", "\(round + 1)").status == 200)
        for (number, socket) in sockets.enumerated() {
          let tag = number < 3 ? "" : ",\"t\":\(number)"
          // A query receives children that enter it by a merge.
          let isNew = number >= 3 && round == 0
          let (large, small) = ("\"\(round)\(Self.large)\"", "\(round + 1)")
          Self.expect(
            try socket.next(),
            isNew ? "m {\"p\":\"a\",\"d\":{\"x\":\(large)}\(tag)}" : "d {\"p\":\"a/x\",\"d\":\(large)\(tag)}")
          Self.expect(
            try socket.next(),
            isNew ? "m {\"p\":\"a\",\"d\":{\"y\":\(small)}\(tag)}" : "d {\"p\":\"a/y\",\"d\":\(small)\(tag)}")
        }
        Self.expect(try stream.next(), "put|{\"path\":\"/x\",\"data\":\"\(round)\(Self.large)\"}")
        #expect(try stream.next() == "put|{\"path\":\"/y\",\"data\":\(round + 1)}")
      }
    }
  }
}
