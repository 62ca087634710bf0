import NIOCore
import NIOHTTP1
import Testing

@testable import HearthTransport

@Suite struct HTTPStreamTests {
  /// A delegate that fills a stream on command, and counts its calls.
  private final class Source: HTTPStreamDelegate {
    var stream: HTTPStream?
    var closedCount = 0
    var greeting = "a"
    let quietText = ByteBuffer(string: "quiet")

    func opened(_ stream: HTTPStream) {
      self.stream = stream
      stream.send(ByteBuffer(string: greeting))
    }

    func closed() { closedCount += 1 }

    func send(_ text: String) {
      stream?.send(ByteBuffer(string: text))
      stream?.flush()
    }
  }

  private static func connection(
    _ source: Source, isUnframed: Bool = false, limits: TransportLimits = .standard
  ) throws -> TestConnection {
    nonisolated(unsafe) let source = source  // Everything here runs on the test's thread.
    return try TestConnection(
      responder: TestResponder { _, loop in
        var response = HTTPResponse(.ok, headers: [("X", "y")])
        response.isUnframed = isUnframed
        response.stream = NIOLoopBound<any HTTPStreamDelegate>(source, eventLoop: loop.eventLoop)
        return loop.eventLoop.makeSucceededFuture(response)
      }, limits: limits)
  }

  private static let request = "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n"

  @Test func `a stream is sent as chunks after a head without a length`() throws {
    let source = Source()
    let connection = try Self.connection(source)
    try connection.send(Self.request)
    #expect(
      try connection.responses() == ["200 OK|X: y|Transfer-Encoding: chunked|Connection: close||1|a|"])
    source.send("0123456789abcdef")
    #expect(try connection.text() == "10\r\n0123456789abcdef\r\n")
    source.stream?.send(ByteBuffer(string: "x"))
    source.stream?.send(ByteBuffer(string: "y"))
    #expect(try connection.text() == "")
    source.stream?.flush()
    // Each part is its own chunk, so that the same bytes serve every stream.
    #expect(try connection.text() == "1\r\nx\r\n1\r\ny\r\n")
    #expect(connection.isOpen && source.closedCount == 0)
    source.stream?.send(ByteBuffer(string: "z"))
    source.stream?.end()
    #expect(try connection.text() == "1\r\nz\r\n0\r\n\r\n")
    #expect(!connection.isOpen && source.closedCount == 1)
    source.send("too late")
    #expect(try connection.text() == "")
  }

  @Test(arguments: [("1.0", false), ("1.1", true)])
  func `a client of HTTP-1 point 0, and one of an unframed stream, are sent the bytes as they are`(
    version: String, isUnframed: Bool
  ) throws {
    let source = Source()
    let connection = try Self.connection(source, isUnframed: isUnframed)
    try connection.send("GET /a HTTP/\(version)\r\nHost: localhost\r\n\r\n")
    #expect(try connection.responses() == ["200 OK|X: y|Connection: close||a"])
    source.stream?.end()
    #expect(try connection.text() == "")
    #expect(!connection.isOpen && source.closedCount == 1)
  }

  @Test func `large parts are not joined with others`() throws {
    let source = Source()
    let connection = try Self.connection(source)
    try connection.send(Self.request)
    _ = try connection.text()
    let large = String(repeating: "l", count: 20_000)
    source.stream?.send(ByteBuffer(string: "s"))
    source.send(large)
    #expect(try connection.text() == "1\r\ns\r\n4e20\r\n\(large)\r\n")
  }

  @Test func `the response to HEAD has only a head, and no stream is produced`() throws {
    let source = Source()
    let connection = try Self.connection(source)
    try connection.send("HEAD /a HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(try connection.responses() == ["200 OK|X: y|Content-Length: 0|Connection: keep-alive||"])
    #expect(connection.isOpen && source.stream == nil && source.closedCount == 1)
  }

  @Test func `client data during a stream is dropped, and its end is noticed`() throws {
    let source = Source()
    let connection = try Self.connection(source)
    try connection.send(Self.request + Self.request)
    #expect(try connection.responses().count == 1)
    try connection.send(Self.request)
    source.send("b")
    #expect(try connection.text() == "1\r\nb\r\n")
    connection.channel.close(promise: nil)
    connection.advance(seconds: 0)
    #expect(source.closedCount == 1 && connection.loop.connectionCount == 0)
    source.send("c")
    #expect(source.closedCount == 1)
  }

  @Test func `malformed input during a stream ends the connection without another answer`() throws {
    let source = Source()
    let connection = try Self.connection(source)
    try connection.send(Self.request)
    _ = try connection.text()
    try? connection.send("nonsense\r\n\r\n")
    #expect(try connection.text() == "")
    #expect(!connection.isOpen && source.closedCount == 1)
  }

  @Test func `an idle stream sends a keep-alive every thirty seconds`() throws {
    let source = Source()
    let connection = try Self.connection(source)
    try connection.send(Self.request)
    _ = try connection.text()
    connection.advance(seconds: 29)
    #expect(try connection.text() == "")
    source.send("b")
    _ = try connection.text()
    connection.advance(seconds: 29)
    #expect(try connection.text() == "")
    connection.advance(seconds: 2)
    #expect(try connection.text() == "5\r\nquiet\r\n")
    connection.advance(seconds: 300)
    #expect(try connection.text() == String(repeating: "5\r\nquiet\r\n", count: 10))
    #expect(connection.isOpen)
  }

  @Test func `a client that reads nothing for a minute is disconnected`() throws {
    let source = Source()
    let connection = try Self.connection(source)
    try connection.send(Self.request)
    connection.channel.isWritable = false
    source.send("b")
    connection.advance(seconds: 59)
    #expect(connection.isOpen)
    connection.advance(seconds: 4)
    #expect(!connection.isOpen && source.closedCount == 1)
  }

  @Test func `the server's shutdown completes the body`() throws {
    let source = Source()
    let connection = try Self.connection(source)
    try connection.send(Self.request)
    _ = try connection.text()
    connection.loop.shutDown()
    connection.advance(seconds: 0)
    #expect(try connection.text() == "0\r\n\r\n")
    #expect(!connection.isOpen && source.closedCount == 1)
  }

  @Test func `the completion is called when everything is written`() throws {
    let source = Source()
    let connection = try Self.connection(source)
    try connection.send(Self.request)
    _ = try connection.text()
    var isWritten = false
    source.stream?.send(ByteBuffer(string: "b"))
    source.stream?.whenWritten { isWritten = true }
    connection.advance(seconds: 0)
    #expect(try connection.text() == "1\r\nb\r\n")
    #expect(isWritten)
  }

  @Test func `a stream is not produced for a closed connection`() throws {
    nonisolated(unsafe) let source = Source()  // Everything here runs on the test's thread.
    nonisolated(unsafe) var promise: EventLoopPromise<HTTPResponse>?
    let connection = try TestConnection(
      responder: TestResponder { _, loop in
        let made = loop.eventLoop.makePromise(of: HTTPResponse.self)
        promise = made
        return made.futureResult
      })
    try connection.send(Self.request)
    connection.channel.close(promise: nil)
    connection.advance(seconds: 0)
    var response = HTTPResponse(.ok)
    response.stream = NIOLoopBound<any HTTPStreamDelegate>(source, eventLoop: connection.loop.eventLoop)
    promise?.succeed(response)
    connection.advance(seconds: 0)
    #expect(source.stream == nil && source.closedCount == 1)
  }
}
