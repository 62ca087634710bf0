import Glibc
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// Tests of delivery to many clients at once: each receives all events in order, at any reading speed.
@Suite struct DeliveryOrderTests {
  private static let rules = #"{"rules": {".read": true, ".write": true}}"#

  /// Writes values in order over one socket, with as many in flight as possible.
  private static func write(_ values: [String], by writer: LiveSocket) throws {
    for value in values { writer.request("p", "{\"p\":\"/a\",\"d\":\(value)}") }
    for _ in values { _ = try writer.next() }
  }

  private static func listen(_ test: TestServer, query: String = "", headers: String = "") throws -> LiveSocket {
    let socket = try test.socket(headers: headers)
    socket.request("q", #"{"p":"/a","h":""\#(query)}"#)
    // Existing data comes before the answer.
    while try !socket.next().hasPrefix("r 1 ok ") {}
    return socket
  }

  /// Reads the next message of a client that receives segments.
  private static func joined(_ socket: LiveSocket) throws -> String {
    let first = try socket.receive()
    guard let count = Int(first) else { return first }
    return try (0..<count).map { _ in try socket.receive() }.joined()
  }

  @Test func `sockets, streams and tagged listens of every loop get all events in order, slow ones later`()
    async throws
  {
    try await TestServer.with(rules: Self.rules, ioThreadCount: 3) { test throws in
      let sockets = try (0..<12).map { _ in try Self.listen(test) }
      let fragile = try Self.listen(test, headers: "User-Agent: Firebase/5/8.2.0/17/AdminJava\r\n")
      let streams = try (0..<4).map { _ in try test.stream("/a.json") }
      for stream in streams { #expect(try stream.next() == #"put|{"path":"/","data":null}"#) }
      let slow = try Self.listen(test)
      slow.takeLittle()
      let writer = try test.socket()
      // Together much more than the buffers of a client that does not read.
      let padding = String(repeating: "x", count: 20_000)
      let values = (0..<400).map { "\"\($0) \($0 % 7 == 0 ? padding : "")\"" }
      try Self.write(values, by: writer)
      for value in values {
        let told = "d {\"p\":\"a\",\"d\":\(value)}"
        for socket in sockets {
          let next = try socket.next()
          #expect(next == told)
        }
        let joined = try Self.joined(fragile)
        #expect(joined == "{\"t\":\"d\",\"d\":{\"a\":\"d\",\"b\":{\"p\":\"a\",\"d\":\(value)}}}")
        for stream in streams { #expect(try stream.next() == "put|{\"path\":\"/\",\"data\":\(value)}") }
      }
      for value in values {
        let next = try slow.next()
        #expect(next == "d {\"p\":\"a\",\"d\":\(value)}")
      }
    }
  }

  @Test func `a writer's own listens get its change before the response, with events of other writers in between`()
    async throws
  {
    try await TestServer.with(rules: Self.rules, ioThreadCount: 1) { test throws in
      let sockets = try (0..<6).map { _ in try Self.listen(test) }
      for round in 0..<50 {
        let writer = sockets[round % sockets.count]
        for step in 0..<3 { writer.request("p", "{\"p\":\"/a\",\"d\":\"\(round).\(step)\"}") }
        for socket in sockets {
          for step in 0..<3 {
            #expect(try socket.next() == "d {\"p\":\"a\",\"d\":\"\(round).\(step)\"}")
            if socket === writer { #expect(try socket.next().hasSuffix(#" ok """#)) }
          }
        }
      }
    }
  }

  @Test func `clients that connect and disconnect during deliveries do not disturb others`() async throws {
    try await TestServer.with(rules: Self.rules, ioThreadCount: 2) { test throws in
      let steady = try (0..<4).map { _ in try Self.listen(test) }
      let writer = try test.socket()
      for round in 0..<40 {
        // Both end abruptly with events in flight; the next clients take their places.
        let (socket, stream) = (try Self.listen(test), try test.stream("/a.json"))
        writer.request("p", "{\"p\":\"/a\",\"d\":\(2 * round + 1)}")
        _ = (socket, stream)
        writer.request("p", "{\"p\":\"/a\",\"d\":\(2 * round + 2)}")
      }
      for number in 1...80 {
        for socket in steady { #expect(try socket.next() == "d {\"p\":\"a\",\"d\":\(number)}") }
      }
    }
  }
}
