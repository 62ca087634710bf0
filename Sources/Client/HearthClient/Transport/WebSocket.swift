import HearthTree
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

#if os(Linux)
  import HearthTLS
#endif

/// An event of a WebSocket, on its event loop.
enum WebSocketEvent: Sendable {
  case opened
  /// Complete text messages, in order; their bytes count as unread until ``WebSocket/consumed(_:)``.
  case received([[UInt8]])
  /// A frame other than of a message, such as a pong, which shows that the peer is alive.
  case alive
  case writable(Bool)
  /// The last event, with the reason of the end.
  case closed(String)
}

/// A client's WebSocket, from the start of connecting to its end. Can be used from any thread.
final class WebSocket: Sendable {
  private let loop: any EventLoop
  private let handler: WebSocketHandler

  /// Starts to connect.
  ///
  /// - Parameters:
  /// - tls: The TLS context; nil for a plain socket.
  /// - listener: Receives all events, on the loop.
  init(
    _ request: SocketRequest, tls: TLSContext?, limits: WebSocketLimits, on loop: any EventLoop,
    openMilliseconds: Int64, listener: @escaping @Sendable (WebSocketEvent) -> Void
  ) {
    self.loop = loop
    let handler = WebSocketHandler(limits: limits, listener: listener)
    self.handler = handler
    let bootstrap = ClientBootstrap(group: loop)
      .connectTimeout(.milliseconds(openMilliseconds))
      .channelOption(.socketOption(.so_keepalive), value: 1)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelOption(
        .writeBufferWaterMark, value: .init(low: limits.unsentBytesLow, high: limits.unsentBytesMax)
      )
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          guard let tls else { return }
          try channel.pipeline.syncOperations.addHandler(tls.handler(host: request.host))
        }
      }
    // The server does not send first, so no data is missed until the handlers are added.
    bootstrap.connect(host: request.host, port: request.port).flatMap { channel in
      do { return try Self.upgrade(channel, request, limits, handler) } catch {
        return channel.eventLoop.makeFailedFuture(error)
      }
    }
    .whenFailure { error in handler.fail("\(error)") }
  }

  private static func upgrade(
    _ channel: any Channel, _ request: SocketRequest, _ limits: WebSocketLimits, _ handler: WebSocketHandler
  ) throws -> EventLoopFuture<Void> {
    handler.attach(channel)
    var headers = HTTPHeaders([("Host", request.authority)])
    for header in request.headers { headers.add(name: header.name, value: header.value) }
    let upgrader = NIOTypedWebSocketClientUpgrader<Void>(
      maxFrameSize: min(limits.messageBytesMax, Int(UInt32.max)),
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(handler) }
      })
    var configuration = NIOUpgradableHTTPClientPipelineConfiguration<Void>(
      upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
        upgradeRequestHead: HTTPRequestHead(version: .http1_1, method: .GET, uri: request.target, headers: headers),
        upgraders: [upgrader],
        notUpgradingCompletionHandler: { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(RefusedUpgrade(handler))
          }
        }))
    // The hello may arrive in one packet with the response to the upgrade.
    configuration.leftOverBytesStrategy = .forwardBytes
    return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(configuration: configuration)
  }

  /// Sends text messages, in this order.
  func send(_ texts: [[UInt8]]) { loop.execute { [handler] in handler.send(texts) } }

  /// Sends a ping.
  func ping() { loop.execute { [handler] in handler.ping() } }

  /// Sends a close frame, and ends the connection after ``WebSocketLimits/closeMilliseconds`` at the latest. No event
  /// follows.
  func close() { loop.execute { [handler] in handler.sendClose() } }

  /// Notes that this many received bytes are no longer in memory.
  func consumed(_ bytes: Int) { loop.execute { [handler] in handler.consumed(bytes) } }
}

/// The handler of a response that refuses the upgrade.
private final class RefusedUpgrade: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart

  private let handler: WebSocketHandler

  init(_ handler: WebSocketHandler) { self.handler = handler }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(let head) = unwrapInboundIn(data) else { return }
    handler.fail("the server answers \(head.status.code) instead of opening a WebSocket")
  }

  func channelInactive(context: ChannelHandlerContext) {
    handler.fail("the server ended the connection instead of opening a WebSocket")
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { handler.fail("\(error)") }
}
