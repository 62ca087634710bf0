import HearthTestKit
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import ServerTestKit
import Synchronization
import Testing

@testable import HearthTransport

/// Tests of the transport over real connections.
@Suite struct HTTPTransportTests {
  /// A client that reads bytes until a condition holds.
  private final class Client: Sendable {
    let channel: any Channel
    private let bytes = Mutex<[UInt8]>([])

    private final class Collector: ChannelInboundHandler {
      typealias InboundIn = ByteBuffer
      let take: @Sendable (ByteBuffer) -> Void
      init(take: @escaping @Sendable (ByteBuffer) -> Void) { self.take = take }
      func channelRead(context: ChannelHandlerContext, data: NIOAny) { take(unwrapInboundIn(data)) }
      func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    private final class Relay: Sendable {
      let client = Mutex<Client?>(nil)
      func take(_ buffer: ByteBuffer) {
        client.withLock { $0 }?.bytes.withLock { $0 += Array(buffer.readableBytesView) }
      }
    }

    private init(_ channel: any Channel) { self.channel = channel }

    static func connect(_ port: Int, tls: NIOSSLContext? = nil) async throws -> Client {
      let relay = Relay()
      let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .channelOption(.autoRead, value: false)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            if let tls {
              try channel.pipeline.syncOperations.addHandler(
                NIOSSLClientHandler(context: tls, serverHostname: "localhost"))
            }
            try channel.pipeline.syncOperations.addHandler(Collector { relay.take($0) })
          }
        }
        .connect(host: "127.0.0.1", port: port).get()
      let client = Client(channel)
      relay.client.withLock { $0 = client }
      try await channel.setOption(.autoRead, value: true).get()
      return client
    }

    func send(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get() }
    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    /// Returns the bytes received until the condition held, or the connection closed; empty when neither happened
    /// within a long time.
    func wait(for isEnough: ([UInt8]) -> Bool) async throws -> [UInt8] {
      var all: [UInt8] = []
      let isThere = try await Polling.until {
        let isActive = channel.isActive
        all = bytes.withLock { $0 }
        return isEnough(all) || !isActive
      }
      guard isThere else { return [] }
      bytes.withLock { $0 = [] }
      return all
    }

