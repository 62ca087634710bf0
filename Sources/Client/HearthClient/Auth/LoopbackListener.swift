import NIOCore
import NIOHTTP1
import NIOPosix

/// The page on a port of this machine that a browser returns to from a sign-in page (RFC 8252 §7.3). It accepts one
/// return, from 127.0.0.1, within the time that the server's pages allow.
final class LoopbackListener: Sendable {
  /// The time for the user to sign in.
  static let lifetimeSeconds: Int64 = 600
  /// The maximum number of concurrent connections. Browsers open a few.
  static let connectionsMax = 16
  /// The time after which a connection without a request is closed.
  static let idleSeconds: Int64 = 10

  private let channel: any Channel
  private let promise: EventLoopPromise<[String: String]>
  private let timer: Scheduled<Void>

  private init(_ channel: any Channel, _ promise: EventLoopPromise<[String: String]>, lifetime: TimeAmount) {
    self.channel = channel
    self.promise = promise
    timer = channel.eventLoop.scheduleTask(in: lifetime) {
      promise.fail(AuthErrorCode.webContextCancelled.error("The sign-in was not completed in time. Start it again."))
    }
  }

  /// Starts to listen on a port that the system chooses.
  ///
  /// - Parameters:
  ///   - lifetime: The time until ``result()`` throws.
  ///   - read: Returns the result in the target of a request; nil for a request that does not belong to the sign-in.
  static func open(
    lifetime: TimeAmount = .seconds(lifetimeSeconds), _ read: @escaping @Sendable (String) -> [String: String]?
  ) async throws -> LoopbackListener {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let promise = loop.makePromise(of: [String: String].self)
    let connectionCount = LockedValue(0)
    do {
      let channel = try await ServerBootstrap(group: loop)
        .serverChannelOption(.backlog, value: 16)
        .childChannelInitializer { child in
          let isOver = connectionCount.withLock { count in
            count += 1
            return count > connectionsMax
          }
          child.closeFuture.whenComplete { _ in connectionCount.withLock { $0 -= 1 } }
          return child.eventLoop.makeCompletedFuture {
            guard !isOver else { throw ChannelError.ioOnClosedChannel }
            let pipeline = child.pipeline.syncOperations
            try pipeline.addHandler(IdleStateHandler(readTimeout: .seconds(idleSeconds)))
            try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false)
            try pipeline.addHandler(LoopbackHandler(read, promise))
          }
        }
        .bind(host: "127.0.0.1", port: 0).get()
      return LoopbackListener(channel, promise, lifetime: lifetime)
    } catch {
      promise.fail(error)
      throw AuthErrorCode.internalError.error("No port of this machine can be listened on: \(error)")
    }
  }

  /// The port.
  var port: Int { channel.localAddress?.port ?? 0 }

  /// Waits for the return.
  func result() async throws -> [String: String] { try await promise.futureResult.get() }

  /// Stops listening; a waiting ``result()`` ends with ``AuthErrorCode/webContextCancelled``.
  func close() {
    timer.cancel()
    promise.fail(AuthErrorCode.webContextCancelled.error())
    channel.close(promise: nil)
  }
}

/// The handler of one connection: it answers the first request and closes.
private final class LoopbackHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let read: @Sendable (String) -> [String: String]?
  private let promise: EventLoopPromise<[String: String]>
  private var isAnswered = false

  init(_ read: @escaping @Sendable (String) -> [String: String]?, _ promise: EventLoopPromise<[String: String]>) {
    self.read = read
    self.promise = promise
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // The head is answered at once, so that no body is read.
    guard case .head(let head) = unwrapInboundIn(data), !isAnswered else { return }
    isAnswered = true
    let result = head.method == .GET && head.uri.utf8.count <= WebContext.returnBytesMax ? read(head.uri) : nil
    answer(result != nil, context)
    if let result { promise.succeed(result) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func answer(_ isAccepted: Bool, _ context: ChannelHandlerContext) {
    let text =
      isAccepted
      ? "You can close this window and return to the program."
      : "This address belongs to no sign-in that the program waits for."
    let body = ByteBuffer(
      string: "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>Sign-in</title><p>\(text)</p></html>\n")
    let headers: HTTPHeaders = [
      "Content-Type": "text/html; charset=utf-8", "Content-Length": String(body.readableBytes), "Connection": "close",
      "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
      "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    ]
    let head = HTTPResponseHead(version: .http1_1, status: isAccepted ? .ok : .badRequest, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
      context.close(promise: nil)
    }
  }
}
