import NIOCore
import NIOHTTP1
import ServerTestKit
import Synchronization
import Testing

@testable import HearthTransport

@Suite struct WebSocketSocketTests {
  @Test func `the handshake's answer is the example of RFC 6455`() throws {
    let connection = try TestConnection()
    try connection.send(ClientFrame.handshake())
    #expect(
      try connection.responses() == [
        "101 Switching Protocols|Upgrade: websocket|Connection: Upgrade|"
          + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=||"
      ])
  }

  @Test(arguments: [
    ("Sec-WebSocket-Version: 13", "Sec-WebSocket-Version: 12"), ("Sec-WebSocket-Version: 13", "X: y"),
    ("dGhlIHNhbXBsZSBub25jZQ==", "short"), ("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ!="),
    ("Sec-WebSocket-Key", "X"), ("Connection: Upgrade", "Connection: close"),
  ])
  func `a broken handshake is refused`(part: String, other: String) throws {
    let connection = try TestConnection()
    let text = String(decoding: ClientFrame.handshake(), as: UTF8.self)
    try connection.send(text.replacing(part, with: other))
    #expect(try connection.responses().first?.hasPrefix("101") == false)
    #expect(!connection.isOpen)
  }

  @Test func `a refused or unknown path gets an ordinary response`() throws {
    for (target, status) in [("/refused", "403"), ("/a.json", "200")] {
      let connection = try TestConnection()
      try connection.send(String(decoding: ClientFrame.handshake(), as: UTF8.self).replacing("/.ws", with: target))
      #expect(try connection.responses().first?.hasPrefix(status) == true)
    }
  }

  @Test func `events come in order, and messages of one pass are sent in one write`() throws {
    let (connection, delegate) = try TestConnection.socket()
    delegate.onMessage = { text, socket in
      socket.send(OutboundMessage(text: Array("re:\(text)".utf8)))
      socket.send(OutboundMessage(text: Array("again".utf8)))
    }
    try connection.send(ClientFrame.text("one") + ClientFrame.text("two"))
    #expect(delegate.events == ["opened", "received one", "received two", "finished"])
    let writes = try connection.frames()
    #expect(writes == [.text("re:one"), .text("again"), .text("re:two"), .text("again")])
  }

  @Test func `bytes after the handshake are not lost, and end a read cycle`() throws {
    for piece in [1, 7, 100_000] {
      nonisolated(unsafe) let delegate = RecordingDelegate()  // Everything here runs on the test's thread.
      let connection = try TestConnection(acceptor: TestAcceptor { delegate })
      delegate.onOpen = { $0.send(OutboundMessage(text: Array("hello".utf8))) }
      delegate.onMessage = { $1.send(OutboundMessage(text: Array($0.utf8))) }
      var rest = (ClientFrame.handshake() + ClientFrame.text("one") + ClientFrame.text("two"))[...]
      while !rest.isEmpty {
        try connection.send(Array(rest.prefix(piece)))
        rest = rest.dropFirst(piece)
      }
      #expect(delegate.messages == ["one", "two"])
      #expect(delegate.events.last == "finished")
      let bytes = try connection.bytes()
      let end = try #require(bytes.indices.first { bytes[$0...].starts(with: "\r\n\r\n".utf8) })
      var frames = Array(bytes[(end + 4)...])
      #expect(ServerFrame.take(from: &frames) == [.text("hello"), .text("one"), .text("two")])
    }
  }

  @Test func `a socket may follow a request whose answer takes time`() throws {
    let answer = Mutex<EventLoopPromise<HTTPResponse>?>(nil)
    nonisolated(unsafe) let delegate = RecordingDelegate()  // Everything here runs on the test's thread.
    let responder = TestResponder { _, loop in
      let promise = loop.eventLoop.makePromise(of: HTTPResponse.self)
      answer.withLock { $0 = promise }
      return promise.futureResult
    }
    let connection = try TestConnection(responder: responder, acceptor: TestAcceptor { delegate })
    let request = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    try connection.send(request + ClientFrame.handshake() + ClientFrame.text("one"))
    #expect(delegate.events.isEmpty)
    answer.withLock { $0 }?.succeed(HTTPResponse(.ok))
    connection.channel.embeddedEventLoop.run()
    #expect(try connection.responses().map { $0.prefix(3) } == ["200", "101"])
    #expect(delegate.events == ["opened", "received one", "finished"])
    try connection.send(ClientFrame.text("two"))
    #expect(delegate.messages == ["one", "two"])
  }

  @Test func `an endless message closes the socket`() throws {
    var limits = TransportLimits.standard
    limits.messageTimeoutSeconds = 20
    for start in [
      ClientFrame.text("begin"), ClientFrame.text("x", isFinal: false), [0x81, 0xFE, 0xFF, 0xFF, 1, 2, 3, 4],
    ] {
      let (connection, delegate) = try TestConnection.socket(limits: limits)
      delegate.onMessage = { _, _ in delegate.unfinishedBytes = 0 }
      try connection.send(start)
      for _ in 0..<25 {
        try connection.send(ClientFrame.pong())
        connection.advance(seconds: 1)
      }
      if start.count > 8 {
        #expect(try connection.frames().first?.closeCode == 1008)
      }
      #expect(delegate.end != nil)
      connection.advance(seconds: 3)
      #expect(!connection.isOpen)
    }
  }

  @Test func `slow fragments share the time limit of one message`() throws {
    var limits = TransportLimits.standard
    limits.messageTimeoutSeconds = 20
    let (connection, delegate) = try TestConnection.socket(limits: limits)
    delegate.unfinishedBytes = 0
    for _ in 0..<25 {
      try connection.send(ClientFrame.text("x"))
      connection.advance(seconds: 1)
    }
    #expect(try connection.frames().first?.closeCode == 1008)
    #expect(delegate.end != nil)
  }

  @Test
  func `unfinished messages are limited in total over all event loops, and the largest is dropped, not the newest`()
    throws
  {
    let memory = ClientMemory.ofTest(heldBytesMax: 1000)
    let (large, delegate) = try TestConnection.socket(memory: memory)
    delegate.unfinishedBytes = 900
    try large.send(ClientFrame.text("x"))
    #expect(memory.heldBytes == 900)
    let (small, other) = try TestConnection.socket(memory: memory)
    other.unfinishedBytes = 100
    try small.send(ClientFrame.text("y") + ClientFrame.text(String(repeating: "y", count: 50), isFinal: false))
    #expect(try large.frames().first?.closeCode == 1013)
    #expect(delegate.end != nil && memory.heldBytes == 150)
    other.unfinishedBytes = nil
    try small.send(ClientFrame.continuation("e"))
    #expect(other.end == nil && other.events.contains("received 51 bytes"))
    #expect(memory.heldBytes == 0)
  }

  @Test func `a ping is answered with its payload`() throws {
    let (connection, _) = try TestConnection.socket()
    try connection.send(ClientFrame.ping([1, 2, 3]) + ClientFrame.pong() + ClientFrame.ping())
    #expect(try connection.frames() == [.pong([1, 2, 3]), .pong()])
  }

  @Test func `a close frame of the client is answered and the connection ends`() throws {
    let (connection, delegate) = try TestConnection.socket()
    delegate.onMessage = { $1.send(OutboundMessage(text: Array($0.utf8))) }
    try connection.send(ClientFrame.text("last") + ClientFrame.close(code: 1001) + ClientFrame.text("too late"))
    #expect(try connection.frames() == [.text("last"), .close(1001)])
    #expect(delegate.end == .closedByPeer(code: 1001) && delegate.messages == ["last"])
    #expect(!connection.isOpen && connection.loop.connectionCount == 0)
    let (bare, _) = try TestConnection.socket()
    try bare.send(ClientFrame.close())
    #expect(try bare.frames() == [ServerFrame(opcode: 8, payload: [])])
  }

  @Test func `the server's close frame follows pending messages and waits for the client's`() throws {
    let (connection, delegate) = try TestConnection.socket()
    let socket = try #require(delegate.socket)
    socket.send(OutboundMessage(text: Array("last".utf8)))
    socket.close(code: 1000, reason: "r")
    #expect(delegate.end == nil)
    socket.send(OutboundMessage(text: Array("too late".utf8)))
    let frames = try connection.frames()
    #expect(frames.map(\.opcode) == [1, 8] && frames.last?.closeCode == 1000)
    #expect(delegate.end == .closedByServer && connection.isOpen)
    try connection.send(ClientFrame.text("ignored") + ClientFrame.close(code: 1000))
    #expect(!connection.isOpen && delegate.messages.isEmpty)
    #expect(delegate.events == ["opened", "closed"])
  }

  @Test func `a client that ignores the close frame is disconnected`() throws {
    let (connection, delegate) = try TestConnection.socket()
    delegate.socket?.close()
    connection.advance(seconds: 3)
    #expect(!connection.isOpen)
    #expect(delegate.events == ["opened", "closed"])
  }

  @Test func `a protocol violation is answered with its code, and reading stops`() throws {
    let breaches: [([UInt8], UInt16)] = [
      (ClientFrame.bytes(first: 0x82, [1, 2]), 1003), (ClientFrame.bytes(first: 0x81, [1], isMasked: false), 1002),
      (ClientFrame.bytes(first: 0x81, [0xFF]), 1007), ([0x81, 0xFF, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4], 1009),
    ]
    for (bytes, code) in breaches {
      let (connection, delegate) = try TestConnection.socket()
      try connection.send(ClientFrame.text("one") + bytes + ClientFrame.text("two"))
      try connection.send(ClientFrame.text("three"))
      #expect(try connection.frames().map(\.closeCode) == [code])
      #expect(delegate.messages == ["one"])
      guard case .violation(code, _)? = delegate.end else {
        Issue.record("\(String(describing: delegate.end))")
        continue
      }
      connection.advance(seconds: 3)
      #expect(!connection.isOpen)
    }
  }

  @Test func `a lost connection is reported once`() throws {
    let (connection, delegate) = try TestConnection.socket()
    connection.channel.close(promise: nil)
    connection.channel.embeddedEventLoop.run()
    #expect(delegate.events == ["opened", "closed"] && delegate.end == .disconnected)
    #expect(delegate.end?.isClean == false)
    #expect(connection.loop.connectionCount == 0)
  }

  @Test func `a client that reads nothing for a minute is disconnected, one that reads some is not`() throws {
    let (connection, delegate) = try TestConnection.socket()
    connection.channel.isWritable = false
    for _ in 0..<10 {
      delegate.socket?.send(OutboundMessage(text: Array("progress".utf8)))
      delegate.socket?.flush()
      connection.advance(seconds: 30)
      #expect(connection.isOpen)
    }
    connection.advance(seconds: 62)
    #expect(!connection.isOpen && delegate.end == .slowConsumer)
  }

  @Test func `a connection cut within a frame or handshake leaves no state`() throws {
    let bytes = ClientFrame.handshake() + ClientFrame.text("{\"a\":1}")
    for count in bytes.indices {
      nonisolated(unsafe) let delegate = RecordingDelegate()  // Everything here runs on the test's thread.
      let connection = try TestConnection(acceptor: TestAcceptor { delegate })
      try connection.send(Array(bytes.prefix(count)))
      connection.channel.close(promise: nil)
      connection.channel.embeddedEventLoop.run()
      #expect(delegate.messages.isEmpty && connection.loop.connectionCount == 0)
      #expect(delegate.events.isEmpty || delegate.events == ["opened", "closed"])
    }
  }

  @Test func `a silent socket is pinged, then closed`() throws {
    let (connection, delegate) = try TestConnection.socket()
    connection.advance(seconds: 29)
    #expect(try connection.frames() == [])
    connection.advance(seconds: 2)
    #expect(try connection.frames() == [.ping])
    try connection.send(ClientFrame.pong())
    connection.advance(seconds: 31)
    #expect(try connection.frames() == [.ping] && connection.isOpen)
    connection.advance(seconds: 31)
    #expect(!connection.isOpen && delegate.end == .silent)
  }

  @Test func `a client that cannot handle pings is never pinged`() throws {
    nonisolated(unsafe) let delegate = RecordingDelegate()  // Everything here runs on the test's thread.
    delegate.mayBePinged = false
    let (connection, _) = try TestConnection.socket(delegate)
    connection.advance(seconds: 100)
    #expect(try connection.frames() == [] && connection.isOpen)
    connection.advance(seconds: 25)
    #expect(!connection.isOpen && delegate.end == .silent)
  }

  @Test func `an error of the delegate closes the socket`() throws {
    let (connection, delegate) = try TestConnection.socket()
    delegate.violation = SocketViolation(code: 1008, text: "no")
    try connection.send(ClientFrame.text("one") + ClientFrame.text("two"))
    #expect(try connection.frames().first?.closeCode == 1008)
    #expect(delegate.end == .violation(code: 1008, text: "no") && delegate.messages == ["one"])
  }

  @Test func `a message to many sockets shares its bytes and is not copied`() throws {
    let message = OutboundMessage(text: Array("{}".utf8))
    let (one, first) = try TestConnection.socket()
    let (two, second) = try TestConnection.socket()
    for delegate in [first, second] {
      delegate.socket?.send(message)
      delegate.socket?.flush()
    }
    #expect(try one.channel.readOutbound(as: ByteBuffer.self) == message.frame)
    #expect(try two.channel.readOutbound(as: ByteBuffer.self) == message.frame)
  }

  @Test func `small messages are sent in one write and large ones separately`() throws {
    let (connection, delegate) = try TestConnection.socket()
    let small = OutboundMessage(text: Array(repeating: UInt8(ascii: "s"), count: 100))
    let large = OutboundMessage(text: Array(repeating: UInt8(ascii: "l"), count: 100_000))
    for message in [small, small, small, large, small, small] { delegate.socket?.send(message) }
    delegate.socket?.flush()
    var sizes: [Int] = []
    while let buffer = try connection.channel.readOutbound(as: ByteBuffer.self) { sizes.append(buffer.readableBytes) }
    #expect(sizes == [3 * 102, 100_010, 2 * 102])
  }

  @Test func `at shutdown sockets are closed with 1001`() throws {
    let (connection, delegate) = try TestConnection.socket()
    connection.loop.shutDown()
    #expect(try connection.frames().first?.closeCode == 1001)
    #expect(delegate.end == .closedByServer)
    let loop = connection.channel.embeddedEventLoop
    loop.advanceTime(by: .milliseconds(Int64(connection.loop.limits.closeMilliseconds) - 1))
    #expect(connection.isOpen)
    loop.advanceTime(by: .milliseconds(1))
    #expect(!connection.isOpen, "a client that does not answer is not waited for")
  }
}