    func text(until end: String) async throws -> String {
      let end = Array(end.utf8)
      return String(
        decoding: try await wait { $0.count >= end.count && $0.suffix(end.count) == end[...] }, as: UTF8.self)
    }
  }

  /// Opens a port for the duration of a test.
  private func withTransport(
    _ options: Transport.Options = .init(), responder: TestResponder = .init(),
    acceptor: TestAcceptor = .init(), _ body: (Transport, Int) async throws -> Void
  ) async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    var options = options
    options.port = 0
    // On a busy machine a delayed test is not a slow client, unless the test sets its own limits.
    if options.limits.headTimeoutSeconds == TransportLimits.standard.headTimeoutSeconds {
      options.limits.headTimeoutSeconds = 600
      options.limits.idleTimeoutSeconds = 600
    }
    let loops = Transport.loops(of: group, limits: options.limits, memory: .ofTest())
    let transport = try await Transport.start(
      options, group: group, loops: loops, responder: responder, acceptor: acceptor)
    let result: Result<Void, any Error>
    do {
      try await body(transport, try #require(transport.port))
      result = .success(())
    } catch { result = .failure(error) }
    await transport.shutDown(graceSeconds: 0)
    try await group.shutdownGracefully()
    try result.get()
  }

  /// An acceptor that echoes every message.
  private static let echo = TestAcceptor {
    let delegate = RecordingDelegate()
    delegate.onMessage = { $1.send(OutboundMessage(text: Array($0.utf8))) }
    return delegate
  }

  @Test func `requests and sockets share a port`() async throws {
    try await withTransport(acceptor: Self.echo) { _, port in
      let client = try await Client.connect(port)
      try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await client.text(until: "GET /a ").hasPrefix("HTTP/1.1 200 OK\r\n"))
      try await client.send(ClientFrame.handshake() + ClientFrame.text("one"))
      #expect(try await client.text(until: "one").hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
      try await client.send(ClientFrame.text("two"))
      // 0x81 is not UTF-8 and becomes a replacement character of three bytes.
      #expect(try await client.text(until: "two").utf8.count == 5 + 2)
    }
  }

  @Test func `TLS and plain text share a port, unless plain text is refused`() async throws {
    var options = Transport.Options()
    options.tls = CurrentTLSContext(try TestCertificate.serverContext())
    let trust = try TestCertificate.clientContext()
    try await withTransport(options, acceptor: Self.echo) { _, port in
      for tls in [trust, nil] {
        let client = try await Client.connect(port, tls: tls)
        try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await client.text(until: "GET /a ").hasPrefix("HTTP/1.1 200 OK\r\n"))
        try await client.send(ClientFrame.handshake() + ClientFrame.text("one"))
        #expect(try await client.text(until: "one").hasPrefix("HTTP/1.1 101 "))
        try await client.send(ClientFrame.close(code: 1000))
        _ = try await client.wait { _ in false }
        #expect(!client.channel.isActive)
      }
    }
    options.allowsPlaintext = false
    try await withTransport(options) { _, port in
      let plain = try await Client.connect(port)
      try await plain.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await plain.wait { _ in false }.isEmpty)
      let encrypted = try await Client.connect(port, tls: trust)
      try await encrypted.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await encrypted.text(until: "GET /a ").hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
  }

  @Test func `a large response and a large message arrive complete`() async throws {
    let size = 5 << 18
    let responder = TestResponder {
      $1.eventLoop.makeSucceededFuture(HTTPResponse(.ok, body: ByteBuffer(repeating: 0x78, count: size)))
    }
    try await withTransport(responder: responder, acceptor: Self.echo) { _, port in
      let client = try await Client.connect(port)
      try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await client.wait { $0.count > 2 * size }.count > 2 * size)
      try await client.send(ClientFrame.handshake())
      _ = try await client.text(until: "\r\n\r\n")
      try await client.send(ClientFrame.text(String(repeating: "y", count: size)))
      #expect(try await client.wait { $0.count == size + 10 }.count == size + 10)
    }
  }

  @Test func `an unfinished message uses memory up to its limit and delays no other client`() async throws {
    var options = Transport.Options()
    options.limits.messageBytesMax = 1 << 20
    try await withTransport(options, acceptor: Self.echo) { transport, port in
      let client = try await Client.connect(port)
      try await client.send(ClientFrame.handshake())
      _ = try await client.text(until: "\r\n\r\n")
      let part = ClientFrame.bytes(first: 0x00, [UInt8](repeating: 0x5B, count: 60_000))
      try await client.send(ClientFrame.text("[", isFinal: false))
      for _ in 0..<18 { try? await client.send(part) }
      var answer = try await client.wait { $0.count >= 4 }
      #expect(ServerFrame.take(from: &answer).first?.closeCode == 1009)
      let other = try await Client.connect(port)
      try await other.send(ClientFrame.handshake() + ClientFrame.text("one"))
      #expect(try await other.text(until: "one").hasPrefix("HTTP/1.1 101 "))
    }
  }

  @Test func `a client that reads its answer slowly is not idle`() async throws {
    let size = 24 << 20
    let body = ByteBuffer(repeating: 0x78, count: size)
    let responder = TestResponder { _, loop in loop.eventLoop.makeSucceededFuture(HTTPResponse(.ok, body: body)) }
    var options = Transport.Options()
    (options.limits.idleTimeoutSeconds, options.limits.stallTimeoutSeconds) = (1, 600)
    options.limits.headTimeoutSeconds = 599
    try await withTransport(options, responder: responder) { _, port in
      let client = try await Client.connect(port)
      try await client.channel.setOption(.autoRead, value: false).get()
      try await client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
      // Longer than the timeout of an idle connection.
      for _ in 0..<25 {
        try await Task.sleep(nanoseconds: 100_000_000)
        client.channel.read()
      }
      try await client.channel.setOption(.autoRead, value: true).get()
      let head = "HTTP/1.1 200 OK\r\n".utf8.count
      let bytes = try await client.wait { $0.count > head + size }
      #expect(bytes.count > head + size)
    }
  }

  @Test func `a client that does not read is disconnected when too much is pending`() async throws {
    let ended = Mutex<SocketEnd?>(nil)
    let acceptor = TestAcceptor { Flooding { end in ended.withLock { $0 = end } } }
    var options = Transport.Options()
    options.limits.outboundBytesMax = 4 << 20
    try await withTransport(options, acceptor: acceptor) { _, port in
      let client = try await Client.connect(port)
      try await client.channel.setOption(.autoRead, value: false).get()
      try await client.send(ClientFrame.handshake())
      try await Polling.until { ended.withLock { $0 } != nil }
      #expect(ended.withLock { $0 } == .slowConsumer)
      try await client.channel.close().get()
    }
  }

  /// A delegate that sends without end.
  private final class Flooding: SocketDelegate {
    let report: @Sendable (SocketEnd) -> Void
    init(report: @escaping @Sendable (SocketEnd) -> Void) { self.report = report }

    func opened(_ socket: Socket) { flood(socket) }

    private func flood(_ socket: Socket) {
      guard socket.isOpen else { return }
      socket.send(OutboundMessage(text: [UInt8](repeating: 0x78, count: 100_000)))
      socket.flush()
      nonisolated(unsafe) let delegate = self  // The task runs on the socket's own event loop.
      socket.loop.eventLoop.scheduleTask(in: .milliseconds(1)) { delegate.flood(socket) }
    }

    func received(_ message: UnsafeRawBufferPointer, on socket: Socket) {}
    func finishedReading(_ socket: Socket) {}
    func closed(_ socket: Socket, _ end: SocketEnd) { report(end) }
  }

  @Test func `a shutdown closes sockets with a close frame, and closes the port`() async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    var options = Transport.Options()
    options.port = 0
    var limits = TransportLimits.standard
    limits.closeMilliseconds = Polling.timeoutSeconds * 1000
    let transport = try await Transport.start(
      options, group: group, loops: Transport.loops(of: group, limits: limits, memory: .ofTest()),
      responder: TestResponder(), acceptor: TestAcceptor())
    let port = try #require(transport.port)
    let client = try await Client.connect(port)
    try await client.send(ClientFrame.handshake())
    _ = try await client.text(until: "\r\n\r\n")
    async let done: Void = transport.shutDown(graceSeconds: Polling.timeoutSeconds)
    var answer = try await client.wait { $0.count >= 4 }
    #expect(ServerFrame.take(from: &answer).first?.closeCode == 1001)
    try await client.send(ClientFrame.close(code: 1001))
    await done
    // The client notices a moment later.
    try await client.channel.closeFuture.get()
    await #expect(throws: (any Error).self) { try await Client.connect(port) }
    try await group.shutdownGracefully()
  }

  @Test func `an invalid certificate file or key file is explained`() throws {
    let missing = TLSFiles(certificatePath: "/nonexistent/cert.pem", keyPath: "/nonexistent/key.pem")
    let failure = try #require(throws: TLSFiles.Failure.self) { try missing.read() }
    #expect(failure.description.contains("/nonexistent/cert.pem"))
  }
}
