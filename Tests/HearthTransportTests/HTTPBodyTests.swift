import NIOCore
import NIOHTTP1
import ServerTestKit
import Synchronization
import Testing

@testable import HearthTransport

/// Tests of accepted bodies by size, caller and rate.
@Suite struct HTTPBodyTests {
  private final class ManualClock: Sendable {
    let milliseconds = Mutex<Int64>(0)
  }

  private static func put(_ path: String, _ bytes: Int, _ body: String) -> String {
    "PUT /\(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(bytes)\r\n\r\n\(body)"
  }

  private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

  @Test func `when all bodies together are too large, the largest is dropped, on any event loop`() throws {
    let memory = ClientMemory.ofTest(heldBytesMax: 1000)
    let connections = try (0..<3).map { _ in try TestConnection(memory: memory) }
    try connections[0].send(Self.put("a", 2000, Self.text(300)))
    try connections[1].send(Self.put("b", 2000, Self.text(600)))
    #expect(memory.heldBytes == 900)
    try connections[2].send(Self.put("c", 102, Self.text(101)))
    let refusal = try connections[1].text()
    #expect(refusal.hasPrefix("HTTP/1.1 503 ") && refusal.contains("X-Refused: /b\r\n"), "\(refusal)")
    #expect(refusal.contains("\r\nConnection: close\r\n"))
    #expect(memory.heldBytes == 401)
    try connections[2].send("x")
    #expect(try connections[2].responses().first?.hasPrefix("200 ") == true)
    #expect(try connections[0].responses() == [])
    connections[0].channel.close(promise: nil)
    connections[0].channel.embeddedEventLoop.run()
    #expect(memory.heldBytes == 0 && memory.holderCount == 0)
  }

  @Test func `of two large bodies the stalled one is dropped, not the new one`() throws {
    let now = ManualClock()
    let memory = ClientMemory.ofTest(heldBytesMax: 20_000_000, clock: { now.milliseconds.withLock { $0 } })
    let (stopped, coming) = (try TestConnection(memory: memory), try TestConnection(memory: memory))
    try stopped.send(Self.put("stopped", 50_000_000, Self.text(8_000_000)))
    try coming.send(Self.put("coming", 50_000_000, Self.text(1_000_000)))
    for _ in 0..<11 {
      now.milliseconds.withLock { $0 += 3_000 }
      try coming.send(Self.text(1_000_000))
    }
    #expect(memory.heldBytes == 20_000_000)
    try coming.send("x")
    stopped.channel.embeddedEventLoop.run()
    #expect(try stopped.responses().first?.hasPrefix("503 ") == true)
    #expect(try coming.responses() == [] && coming.isOpen)
  }

  @Test func `a request in progress is answered, with any memory in use`() throws {
    let memory = ClientMemory.ofTest(heldBytesMax: 100)
    let answer = Mutex<EventLoopPromise<HTTPResponse>?>(nil)
    let responder = TestResponder { _, loop in
      let promise = loop.eventLoop.makePromise(of: HTTPResponse.self)
      answer.withLock { $0 = promise }
      return promise.futureResult
    }
    let busy = try TestConnection(responder: responder, memory: memory)
    try busy.send(Self.put("a", 90, Self.text(90)))
    let other = try TestConnection(memory: memory)
    try other.send(Self.put("b", 50, Self.text(40)))
    #expect(try other.responses().first?.hasPrefix("503 ") == true)
    busy.loop.giveUp(1)
    answer.withLock { $0 }?.succeed(HTTPResponse(.ok))
    #expect(try busy.responses() == ["200 OK|Content-Length: 0|Connection: keep-alive||"])
    #expect(memory.heldBytes == 0)
  }

  @Test func `a large body is authorized once, before it is read`() throws {
    var limits = TransportLimits.standard
    limits.bodyBytesWithoutCredentialMax = 100
    let asked = Mutex<[String]>([])
    let memory = ClientMemory.ofTest(heldBytesMax: 8000)
    func connection(_ caller: HTTPBodyCaller) throws -> TestConnection {
      var responder = TestResponder()
      responder.caller = { request in
        asked.withLock { $0.append(request.target) }
        return caller
      }
      return try TestConnection(responder: responder, limits: limits, memory: memory)
    }
    let small = try connection(.refused(HTTPResponse(.unauthorized)))
    try small.send(Self.put("small", 100, Self.text(100)))
    #expect(try small.responses().first?.hasPrefix("200 ") == true)
    #expect(asked.withLock { $0 } == [])

    let refused = try connection(.refused(HTTPResponse(.unauthorized)))
    try refused.send("PUT /r HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 101\r\n\r\n")
    #expect(try refused.responses() == ["401 Unauthorized|Content-Length: 0|Connection: close||"])
    let chunked = try connection(.refused(HTTPResponse(.unauthorized)))
    try chunked.send("PUT /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n\(Self.text(100))\r\n")
    #expect(try chunked.responses() == [])
    try chunked.send("1\r\nx\r\n")
    #expect(try chunked.responses().first?.hasPrefix("401 ") == true)

    let known = try connection(.known)
    try known.send("PUT /k HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3000\r\n\r\n")
    #expect(try known.text() == "HTTP/1.1 100 Continue\r\n\r\n")
    for _ in 0..<3 { try known.send(Self.text(1000)) }
    #expect(try known.responses().first?.hasPrefix("200 ") == true)
    #expect(asked.withLock { $0 } == ["/r", "/c", "/k"])
    #expect(memory.heldBytes == 0)
  }

