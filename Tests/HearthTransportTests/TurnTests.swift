import NIOCore
import NIOEmbedded
import ServerTestKit
import Testing

@testable import HearthTransport

/// Tests that a client with much input yields to other clients of the event loop, and to the server's rate limit.
@Suite struct TurnTests {
  /// The first handler of a channel, which counts read calls.
  private final class ReadCounter: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    private(set) var count = 0

    func read(context: ChannelHandlerContext) {
      count += 1
      context.read()
    }
  }

  /// The calls of all delegates in a test, in order.
  private final class Log { var lines: [String] = [] }

  /// Sockets of one event loop with a simulated clock.
  private struct Sockets {
    let eventLoop = EmbeddedEventLoop()
    let loop: TransportLoop
    let log = Log()

    init(_ change: (inout TransportLimits) -> Void = { _ in }) {
      var limits = TransportLimits.standard
      (limits.turnMessagesMax, limits.turnsMax, limits.turnPauseMicroseconds) = (4, 2, 20)
      change(&limits)
      loop = TransportLoop(eventLoop: eventLoop, index: 0, limits: limits, memory: .ofTest())
      loop.start()
    }

    func open() throws -> (channel: EmbeddedChannel, delegate: RecordingDelegate, reads: ReadCounter) {
      let (delegate, reads, log) = (RecordingDelegate(), ReadCounter(), log)
      delegate.onMessage = { text, _ in log.lines.append(text) }
      let socket = Socket(loop: loop, peer: Peer(address: nil, isEncrypted: false), delegate: delegate)
      let channel = EmbeddedChannel(loop: eventLoop)
      try channel.pipeline.syncOperations.addHandlers(reads, socket)
      channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
      socket.start()
      return (channel, delegate, reads)
    }

    /// Delivers messages, without running scheduled work.
    func bring(_ texts: [String], over channel: EmbeddedChannel) throws {
      try channel.writeInbound(ByteBuffer(bytes: texts.flatMap { ClientFrame.text($0) }))
    }

    /// Returns true when no state is left.
    func isEmpty() -> Bool { loop.connectionCount == 0 && loop.turns.count == 0 && loop.memory.heldBytes == 0 }
  }

  private func texts(_ name: String, _ numbers: Range<Int>) -> [String] { numbers.map { "\(name)\($0)" } }

  @Test func `a socket with many messages yields after its turn, and the order of each socket's messages stays`() throws
  {
    let sockets = Sockets()
    let (a, b, quiet) = (try sockets.open(), try sockets.open(), try sockets.open())
    try sockets.bring(texts("a", 0..<11), over: a.channel)
    try sockets.bring(texts("b", 0..<6), over: b.channel)
    #expect(sockets.log.lines == texts("a", 0..<4) + texts("b", 0..<4))
    #expect(a.delegate.events.last == "finished", "what a turn brought is handed over with it")
    try sockets.bring(["q0"], over: quiet.channel)
    #expect(sockets.log.lines.last == "q0", "who asks little waits for nobody")
    sockets.eventLoop.run()
    #expect(sockets.log.lines.suffix(6) == texts("a", 4..<8) + texts("b", 4..<6))
    try sockets.bring(["q1"], over: quiet.channel)
    #expect(sockets.log.lines.last == "q1", "after some turns the loop looks at the others")
    sockets.eventLoop.advanceTime(by: .microseconds(20))
    #expect(sockets.log.lines.suffix(3) == texts("a", 8..<11))
    #expect(sockets.loop.turns.count == 0 && sockets.loop.memory.heldBytes == 0)
    #expect(a.delegate.events.count { $0 == "finished" } == 3)
  }

  @Test func `a large message counts as many`() throws {
    let sockets = Sockets()
    let a = try sockets.open()
    let large = String(repeating: "x", count: 4 << 10)
    try sockets.bring(["a0", large, "a1", "a2"], over: a.channel)
    #expect(sockets.log.lines == ["a0", large])
    sockets.eventLoop.run()
    #expect(sockets.log.lines == ["a0", large, "a1", "a2"])
  }

  @Test func `a message in many frames is read in turns`() throws {
    let sockets = Sockets { $0.turnsMax = 1 }
    let a = try sockets.open()
    let count = 2 * FrameParser.framesMax
    let text = String(repeating: "x", count: count)
    var frames = ClientFrame.text("x", isFinal: false)
    for number in 2...count { frames += ClientFrame.continuation("x", isFinal: number == count) }
    try a.channel.writeInbound(ByteBuffer(bytes: frames))
    #expect(sockets.log.lines.isEmpty && sockets.loop.turns.count == 1)
    sockets.eventLoop.advanceTime(by: .milliseconds(1))
    #expect(sockets.log.lines == [text] && sockets.loop.turns.count == 0)
  }

  @Test func `parts of one read share a turn`() throws {
    let sockets = Sockets()
    let a = try sockets.open()
    for text in texts("a", 0..<6) {
      a.channel.pipeline.fireChannelRead(ByteBuffer(bytes: ClientFrame.text(text)))
    }
    #expect(sockets.log.lines == texts("a", 0..<4))
    a.channel.pipeline.fireChannelReadComplete()
    sockets.eventLoop.run()
    #expect(sockets.log.lines == texts("a", 0..<6))
  }

  @Test func `a queued socket is not read further`() throws {
    let sockets = Sockets { $0.turnsMax = 1 }
    let a = try sockets.open()
    try sockets.bring(texts("a", 0..<9), over: a.channel)
    let before = a.reads.count
    a.channel.read()
    sockets.eventLoop.run()
    #expect(a.reads.count == before && sockets.log.lines.count == 8)
    sockets.eventLoop.advanceTime(by: .microseconds(20))
    #expect(a.reads.count == before + 1 && sockets.log.lines.count == 9)
    a.channel.read()
    #expect(a.reads.count == before + 2)
  }

  @Test func `control frames take turns as well`() throws {
    let sockets = Sockets { $0.turnsMax = 1 }
    let a = try sockets.open()
    try a.channel.writeInbound(
      ByteBuffer(bytes: (0..<10).flatMap { _ in ClientFrame.bytes(first: 0x89, [UInt8(ascii: "p")]) }))
    func pongs() throws -> Int {
      var bytes: [UInt8] = []
      while let buffer = try a.channel.readOutbound(as: ByteBuffer.self) { bytes += Array(buffer.readableBytesView) }
      return ServerFrame.take(from: &bytes).count { $0.opcode == 10 }
    }
    #expect(try pongs() == 4)
    sockets.eventLoop.run()
    #expect(try pongs() == 4)
    sockets.eventLoop.advanceTime(by: .microseconds(20))
    #expect(try pongs() == 2)
  }

  @Test func `messages that a client sent before it disconnected are handled, in turns`() throws {
    let sockets = Sockets { $0.turnsMax = 1 }
    let a = try sockets.open()
    try sockets.bring(texts("a", 0..<10), over: a.channel)
    a.channel.close(promise: nil)
    #expect(a.delegate.end == nil)
    sockets.eventLoop.run()
    #expect(sockets.log.lines.count == 8 && a.delegate.end == nil)
    sockets.eventLoop.advanceTime(by: .microseconds(20))
    #expect(sockets.log.lines == texts("a", 0..<10) && a.delegate.events.last == "closed")
    #expect(a.delegate.end == .disconnected && sockets.isEmpty())
  }

  @Test func `a close frame after many messages is handled after them`() throws {
    let sockets = Sockets()
    let a = try sockets.open()
    let frames = texts("a", 0..<9).flatMap { ClientFrame.text($0) } + ClientFrame.close(code: 1000)
    try a.channel.writeInbound(ByteBuffer(bytes: frames))
    sockets.eventLoop.advanceTime(by: .milliseconds(1))
    #expect(sockets.log.lines == texts("a", 0..<9) && a.delegate.end == .closedByPeer(code: 1000))
    #expect(sockets.isEmpty())
  }

  @Test func `a client over its rate is not read for the given time, including buffered messages`() throws {
    let sockets = Sockets()
    let a = try sockets.open()
    let log = sockets.log
    a.delegate.onMessage = { text, socket in
      log.lines.append(text)
      guard text == "a1" || text == "a4" else { return }
      socket.setReading(false)
      sockets.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(100)) { socket.setReading(true) }
    }
    try sockets.bring(texts("a", 0..<6), over: a.channel)
    for end in [2, 5, 6] {
      #expect(log.lines == texts("a", 0..<end))
      sockets.eventLoop.advanceTime(by: .milliseconds(99))
      #expect(log.lines == texts("a", 0..<end))
      sockets.eventLoop.advanceTime(by: .milliseconds(1))
    }
    #expect(sockets.loop.memory.heldBytes == 0)
  }

  @Test func `messages of a client that disconnects while paused are dropped`() throws {
    let sockets = Sockets()
    let a = try sockets.open()
    let log = sockets.log
    a.delegate.onMessage = { text, socket in
      log.lines.append(text)
      socket.setReading(false)
    }
    try sockets.bring(texts("a", 0..<9), over: a.channel)
    a.channel.close(promise: nil)
    sockets.eventLoop.advanceTime(by: .seconds(1))
    #expect(log.lines == ["a0"] && a.delegate.end == .disconnected && sockets.isEmpty())
  }

  // MARK: Requests

  private static func limits() -> TransportLimits {
    var limits = TransportLimits.standard
    (limits.turnMessagesMax, limits.turnsMax, limits.turnPauseMicroseconds) = (2, 1, 20)
    return limits
  }

  private static func requests(_ numbers: Range<Int>) -> ByteBuffer {
    ByteBuffer(string: numbers.map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
  }

  @Test func `pipelined requests yield after a turn, and are answered in order`() throws {
    let connection = try TestConnection(limits: Self.limits())
    try connection.channel.writeInbound(Self.requests(0..<7))
    var bodies: [String] = []
    func look() throws {
      var text = ""
      while let buffer = try connection.channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: buffer) }
      bodies += text.split(separator: "\r\n").filter { $0.hasPrefix("GET /") }.map { String($0.dropFirst(5).prefix(1)) }
    }
    try look()
    #expect(bodies == ["0", "1"])
    connection.channel.embeddedEventLoop.run()
    try look()
    #expect(bodies == ["0", "1", "2", "3"])
    connection.channel.embeddedEventLoop.advanceTime(by: .microseconds(20))
    try look()
    #expect(bodies.count == 6)
    connection.channel.embeddedEventLoop.advanceTime(by: .microseconds(20))
    try look()
    #expect(bodies == (0..<7).map { "\($0)" } && connection.loop.turns.count == 0)
    #expect(connection.isOpen)
  }

  @Test func `an invalid message is answered after the responses of later turns`() throws {
    let connection = try TestConnection(limits: Self.limits())
    var bytes = Self.requests(0..<3)
    bytes.writeString("nonsense\r\n\r\n")
    _ = try? connection.channel.writeInbound(bytes)
    connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
    #expect(try connection.responses().map { $0.prefix(3) } == ["200", "200", "200", "400"])
  }

  @Test func `a response may pause its connection, which then continues`() throws {
    let responder = TestResponder { request, loop in
      var answer = HTTPResponse(request.target == "/0" ? .tooManyRequests : .ok)
      if request.target == "/0" { answer.readPauseMilliseconds = 100 }
      return loop.eventLoop.makeSucceededFuture(answer)
    }
    let connection = try TestConnection(responder: responder)
    let reads = ReadCounter()
    try connection.channel.pipeline.syncOperations.addHandler(reads, position: .first)
    try connection.channel.writeInbound(Self.requests(0..<1))
    #expect(try connection.responses().map { $0.prefix(3) } == ["429"])
    let before = reads.count
    connection.channel.read()
    #expect(reads.count == before, "what comes stays with the system")
    try connection.channel.writeInbound(Self.requests(1..<2))
    connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(99))
    #expect(try connection.responses().isEmpty)
    connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
    #expect(try connection.responses().map { $0.prefix(3) } == ["200"])
    #expect(reads.count == before + 1)
    connection.channel.read()
    #expect(reads.count == before + 2)
  }

  @Test func `a connection that ends while paused leaves no state`() throws {
    let responder = TestResponder { _, loop in
      var answer = HTTPResponse(.tooManyRequests)
      answer.readPauseMilliseconds = 100
      return loop.eventLoop.makeSucceededFuture(answer)
    }
    let connection = try TestConnection(responder: responder)
    try connection.channel.writeInbound(Self.requests(0..<3))
    connection.channel.close(promise: nil)
    connection.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(try connection.responses().count == 1)
    #expect(connection.loop.connectionCount == 0)
  }
}
