import Foundation
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// Tests of the memory that clients make a server hold, over real connections.
@Suite struct HeldMemoryServerTests {
  private static let rules = """
    {"rules": {".read": true, "open": {".write": true}, "closed": {".write": "auth !== null"}}}
    """
  /// More than the kernel buffers for a client that does not read.
  private static let valueBytes = 7 << 20

  private static func value() -> String { "\"" + String(repeating: "v", count: valueBytes) + "\"" }

  /// Opens a stream and reads nothing from it.
  private static func unread(_ test: TestServer, _ target: String) throws -> LiveConnection {
    let connection = try LiveConnection(port: test.port)
    connection.send(Array("GET \(target) HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n".utf8))
    return connection
  }

  /// Waits for a condition, for a minute at most.
  private static func wait(_ condition: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<3_000 {
      if try await condition() { return true }
      try await Task.sleep(for: .milliseconds(20))
    }
    return false
  }

  @Test func `slow readers share a value's text, and are disconnected when the texts exceed the bound`()
    async throws
  {
    let memory = ClientMemory.ofTest(heldBytesMax: 18 << 20, stepBytes: 16 << 10)
    try await TestServer.with(rules: Self.rules, memory: memory) { test in
      for name in ["a", "b", "c"] {
        #expect(try test.http("PUT", "/open/\(name).json?print=silent&auth=\(test.secret)", Self.value()).status == 204)
      }
      #expect(try await Self.wait { memory.heldBytes == 0 })
      var readers: [LiveConnection] = []
      for _ in 0..<6 {
        readers.append(try Self.unread(test, "/open/a.json"))
        let count = readers.count
        #expect(try await Self.wait { memory.holderCount == count })
      }
      // Two loops may have encoded it at the same time.
      #expect((Self.valueBytes..<(3 * Self.valueBytes)).contains(memory.heldBytes), "\(memory.heldBytes)")
      #expect(memory.holderCount == 6, "nobody is cut")
      for name in ["b", "c"] { readers.append(try Self.unread(test, "/open/\(name).json")) }
      #expect(try await Self.wait { memory.holderCount < 8 && memory.heldBytes <= 18 << 20 })
      #expect(try test.answer("GET", "/open/none.json") == "200 null", "others are served")
      readers = []
      #expect(try await Self.wait { memory.heldBytes == 0 && memory.holderCount == 0 })
    }
  }

  @Test func `a large body is read only with a valid credential, and refused before it is read otherwise`()
    async throws
  {
    try await TestServer.with(rules: Self.rules) { test in
      let length = 3 << 20
      func begin(_ target: String, headers: String = "") throws -> LiveConnection {
        let connection = try LiveConnection(port: test.port)
        connection.send(
          Array(
            "PUT \(target) HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: \(length)\r\n\(headers)\r\n"
              .utf8))
        return connection
      }
      let body = Array(("\"" + String(repeating: "x", count: length - 2) + "\"").utf8)
      for headers in ["", "Authorization: Bearer \(try test.adminToken)\r\n"] {
        let target =
          headers.isEmpty ? "/closed/a.json?print=silent&auth=\(try test.secret)" : "/closed/a.json?print=silent"
        let connection = try begin(target, headers: headers)
        #expect(try connection.takeHead() == ["HTTP/1.1 100 Continue"])
        connection.send(body)
        #expect(try connection.takeHead().first == "HTTP/1.1 204 No Content")
      }
      for (target, headers) in [
        ("/closed/a.json?auth=no.such.token", ""), ("/open/a.json?access_token=nobody", ""),
        ("/open/a.json", "Authorization: Bearer nobody\r\n"),
      ] {
        let head = try begin(target, headers: headers).takeHead()
        #expect(head.first == "HTTP/1.1 401 Unauthorized" && head.contains("Connection: close"), "\(head)")
      }
      let anybody = try begin("/open/b.json?print=silent")
      #expect(try anybody.takeHead() == ["HTTP/1.1 100 Continue"])
      anybody.send(body)
      #expect(try anybody.takeHead().first == "HTTP/1.1 204 No Content")
    }
  }

  @Test func `requests of other clients are served while unfinished bodies fill all the memory allowed for them`()
    async throws
  {
    let memory = ClientMemory.ofTest(heldBytesMax: 4 << 20, stepBytes: 16 << 10)
    try await TestServer.with(rules: Self.rules, memory: memory) { test in
      let part = [UInt8](repeating: 0x78, count: 1 << 20)
      var holders: [LiveConnection] = []
      for number in 0..<9 {
        let holder = try LiveConnection(port: test.port)
        holder.send(
          Array(
            "PUT /open/\(number).json?auth=\(try test.secret) HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n"
              .utf8))
        holder.send(part)
        holders.append(holder)
        for round in 0..<5 { #expect(try test.answer("PUT", "/open/small.json", "\(round)") == "200 \(round)") }
      }
      #expect(try await Self.wait { memory.heldBytes <= 4 << 20 })
      let refused = try #require(holders.first { $0.hasBytes })
      let head = try refused.takeHead()
      #expect(head.first == "HTTP/1.1 503 Service Unavailable" && head.contains("Connection: close"), "\(head)")
      holders = []
      #expect(try await Self.wait { memory.heldBytes == 0 && memory.holderCount == 0 })
    }
  }
}
