import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOSSL
import ServerTestKit

@testable import HearthTransport

/// A responder whose answer the test defines; by default an echo of method, target and body.
struct TestResponder: HTTPResponder {
  var answer: @Sendable (HTTPRequest, TransportLoop) -> EventLoopFuture<HTTPResponse> = { request, loop in
    var body = ByteBuffer(string: "\(request.method) \(request.target) ")
    body.writeImmutableBuffer(request.body)
    return loop.eventLoop.makeSucceededFuture(HTTPResponse(.ok, body: body))
  }

  func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse> {
    answer(request, loop)
  }

  /// Returns the caller of a large body.
  var caller: @Sendable (HTTPRequest) -> HTTPBodyCaller = { _ in .known }

  func caller(of request: HTTPRequest, on loop: TransportLoop) -> HTTPBodyCaller { caller(request) }

  /// Returns the admission of a body that is not small, given the number of times it has waited.
  var admission: @Sendable (HTTPRequest, Int) -> HTTPBodyAdmission = { _, _ in .now }

  func admission(of request: HTTPRequest, waits: Int, on loop: TransportLoop) -> HTTPBodyAdmission {
    admission(request, waits)
  }

  func response(to failure: HTTPFailure, for request: HTTPRequest?) -> HTTPResponse {
    let (status, text) = failure.explanation
    return HTTPResponse(
      status, headers: [("Content-Type", "application/json; charset=utf-8"), ("X-Refused", request?.target ?? "-")],
      body: ByteBuffer(string: "{\"error\":\"\(text)\"}"))
  }
}

/// An acceptor that accepts every socket at `/.ws`.
struct TestAcceptor: SocketAcceptor {
  var delegate: @Sendable () -> any SocketDelegate = { RecordingDelegate() }

  func accept(_ request: HTTPRequest, on loop: TransportLoop) -> SocketDecision {
    if request.target.hasPrefix("/refused") { return .refuse(HTTPResponse(.forbidden)) }
    return request.target.hasPrefix("/.ws") ? .accept(delegate()) : .none
  }
}

/// A connection without a network, with bytes as input and output, and a simulated clock.
final class TestConnection {
  let channel = EmbeddedChannel()
  let loop: TransportLoop
  private var unread: [UInt8] = []

  init(
    responder: TestResponder = TestResponder(), acceptor: TestAcceptor = TestAcceptor(), tls: CurrentTLSContext? = nil,
    allowsPlaintext: Bool = true, limits: TransportLimits = .standard, memory: ClientMemory = .ofTest(),
    meters: TransportMeters = .none
  ) throws {
    loop = TransportLoop(
      eventLoop: channel.embeddedEventLoop, index: 0, limits: limits, memory: memory, meters: meters)
    loop.start()
    let setup = ConnectionSetup(
      responder: responder, acceptor: acceptor, tls: tls, allowsPlaintext: allowsPlaintext)
    try setup.start(channel, on: loop)
    channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    channel.embeddedEventLoop.run()
  }

  /// Returns a connection after its WebSocket handshake, with its delegate.
  static func socket(
    _ delegate: RecordingDelegate = RecordingDelegate(), limits: TransportLimits = .standard,
    memory: ClientMemory = .ofTest()
  ) throws -> (TestConnection, RecordingDelegate) {
    nonisolated(unsafe) let delegate = delegate  // Everything here runs on the test's thread.
    let connection = try TestConnection(acceptor: TestAcceptor { delegate }, limits: limits, memory: memory)
    try connection.send(ClientFrame.handshake())
    _ = try connection.text()
    return (connection, delegate)
  }

  func send(_ bytes: [UInt8]) throws {
    try channel.writeInbound(ByteBuffer(bytes: bytes))
    channel.embeddedEventLoop.run()
  }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// Returns the bytes sent since the last call.
  func bytes() throws -> [UInt8] {
    channel.embeddedEventLoop.run()
    while let buffer = try channel.readOutbound(as: ByteBuffer.self) { unread += Array(buffer.readableBytesView) }
    defer { unread = [] }
    return unread
  }

  func text() throws -> String { String(decoding: try bytes(), as: UTF8.self) }

  func frames() throws -> [ServerFrame] {
    var bytes = try bytes()
    let frames = ServerFrame.take(from: &bytes)
    unread = bytes
    return frames
  }

  /// Returns the responses, each without its date and its request id.
  func responses() throws -> [String] {
    let text = try text()
    return text.split(separator: "HTTP/1.1 ").map { response in
      response.split(separator: "\r\n", omittingEmptySubsequences: false)
        .filter { !$0.hasPrefix("Date: ") && !$0.hasPrefix("X-Request-Id: ") }
        .joined(separator: "|")
    }
  }

  func advance(seconds: Int) {
    channel.embeddedEventLoop.advanceTime(by: .seconds(Int64(seconds)))
    channel.embeddedEventLoop.run()
  }

  var isOpen: Bool { channel.isActive }
}

/// The first handler of a connection, which consumes all output at once. The embedded channel sums up all unread output
/// whenever its pending size is read, so thousands of answers would be slow without this.
final class TakingNetwork: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer

  private var bytes: [UInt8] = []

  var taken: String { String(decoding: bytes, as: UTF8.self) }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    bytes += unwrapOutboundIn(data).readableBytesView
    promise?.succeed()
  }

  func flush(context: ChannelHandlerContext) {}
}
