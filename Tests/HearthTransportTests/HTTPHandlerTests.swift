import NIOCore
import NIOHTTP1
import Synchronization
import Testing

@testable import HearthTransport

@Suite struct HTTPHandlerTests {
  private let host = "Host: localhost\r\n"

  @Test func `a request is answered and the connection stays`() throws {
    let connection = try TestConnection()
    for _ in 0..<2 {
      try connection.send("GET /a.json?x=1 HTTP/1.1\r\n\(host)\r\n")
      #expect(
        try connection.responses() == ["200 OK|Content-Length: 16|Connection: keep-alive||GET /a.json?x=1 "])
    }
    #expect(connection.isOpen)
  }

  @Test func `a body may have a length or come in chunks`() throws {
    let connection = try TestConnection()
    try connection.send("PUT /a HTTP/1.1\r\n\(host)Content-Length: 5\r\n\r\n12")
    #expect(try connection.responses() == [])
    try connection.send("345")
    #expect(try connection.responses() == ["200 OK|Content-Length: 12|Connection: keep-alive||PUT /a 12345"])
    try connection.send("PUT /a HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n2\r\n12\r\n3\r\n345\r\n")
    try connection.send("0\r\n\r\n")
    #expect(try connection.responses() == ["200 OK|Content-Length: 12|Connection: keep-alive||PUT /a 12345"])
    #expect(connection.loop.memory.heldBytes == 0)
  }

  @Test func `requests may come one byte at a time`() throws {
    let connection = try TestConnection()
    for byte in "PUT /a HTTP/1.1\r\n\(host)Content-Length: 2\r\n\r\nxy".utf8 { try connection.send([byte]) }
    #expect(try connection.responses() == ["200 OK|Content-Length: 9|Connection: keep-alive||PUT /a xy"])
  }

  @Test func `pipelined requests are answered one at a time and in order`() throws {
    let waiting = Mutex<[EventLoopPromise<HTTPResponse>]>([])
    let responder = TestResponder { _, loop in
      let promise = loop.eventLoop.makePromise(of: HTTPResponse.self)
      waiting.withLock { $0.append(promise) }
      return promise.futureResult
    }
    let connection = try TestConnection(responder: responder)
    try connection.send(String(repeating: "GET / HTTP/1.1\r\n\(host)\r\n", count: 3))
    for i in 1...3 {
      #expect(waiting.withLock { $0.count } == i)
      waiting.withLock { $0.last }?.succeed(HTTPResponse(.ok, body: ByteBuffer(string: "\(i)")))
      #expect(try connection.responses() == ["200 OK|Content-Length: 1|Connection: keep-alive||\(i)"])
    }
    #expect(waiting.withLock { $0.count } == 3)
  }

  @Test func `an invalid request is answered after earlier ones`() throws {
    let waiting = Mutex<[EventLoopPromise<HTTPResponse>]>([])
    let responder = TestResponder { _, loop in
      let promise = loop.eventLoop.makePromise(of: HTTPResponse.self)
      waiting.withLock { $0.append(promise) }
      return promise.futureResult
    }
    let connection = try TestConnection(responder: responder)
    try? connection.send("GET /a HTTP/1.1\r\n\(host)\r\nGET /b HTTP/1.1\r\n\(host)\r\nnonsense\r\n\r\n")
    #expect(try connection.responses() == [])
    for _ in 0..<2 { waiting.withLock { $0.popLast() }?.succeed(HTTPResponse(.ok)) }
    #expect(try connection.responses().map { $0.prefix(3) } == ["200", "200", "400"])
  }

  @Test func `CONNECT requests are refused`() throws {
    let connection = try TestConnection()
    try connection.send("CONNECT example.com:80 HTTP/1.1\r\n\(host)\r\nmore")
    #expect(try connection.responses().count == 1)
    #expect(!connection.isOpen)
  }

  @Test func `thousands of pipelined requests do not overflow the stack`() throws {
    let connection = try TestConnection()
    let network = TakingNetwork()
    try connection.channel.pipeline.syncOperations.addHandler(network, position: .first)
    try connection.send(String(repeating: "GET / HTTP/1.1\r\n\(host)\r\n", count: 5000))
    // The requests yield to other connections.
    connection.advance(seconds: 1)
    #expect(network.taken.split(separator: "HTTP/1.1 200 OK").count == 5000)
  }

  @Test func `from a client that does not read no further request is read`() throws {
    let asked = Mutex(0)
    let connection = try TestConnection(
      responder: TestResponder { _, loop in
        asked.withLock { $0 += 1 }
        return loop.eventLoop.makeSucceededFuture(HTTPResponse(.ok))
      })
    connection.channel.isWritable = false
    try connection.send(String(repeating: "GET / HTTP/1.1\r\n\(host)\r\n", count: 3))
    #expect(asked.withLock { $0 } == 0)
    connection.channel.isWritable = true
    connection.channel.pipeline.fireChannelWritabilityChanged()
    #expect(try connection.responses().count == 3)
  }

  @Test func `a failed responder is an internal error without details`() throws {
    struct Secret: Error {}
    let connection = try TestConnection(responder: TestResponder { $1.eventLoop.makeFailedFuture(Secret()) })
    try connection.send("GET / HTTP/1.1\r\n\(host)\r\n")
    let response = try #require(try connection.responses().first)
    #expect(response.hasPrefix("500 ") && !response.contains("Secret"))
  }

  @Test func `the answer to HEAD has the length and no body`() throws {
    let connection = try TestConnection()
    try connection.send("HEAD / HTTP/1.1\r\n\(host)\r\n")
    #expect(try connection.responses() == ["200 OK|Content-Length: 7|Connection: keep-alive||"])
  }

  @Test func `204 and 304 have neither length nor body`() throws {
    for status in [HTTPResponseStatus.noContent, .notModified] {
      let connection = try TestConnection(
        responder: TestResponder {
          $1.eventLoop.makeSucceededFuture(HTTPResponse(status, body: ByteBuffer(string: "x")))
        })
      try connection.send("GET / HTTP/1.1\r\n\(host)\r\n")
      #expect(try connection.responses() == ["\(status.code) \(status.reasonPhrase)|Connection: keep-alive||"])
    }
  }

  @Test func `line breaks in a header's value do not end the header`() throws {
    let connection = try TestConnection(
      responder: TestResponder {
        $1.eventLoop.makeSucceededFuture(HTTPResponse(.ok, headers: [("X", "a\r\nSet-Cookie: b")]))
      })
    try connection.send("GET / HTTP/1.1\r\n\(host)\r\n")
    #expect(
      try connection.responses() == ["200 OK|X: a  Set-Cookie: b|Content-Length: 0|Connection: keep-alive||"])
  }

  @Test func `the connection closes when either side requests it`() throws {
    for head in ["GET / HTTP/1.1\r\n\(host)Connection: close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n"] {
      let connection = try TestConnection()
      try connection.send(head + "GET /next HTTP/1.1\r\n\(host)\r\n")
      #expect(try connection.responses() == ["200 OK|Content-Length: 6|Connection: close||GET / "])
      #expect(!connection.isOpen)
    }
  }

  @Test func `Expect: 100-continue is answered`() throws {
    let connection = try TestConnection()
    try connection.send("PUT /a HTTP/1.1\r\n\(host)Content-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    #expect(try connection.text() == "HTTP/1.1 100 Continue\r\n\r\n")
    try connection.send("xy")
    #expect(try connection.responses().count == 1)
  }

  @Test(arguments: [
    "nonsense\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "GET / HTTP/2.0\r\nHost: a\r\n\r\n", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
    "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nA b: c\r\n\r\n", "\u{0}\u{1}\u{2}\u{3}",
  ])
  func `a text that is not HTTP is refused and the connection closes`(text: String) throws {
    let connection = try TestConnection()
    try? connection.send(text)
    #expect(try connection.responses().first?.hasPrefix("400 ") == true, "\(text)")
    try? connection.send("GET / HTTP/1.1\r\n\(host)\r\n")
    #expect(try connection.responses() == [])
    connection.advance(seconds: 3)
    #expect(!connection.isOpen)
  }

  @Test func `a target of 16 KiB is served and one over the limit is not`() throws {
    let connection = try TestConnection()
    let target = "/" + String(repeating: "t", count: 16 << 10)
    try connection.send("GET \(target) HTTP/1.1\r\n\(host)\r\n")
    #expect(try connection.responses().first?.hasPrefix("200 ") == true)
    try? connection.send("GET /\(String(repeating: "t", count: 70 << 10)) HTTP/1.1\r\n\(host)\r\n")
    #expect(try connection.responses().first?.hasPrefix("431 ") == true)
  }

  @Test func `many headers, or long ones, are refused`() throws {
    for headers in [
      String(repeating: "a: b\r\n", count: 200), "a: \(String(repeating: "b", count: 70 << 10))\r\n",
      String(repeating: "a: \(String(repeating: "b", count: 1000))\r\n", count: 70),
    ] {
      let connection = try TestConnection()
      try? connection.send("GET / HTTP/1.1\r\n\(host)\(headers)\r\n")
      #expect(try connection.responses().first?.hasPrefix("431 ") == true)
    }
  }

  @Test func `a body over the limit is refused as soon as it exceeds the limit`() throws {
    var limits = TransportLimits.standard
    limits.bodyBytesMax = 10
    let announced = try TestConnection(limits: limits)
    try announced.send("PUT / HTTP/1.1\r\n\(host)Content-Length: 11\r\n\r\n")
    #expect(try announced.responses().first?.hasPrefix("413 ") == true)
    let endless = try TestConnection(limits: limits)
    try endless.send("PUT / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n6\r\n123456\r\n")
    #expect(try endless.responses() == [])
    try endless.send("6\r\n123456\r\n")
    #expect(try endless.responses().first?.hasPrefix("413 ") == true)
    #expect(endless.loop.memory.heldBytes == 0)
    let gigabyte = try TestConnection()
    try gigabyte.send("PUT / HTTP/1.1\r\n\(host)Content-Length: 1073741824\r\n\r\n[")
    #expect(try gigabyte.responses().first?.hasPrefix("413 ") == true)
    let fitting = try TestConnection(limits: limits)
    try fitting.send("PUT / HTTP/1.1\r\n\(host)Content-Length: 10\r\n\r\n1234567890")
    #expect(try fitting.responses().first?.hasPrefix("200 ") == true)
  }

  @Test func `a client with an endless head is disconnected`() throws {
    let connection = try TestConnection()
    try connection.send("GET / HTTP/1.1\r\nHost:")
    connection.advance(seconds: 14)
    #expect(connection.isOpen)
    connection.advance(seconds: 2)
    #expect(!connection.isOpen)
  }

  @Test func `a connection whose body stalls or arrives too slowly is closed`() throws {
    let stopped = try TestConnection()
    try stopped.send("PUT / HTTP/1.1\r\n\(host)Content-Length: 100\r\n\r\n1")
    stopped.advance(seconds: 31)
    #expect(try stopped.responses().first?.hasPrefix("408 ") == true)
    let dripping = try TestConnection()
    try dripping.send("PUT / HTTP/1.1\r\n\(host)Content-Length: 100\r\n\r\n")
    for _ in 0..<7 {
      try? dripping.send("1")
      dripping.advance(seconds: 10)
    }
    #expect(!dripping.isOpen)
  }

  @Test func `an idle connection is closed, one that waits for its response is not`() throws {
    let idle = try TestConnection()
    try idle.send("GET / HTTP/1.1\r\n\(host)\r\n")
    idle.advance(seconds: 74)
    #expect(idle.isOpen)
    idle.advance(seconds: 2)
    #expect(!idle.isOpen)
    let answer = Mutex<EventLoopPromise<HTTPResponse>?>(nil)
    let waiting = try TestConnection(
      responder: TestResponder { _, loop in
        let promise = loop.eventLoop.makePromise(of: HTTPResponse.self)
        answer.withLock { $0 = promise }
        return promise.futureResult
      })
    try waiting.send("GET / HTTP/1.1\r\n\(host)\r\n")
    waiting.advance(seconds: 300)
    #expect(waiting.isOpen)
    answer.withLock { $0 }?.succeed(HTTPResponse(.ok))
    #expect(try waiting.responses().count == 1)
  }

  @Test func `a client that disconnects during its response affects no other`() throws {
    let answer = Mutex<EventLoopPromise<HTTPResponse>?>(nil)
    let asked = Mutex<[RequestCancellation?]>([])
    let connection = try TestConnection(
      responder: TestResponder { request, loop in
        let promise = loop.eventLoop.makePromise(of: HTTPResponse.self)
        answer.withLock { $0 = promise }
        asked.withLock { $0.append(request.cancellation) }
        return promise.futureResult
      })
    try connection.send("GET / HTTP/1.1\r\n\(host)\r\n")
    answer.withLock { $0 }?.succeed(HTTPResponse(.ok))
    try connection.send("PUT / HTTP/1.1\r\n\(host)Content-Length: 2\r\n\r\nxy")
    #expect(connection.loop.memory.heldBytes == 2)
    #expect(asked.withLock { $0.map { $0?.isCancelled } } == [false, false])
    connection.channel.close(promise: nil)
    connection.channel.embeddedEventLoop.run()
    #expect(connection.loop.memory.heldBytes == 0 && connection.loop.connectionCount == 0)
    #expect(asked.withLock { $0.map { $0?.isCancelled } } == [false, true])
    answer.withLock { $0 }?.succeed(HTTPResponse(.ok))
    connection.channel.embeddedEventLoop.run()
  }

  @Test func `at shutdown an idle connection ends at once, a busy one with its response`() throws {
    let idle = try TestConnection()
    idle.loop.shutDown()
    #expect(!idle.isOpen)
    let answer = Mutex<EventLoopPromise<HTTPResponse>?>(nil)
    let busy = try TestConnection(
      responder: TestResponder { _, loop in
        let promise = loop.eventLoop.makePromise(of: HTTPResponse.self)
        answer.withLock { $0 = promise }
        return promise.futureResult
      })
    try busy.send("GET / HTTP/1.1\r\n\(host)\r\n")
    busy.loop.shutDown()
    #expect(busy.isOpen)
    answer.withLock { $0 }?.succeed(HTTPResponse(.ok))
    #expect(try busy.responses() == ["200 OK|Content-Length: 0|Connection: close||"])
    #expect(!busy.isOpen)
  }

  @Test func `an upgrade to another protocol is an ordinary request and the last one`() throws {
    let connection = try TestConnection()
    try connection.send("GET /a HTTP/1.1\r\n\(host)Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
    #expect(try connection.responses() == ["200 OK|Content-Length: 7|Connection: close||GET /a "])
    #expect(!connection.isOpen)
  }

  @Test func `the date header has its fixed form`() {
    #expect(HTTPDate.text(secondsSinceEpoch: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate.text(secondsSinceEpoch: 0) == "Thu, 01 Jan 1970 00:00:00 GMT")
    #expect(HTTPDate.text(secondsSinceEpoch: 951_782_400) == "Tue, 29 Feb 2000 00:00:00 GMT")
    #expect(HTTPDate.text(secondsSinceEpoch: 4_107_542_399) == "Sun, 28 Feb 2100 23:59:59 GMT")
    #expect(HTTPDate.text(secondsSinceEpoch: -1) == "Wed, 31 Dec 1969 23:59:59 GMT")
  }

  @Test("every response has a request id, also a refusal, and ids are unique")
  func requestIDs() throws {
    let connection = try TestConnection()
    try connection.send("GET /a HTTP/1.1\r\n\(host)\r\nGET /b HTTP/1.1\r\n\(host)\r\nGET / HTTP/1.1\r\n\r\n")
    let lines = try connection.text().split(separator: "\r\n").filter { $0.hasPrefix("X-Request-Id: ") }
    #expect(lines.count == 3 && Set(lines).count == 3, "\(lines)")
  }
}
