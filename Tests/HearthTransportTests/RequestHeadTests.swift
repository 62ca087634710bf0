import NIOCore
import NIOHTTP1
import ServerTestKit
import Synchronization
import Testing

@testable import HearthTransport

/// Tests of the request heads that clients send, and of the heads that responders receive.
@Suite struct RequestHeadTests {
  private static let host = "Host: localhost\r\n"

  /// Returns a connection that answers with the target, and with the hosts and modes that the request names.
  private static func connection() throws -> TestConnection {
    try TestConnection(
      responder: TestResponder { request, loop in
        let values = request.headers["Host"] + request.headers["X-Mode"].map { "[\($0)]" }
        let body = ByteBuffer(string: ([request.target] + values).joined(separator: " "))
        return loop.eventLoop.makeSucceededFuture(HTTPResponse(.ok, body: body))
      })
  }

  private static func answer(_ request: String) throws -> String? {
    let connection = try connection()
    try? connection.send(request)
    return try connection.responses().first.map { String($0.split(separator: "||").last ?? "") }
  }

  @Test(arguments: [("PUT ", "PUT"), (" \t PUT\t", "PUT"), ("a b ", "a b"), ("  ", ""), ("\"x\"", "\"x\"")])
  func `white space around a header's value is no part of it`(sent: String, value: String) throws {
    #expect(
      try Self.answer("GET /a HTTP/1.1\r\n\(Self.host)X-Mode:\(sent)\r\n\r\n") == "/a localhost [\(value)]")
  }

  @Test func `a padded length, version and key are accepted`() throws {
    let connection = try TestConnection()
    try connection.send("PUT /a HTTP/1.1\r\n\(Self.host)Content-Length: 2 \r\n\r\nxy")
    #expect(try connection.responses() == ["200 OK|Content-Length: 9|Connection: keep-alive||PUT /a xy"])
    try connection.send(
      "GET /.ws HTTP/1.1\r\n\(Self.host)Upgrade: websocket\r\nConnection: Upgrade \r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ== \r\nSec-WebSocket-Version: 13 \r\n\r\n")
    #expect(try connection.responses().first?.hasPrefix("101 ") == true)
  }

  @Test(arguments: [
    ("http://one.example/p.json?x=1", "/p.json?x=1 one.example"), ("HTTPS://[::1]:9000/a", "/a [::1]:9000"),
    ("http://one.example", "/ one.example"), ("http://one.example?x=1", "/?x=1 one.example"),
    ("http://one.example:80//a//b", "//a//b one.example:80"),
    ("/http://one.example/", "/http://one.example/ localhost"),
  ])
  func `an absolute target uses its path, and its host in place of the header`(
    target: String, answer: String
  ) throws {
    #expect(try Self.answer("GET \(target) HTTP/1.1\r\n\(Self.host)\r\n") == answer)
  }

  @Test(arguments: [
    "GET http://user@one.example/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET http://one.example/ HTTP/1.1\r\n\r\n", "GET http://one.example/ HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
  ])
  func `an ambiguous absolute target is refused`(request: String) throws {
    let connection = try TestConnection()
    try? connection.send(request)
    #expect(try connection.responses().first?.hasPrefix("400 ") == true)
  }

  @Test func `bytes beyond ASCII in a target are percent-encoded, however they arrive`() throws {
    let request = "GET /ทด/é.json?equalTo=\"café\" HTTP/1.1\r\n\(Self.host)X-Mode: ü\r\n\r\n"
    let answer = "/%e0%b8%97%e0%b8%94/%c3%a9.json?equalTo=\"caf%c3%a9\" localhost [ü]"
    #expect(try Self.answer("\r\n" + request) == answer)
    let connection = try Self.connection()
    for _ in 0..<2 {
      for byte in request.utf8 { try connection.send([byte]) }
      #expect(try connection.responses().first?.hasSuffix(answer) == true)
    }
  }

  @Test func `bytes beyond ASCII elsewhere are unchanged`() throws {
    let connection = try TestConnection()
    let body = "é /ü HTTP/1.1\r\nß"
    let head = "PUT /ä HTTP/1.1\r\n\(Self.host)Content-Length: \(body.utf8.count)\r\n\r\n"
    for parts in [[head + body], [head, body], [head, String(body.prefix(1)), String(body.dropFirst())]] {
      for part in parts { try connection.send(part) }
      #expect(try connection.text().hasSuffix("PUT /%c3%a4 \(body)"))
    }
    try connection.send("PUT /ä HTTP/1.1\r\n\(Self.host)Transfer-Encoding: chunked\r\n\r\n")
    try connection.send("2\r\né\r\n")
    try connection.send("0\r\n\r\n")
    #expect(try connection.text().hasSuffix("PUT /%c3%a4 é"))
    try connection.send("GET /ö HTTP/1.1\r\n\(Self.host)\r\n")
    #expect(try connection.text().hasSuffix("GET /%c3%b6 "))
  }

  @Test func `non-ASCII bytes in a pipelined target are refused, without an effect on the request before`()
    throws
  {
    let connection = try TestConnection()
    let first = "PUT /a HTTP/1.1\r\n\(Self.host)Content-Length: 2\r\n\r\né"
    try? connection.send(first + "GET /ö HTTP/1.1\r\n\(Self.host)\r\n")
    let responses = try connection.responses()
    #expect(responses.first?.hasSuffix("PUT /a é") == true && responses.last?.hasPrefix("400 ") == true)
  }

  @Test func `bytes beyond ASCII after a WebSocket handshake are unchanged`() throws {
    let (connection, delegate) = try TestConnection.socket()
    try connection.send(ClientFrame.text("é\n"))
    #expect(delegate.messages == ["é\n"])
  }

  @Test(arguments: ["/a\u{0}b", "/a\u{1}b", "/a\u{7f}b", "/a b é"])
  func `control characters and blanks in a target are refused`(target: String) throws {
    let connection = try TestConnection()
    try? connection.send("GET \(target) HTTP/1.1\r\n\(Self.host)\r\n")
    #expect(try connection.responses().first?.hasPrefix("400 ") == true)
  }
}