  @Test(arguments: [false, true])
  func `a large body is read only after its client is authorized`(isChunked: Bool) throws {
    let waits = Mutex<[Int]>([])
    let memory = ClientMemory.ofTest(heldBytesMax: 1 << 20)
    var responder = TestResponder()
    responder.admission = { request, count in
      waits.withLock { $0.append(count) }
      return request.target == "/never"
        ? .refused(HTTPResponse(.tooManyRequests))
        : count < 2 ? .later(milliseconds: 20_000) : .now
    }
    func head(_ target: String, _ bytes: Int) -> String {
      let length = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(bytes)"
      return "PUT /\(target) HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\(length)\r\n\r\n"
    }
    func part(_ bytes: Int) -> String {
      isChunked ? "\(String(bytes, radix: 16))\r\n\(Self.text(bytes))\r\n" : Self.text(bytes)
    }
    let small = try TestConnection(responder: responder, memory: memory)
    try small.send(head("small", 16 << 10) + part(16 << 10) + (isChunked ? "0\r\n\r\n" : ""))
    #expect(try small.text().contains("200 OK") && waits.withLock { $0 } == [])

    let large = try TestConnection(responder: responder, memory: memory)
    try large.send(head("large", 100_000))
    // The size of a body without a content length is known only as it grows.
    #expect(try large.text() == (isChunked ? "HTTP/1.1 100 Continue\r\n\r\n" : ""))
    for _ in 0..<10 { try large.send(part(10_000)) }
    if isChunked { try large.send("0\r\n\r\n") }
    #expect(memory.heldBytes <= 2 * 16_384 && waits.withLock { $0 } == [0])
    // Longer than a body may pause: here the server itself does not read.
    large.advance(seconds: 39)
    #expect(try large.text() == "" && waits.withLock { $0 } == [0, 1] && large.isOpen)
    large.advance(seconds: 2)
    let answer = try large.text()
    #expect(answer.contains("200 OK") && waits.withLock { $0 } == [0, 1, 2])
    #expect(answer.contains("100 Continue") != isChunked && memory.heldBytes == 0)

    let refused = try TestConnection(responder: responder, memory: memory)
    try refused.send(head("never", 100_000) + part(50_000))
    #expect(try refused.text().contains("429 ") && memory.heldBytes == 0)
  }

  @Test func `large bodies without a credential share a small limit, and leave the rest to others`() throws {
    var limits = TransportLimits.standard
    limits.bodyBytesWithoutCredentialMax = 100
    let memory = ClientMemory.ofTest(heldBytesMax: 8000)
    #expect(memory.anonymousBytesMax == 1000)
    var anonymous = TestResponder()
    anonymous.caller = { _ in .anonymous }
    let known = try TestConnection(limits: limits, memory: memory)
    try known.send(Self.put("known", 5000, Self.text(4000)))
    let first = try TestConnection(responder: anonymous, limits: limits, memory: memory)
    try first.send(Self.put("first", 1000, Self.text(600)))
    let second = try TestConnection(responder: anonymous, limits: limits, memory: memory)
    try second.send(Self.put("second", 500, Self.text(450)))
    first.channel.embeddedEventLoop.run()
    #expect(try first.responses().first?.hasPrefix("503 ") == true)
    try second.send(Self.text(50))
    #expect(try second.responses().first?.hasPrefix("200 ") == true)
    #expect(known.isOpen && memory.heldBytes == 4000)
    let tooLarge = try TestConnection(responder: anonymous, limits: limits, memory: memory)
    try tooLarge.send(Self.put("large", 1001, ""))
    #expect(try tooLarge.responses().first?.hasPrefix("401 ") == true, "it would have no room in any case")
  }

  @Test func `a large body that arrived fast and then slows to a few bytes is answered 408`() throws {
    let connection = try TestConnection()
    try connection.send(Self.put("a", 50_000_000, Self.text(3_000_000)))
    for _ in 0..<5 {
      connection.advance(seconds: 12)
      try connection.send("x")
    }
    #expect(connection.isOpen && connection.loop.memory.heldBytes == 3_000_005)
    for _ in 0..<3 where connection.loop.memory.heldBytes > 0 {
      connection.advance(seconds: 12)
      try? connection.send("x")
    }
    let answer = try connection.text()
    #expect(answer.hasPrefix("HTTP/1.1 408 ") && answer.contains("\r\nConnection: close\r\n"), "\(answer)")
    #expect(connection.loop.memory.heldBytes == 0)
  }
}
