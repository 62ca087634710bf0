import NIOCore
import NIOHTTP1

/// Collects the requests of one connection, has them answered one at a time and in order, and turns the connection
/// into a WebSocket when that is wanted.
final class HTTPHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer
  typealias Decoder = ByteToMessageHandler<HTTPRequestDecoder>

  enum Phase {
    case waiting
    case receiving(HTTPRequest, Framing)
    case responding(Framing)
    /// The last response is written; what arrives is no longer looked at.
    case ending
  }

  /// What of a request's head decides about the connection.
  struct Framing {
    var keepsAlive: Bool
    var isHead: Bool
    /// The decoder reads nothing after such a request.
    var isUpgrade: Bool
    var beganAt: Int32
    var bodyBytes = 0
    var bodyLimit: HTTPBodyLimit?
  }

  let loop: TransportLoop
  private let peer: Peer
  private let responder: any HTTPResponder
  private let acceptor: any SocketAcceptor
  private let decoder: Decoder

  private var context: ChannelHandlerContext?
  private var phase = Phase.waiting
  /// The body so far of the request that is being received. Not in `phase`: there a second reference, held while the
  /// phase is looked at, would have the whole of it copied for every part that arrives.
  private var body = ByteBuffer()
  /// What was decoded while a response was awaited.
  private var backlog = CircularBuffer<HTTPServerRequestPart>()
  private var isDraining = false
  /// What the decoder could not read, behind everything in the backlog.
  private var failure: HTTPFailure?
  private var isReadHeld = false
  private var isReading = false
  private var needsFlush = false
  /// The loop's second at which the connection is overdue.
  private var deadline: Int32

  init(
    loop: TransportLoop, peer: Peer, decoder: Decoder, responder: any HTTPResponder, acceptor: any SocketAcceptor,
    deadline: Int32
  ) {
    self.loop = loop
    self.peer = peer
    self.decoder = decoder
    self.responder = responder
    self.acceptor = acceptor
    self.deadline = deadline
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    loop.add(self)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    leave()
    self.context = nil
  }

  private func leave() {
    loop.remove(self)
    if case .receiving(_, let framing) = phase { loop.bodyBytes -= framing.bodyBytes }
    if case .responding(let framing) = phase { loop.bodyBytes -= framing.bodyBytes }
    phase = .ending
    body = ByteBuffer()
    backlog.removeAll()
  }

  // MARK: Receiving

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isReading = true
    backlog.append(unwrapInboundIn(data))
    drain()
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    isReading = false
    if needsFlush {
      needsFlush = false
      context.flush()
    }
  }

  /// A client that sends more requests before the answers is read again when it has them.
  func read(context: ChannelHandlerContext) {
    if backlog.isEmpty, context.channel.isWritable {
      context.read()
    } else {
      isReadHeld = true
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) { drain() }

  /// Takes the parts that are there, up to a request that must be answered first.
  private func drain() {
    guard !isDraining else { return }
    isDraining = true
    while isReady, let part = backlog.popFirst() { receive(part) }
    isDraining = false
    if let failure, isReady {
      self.failure = nil
      refuse(failure)
    }
    guard isReadHeld, backlog.isEmpty, let context, context.channel.isWritable else { return }
    isReadHeld = false
    context.read()
  }

  private var isReady: Bool {
    switch phase {
    case .responding: false
    case .waiting: context?.channel.isWritable ?? false
    case .receiving, .ending: true
    }
  }

  private func receive(_ part: HTTPServerRequestPart) {
    switch (part, phase) {
    case (.head(let head), .waiting): receive(head)
    case (.body(let bytes), .receiving(let request, var framing)):
      framing.bodyBytes += bytes.readableBytes
      loop.bodyBytes += bytes.readableBytes
      if body.readableBytes == 0 { body = bytes } else { body.writeImmutableBuffer(bytes) }
      phase = .receiving(request, framing)
      receiveBody(framing)
    case (.end, .receiving(var request, let framing)):
      request.body = body
      body = ByteBuffer()
      phase = .responding(framing)
      deadline = .max
      dispatch(request, framing)
    default: break
    }
  }

  private func receive(_ head: HTTPRequestHead) {
    var framing = Framing(
      keepsAlive: head.isKeepAlive, isHead: head.method == .HEAD,
      isUpgrade: head.method == .CONNECT || head.headers.contains(name: "Upgrade"), beganAt: loop.now)
    let request = HTTPRequest(method: head.method, target: head.uri, headers: head.headers, peer: peer)
    if let failure = problem(of: head) { return refuse(failure) }
    framing.bodyLimit = responder.bodyLimit(for: request)
    if let limit = framing.bodyLimit, let length = head.headers.first(name: "Content-Length").flatMap(Int.init),
      length > limit.bytesMax
    {
      return refuse(with: limit.response())
    }
    phase = .receiving(request, framing)
    deadline = loop.now + Int32(loop.limits.bodyPauseSeconds)
    if WebSocketHandshake.hasToken("100-continue", in: head.headers["Expect"]) {
      context?.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
    }
  }

  private func problem(of head: HTTPRequestHead) -> HTTPFailure? {
    let hosts = head.headers["Host"].count
    guard hosts == 1 || (hosts == 0 && head.version == .http1_0) else { return .malformed }
    let size = head.headers.reduce(head.uri.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    guard size <= loop.limits.headBytesMax else { return .headTooLong }
    if let length = head.headers.first(name: "Content-Length").flatMap(Int.init), length > loop.limits.bodyBytesMax {
      return .bodyTooLong
    }
    return nil
  }

  private func receiveBody(_ framing: Framing) {
    if let limit = framing.bodyLimit, framing.bodyBytes > limit.bytesMax { return refuse(with: limit.response()) }
    if framing.bodyBytes > loop.limits.bodyBytesMax { return refuse(.bodyTooLong) }
    if loop.bodyBytes > loop.limits.bodyBytesPerLoopMax { return refuse(.overloaded) }
    let latest = Int(framing.beganAt) + 60 + framing.bodyBytes / loop.limits.bodyBytesPerSecondMin
    deadline = Int32(clamping: min(Int(loop.now) + loop.limits.bodyPauseSeconds, latest))
  }

  // MARK: Responding

  private func dispatch(_ request: HTTPRequest, _ framing: Framing) {
    guard let context else { return }
    if WebSocketHandshake.isWanted(request) {
      switch acceptor.accept(request, on: loop) {
      case .accept(let delegate): return upgrade(request, delegate, context)
      case .refuse(let response): return respond(response)
      case .none: break
      }
    }
    responder.respond(to: request, on: loop).hop(to: loop.eventLoop).assumeIsolated().whenComplete { result in
      switch result {
      case .success(let response): self.respond(response)
      case .failure: self.respond(self.responder.response(to: .internalError))
      }
      self.drain()
    }
  }

  private func respond(_ response: HTTPResponse) {
    guard case .responding(let framing) = phase, let context else { return }
    loop.bodyBytes -= framing.bodyBytes
    let ends =
      !framing.keepsAlive || response.closesConnection || framing.isUpgrade || loop.isShuttingDown
    write(response, keepsAlive: !ends, omitsBody: framing.isHead, context)
    if ends {
      phase = .ending
      deadline = loop.now + Int32(loop.limits.stallTimeoutSeconds)
      let channel = context.channel
      context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in channel.close(promise: nil) }
    } else {
      phase = .waiting
      deadline = loop.now + Int32(loop.limits.idleTimeoutSeconds)
    }
  }

  private func write(
    _ response: HTTPResponse, keepsAlive: Bool, omitsBody: Bool, _ context: ChannelHandlerContext
  ) {
    let (head, body) = response.buffers(date: loop.dateText, keepsAlive: keepsAlive, omitsBody: omitsBody)
    context.write(wrapOutboundOut(head), promise: nil)
    if let body { context.write(wrapOutboundOut(body), promise: nil) }
    if isReading { needsFlush = true } else { context.flush() }
  }

  /// Answers what is not passed on. The client may still be sending: closing at once would lose the answer.
  private func refuse(_ failure: HTTPFailure) { refuse(with: responder.response(to: failure)) }

  private func refuse(with response: HTTPResponse) {
    if case .ending = phase { return }
    guard let context else { return }
    if case .receiving(_, let framing) = phase { loop.bodyBytes -= framing.bodyBytes }
    phase = .ending
    body = ByteBuffer()
    deadline = loop.now + Int32(loop.limits.lingerSeconds)
    write(response, keepsAlive: false, omitsBody: false, context)
    context.flush()
  }

  // MARK: WebSocket

  private func upgrade(_ request: HTTPRequest, _ delegate: any SocketDelegate, _ context: ChannelHandlerContext) {
    guard let response = WebSocketHandshake.response(to: request) else {
      return respond(responder.response(to: .badUpgrade))
    }
    let socket = Socket(loop: loop, peer: peer, userAgent: request.header("User-Agent"), delegate: delegate)
    let pipeline = context.pipeline.syncOperations
    do {
      try pipeline.addHandler(socket, position: .after(self))
    } catch {
      return context.close(promise: nil)
    }
    let (head, _) = response.buffers(date: loop.dateText, keepsAlive: true, omitsBody: true)
    context.write(wrapOutboundOut(head), promise: nil)
    let holdsRead = isReadHeld
    leave()
    // This handler first: bytes behind the request leave the decoder as it goes, and they belong to the socket.
    pipeline.removeHandler(self, promise: nil)
    socket.start()
    pipeline.removeHandler(decoder, promise: nil)
    // The decoder hands its bytes on without the end of a read cycle.
    loop.eventLoop.execute { socket.finishReadCycle() }
    if holdsRead { socket.context?.read() }
  }

  // MARK: Ends

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case HTTPParserError.headerOverflow: failure = .headTooLong
    case is HTTPParserError: failure = .malformed
    default: return context.close(promise: nil)
    }
    drain()
  }

  func channelInactive(context: ChannelHandlerContext) { leave() }
}

extension HTTPHandler: TransportConnection {
  func sweep() {
    guard loop.now >= deadline else { return }
    switch phase {
    case .receiving: refuse(.timeout)
    default: abort()
    }
  }

  func shutDown() {
    if case .waiting = phase { abort() }
  }

  func abort() { context?.close(promise: nil) }
}
