import HearthOutbound
import NIOCore
import NIOHTTP1

/// A connection that carries one request at a time.
final class LocalConnection: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  private let ended: (_ connection: LocalConnection, _ isUsable: Bool) -> Void
  private let resend: (LocalExchange) -> Void
  private var context: ChannelHandlerContext?
  private var exchange: LocalExchange?
  private var idleTimer: Scheduled<Void>?
  private var head: HTTPResponseHead?
  private var body: [UInt8] = []
  /// The maximum bytes of a response's body that are skipped before the connection is closed.
  private static let passedBytesMax = 1 << 20
  private var bodyBytes = 0
  /// The time that an idle connection stays open.
  private static let idleSeconds: Int64 = 10

  /// - Parameters:
  ///   - ended: called when the connection can be used again, and when it never can.
  ///   - resend: takes a request that was sent on a connection which the receiver had closed.
  init(
    ended: @escaping (_ connection: LocalConnection, _ isUsable: Bool) -> Void,
    resend: @escaping (LocalExchange) -> Void
  ) {
    (self.ended, self.resend) = (ended, resend)
  }

  /// True when a part of the response has arrived.
  var hasAnswerBegun: Bool { head != nil }

  func start(_ exchange: LocalExchange) {
    idleTimer?.cancel()
    guard !exchange.isFinished else { return finish(isUsable: true) }
    guard let context else { return resend(exchange) }
    (self.exchange, head, body, bodyBytes) = (exchange, nil, [], 0)
    exchange.connection = self
    exchange.startTimer(on: context.eventLoop)
    var headers = HTTPHeaders([("Host", exchange.url.authority)])
    for header in exchange.request.headers { headers.add(name: header.name, value: header.value) }
    headers.replaceOrAdd(name: "Content-Length", value: String(exchange.request.body.count))
    let head = HTTPRequestHead(
      version: .http1_1, method: HTTPMethod(rawValue: exchange.request.method.rawValue), uri: exchange.url.target,
      headers: headers)
    exchange.wasSent = true
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if !exchange.request.body.isEmpty {
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: exchange.request.body)))), promise: nil)
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }

  func close() { context?.close(promise: nil) }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  /// Handles the end of the connection, also of one that was never established.
  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      guard exchange != nil else { return close() }
      self.head = head
    case .body(let part): take(part)
    case .end: answered()
    }
  }

  private func take(_ part: ByteBuffer) {
    guard let request = exchange?.request else { return }
    bodyBytes += part.readableBytes
    body += part.readableBytesView.prefix(max(0, request.responseSizeBytesMax - body.count))
    if bodyBytes > request.responseSizeBytesMax, !request.truncatesResponse {
      exchange?.fail(.tooLarge, "the response is too long")
    } else if bodyBytes > request.responseSizeBytesMax + Self.passedBytesMax {
      // The status is known; the rest of the response is not needed.
      answered(isUsable: false)
    }
  }

  private func answered(isUsable: Bool = true) {
    guard let exchange, let head else { return close() }
    self.exchange = nil
    exchange.succeed(
      OutboundResponse(
        status: Int(head.status.code), headers: head.headers.map { OutboundHeader($0.name, $0.value) }, body: body))
    body = []
    finish(isUsable: isUsable && head.isKeepAlive)
  }

  private func finish(isUsable: Bool) {
    guard isUsable, let context else { return close() }
    idleTimer = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(Self.idleSeconds)) { [weak self] in
      self?.close()
    }
    ended(self, true)
  }

  func channelInactive(context: ChannelHandlerContext) {
    self.context = nil
    idleTimer?.cancel()
    ended(self, false)
    guard let exchange else { return }
    self.exchange = nil
    if exchange.isOnUsedConnection, head == nil, !exchange.isFinished {
      exchange.isOnUsedConnection = false
      resend(exchange)
    } else {
      exchange.fail(.unreachable, "\(exchange.url.host) closed the connection", wasAnswered: head != nil)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is HTTPParserError { exchange?.fail(.malformedResponse, "the answer is not HTTP") }
    context.close(promise: nil)
  }
}
