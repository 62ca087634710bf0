import HearthWire
import NIOCore
import NIOEmbedded
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthTransport

/// A delegate that records its calls.
private final class RecordingConversation: TransportDelegate {
  var events: [String] = []
  var end: SocketEnd?
  var transport: (any ClientTransport)?

  func open(over transport: any ClientTransport) {
    events.append("opened")
    self.transport = transport
  }

  func received(_ message: UnsafeRawBufferPointer) {
    events.append("received \(String(decoding: message, as: UTF8.self))")
  }
  func finish() { events.append("finished") }

  func ended(_ end: SocketEnd) {
    events.append("ended")
    (self.end, transport) = (end, nil)
  }
}

@Suite struct SocketTransportTests {
  /// A socket without a network, with its delegate.
  private struct Connection {
    let channel = EmbeddedChannel()
    let loop: TransportLoop
    let conversation = RecordingConversation()

    init(userAgent: String? = nil, memory: ClientMemory = .ofTest()) throws {
      loop = TransportLoop(eventLoop: channel.embeddedEventLoop, index: 0, memory: memory)
      loop.start()
      let transport = SocketTransport(
        conversation, userAgent: userAgent, messageBytesMax: loop.limits.messageBytesMax)
      let socket = Socket(loop: loop, peer: Peer(address: nil, isEncrypted: false), delegate: transport)
      try channel.pipeline.syncOperations.addHandler(socket)
      channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
      socket.start()
    }

    func send(_ texts: String...) throws {
      try channel.writeInbound(ByteBuffer(bytes: texts.flatMap { ClientFrame.text($0) }))
      channel.embeddedEventLoop.run()
    }

    func frames() throws -> [ServerFrame] {
      channel.embeddedEventLoop.run()
      var bytes: [UInt8] = []
      while let buffer = try channel.readOutbound(as: ByteBuffer.self) { bytes += Array(buffer.readableBytesView) }
      return ServerFrame.take(from: &bytes)
    }
  }

  @Test func `segments are assembled, and keep-alives are not passed on`() throws {
    let connection = try Connection()
    for text in ["0", "2", "{\"a\":", "1}", "0"] { try connection.send(text) }
    #expect(connection.conversation.events == ["opened", "received {\"a\":1}", "finished"])
    #expect(try connection.frames() == [])
    try connection.send("{}", "0", "[]")
    #expect(connection.conversation.events.suffix(3) == ["received {}", "received []", "finished"])
  }

  @Test func `ten thousand segments are refused`() throws {
    let connection = try Connection()
    try connection.send("10000")
    #expect(try connection.frames().first?.closeCode == 1008)
    #expect(connection.conversation.events == ["opened", "ended"])
  }

  @Test func `the segments after a count must arrive within the time limit of one message`() throws {
    let connection = try Connection()
    try connection.send("9999")
    for _ in 0..<8 {
      try connection.send("x")
      connection.channel.embeddedEventLoop.advanceTime(by: .seconds(20))
    }
    #expect(try connection.frames().contains { $0.closeCode == 1008 })
    #expect(connection.conversation.end != nil)
  }

  @Test func `buffered segments count towards the bound`() throws {
    let memory = ClientMemory.ofTest()
    let connection = try Connection(memory: memory)
    try connection.send("3", String(repeating: "x", count: 900))
    #expect(memory.heldBytes == 900)
    try connection.send("d", "e")
    #expect(connection.conversation.events.count == 3 && memory.heldBytes == 0)
  }

  @Test func `a client that accepts no large frames gets small ones and no ping`() throws {
    let connection = try Connection(userAgent: "Firebase/5/9.0.0/17/AdminJava")
    let transport = try #require(connection.conversation.transport)
    transport.send(OutboundMessage(text: Array(repeating: UInt8(ascii: "x"), count: 40_000)))
    transport.flush()
    #expect(try connection.frames().map(\.payload.count) == [1, 16_384, 16_384, 40_000 - 32_768])
    for _ in 0..<5 { connection.channel.embeddedEventLoop.advanceTime(by: .seconds(20)) }
    #expect(try connection.frames() == [] && transport.messageBytesMax == WireLimits.standard.segmentedBytesMax)
  }

  @Test func `long messages for clients with small frames are a count and segments`() {
    let text = String(repeating: "🐵", count: 9000)
    var bytes = Array(OutboundMessage(text: Array(text.utf8)).segmentedFrames().readableBytesView)
    let frames = ServerFrame.take(from: &bytes)
    #expect(frames.count == 3 && bytes.isEmpty)
    #expect(frames.first == .text("2"))
    #expect(frames.dropFirst().flatMap(\.payload) == Array(text.utf8))
    let short = OutboundMessage(text: Array("{}".utf8))
    #expect(short.segmentedFrames() == short.frame)
  }

  @Test func `protocol messages are logged as they are encoded`() throws {
    let connection = try Connection()
    let transport = try #require(connection.conversation.transport)
    transport.send(ServerMessage.pong)
    transport.flush()
    #expect(try connection.frames() == [.text(#"{"t":"c","d":{"t":"o","d":null}}"#)])
  }

  @Test func `a frame may be as large as a message`() {
    #expect(TransportLimits.standard.messageBytesMax == WireLimits.standard.messageBytesMax)
  }
}
