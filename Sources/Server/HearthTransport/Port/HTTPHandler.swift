import NIOCore
import NIOHTTP1

/// A handler that collects the requests of one connection, has them answered one at a time and in order, and upgrades
/// the connection to a WebSocket on request.
final class HTTPHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer
  typealias Decoder = ByteToMessageHandler<HTTPRequestDecoder>

  enum Phase {
    case waiting
    case receiving(HTTPRequest, Framing)
    case responding(Framing)
    /// The response continues. Input is dropped meanwhile, so that the client's end is noticed.
    case streaming(HTTPStream)
    /// The last response is written; input is ignored.
    case ending
  }

  /// The facts of a request's head that decide about the connection.
  struct Framing {
    /// The request's id for the response.
    var requestID: String
    var keepsAlive: Bool
    var isHead: Bool
    /// True when the decoder reads no more after the request.
    var isUpgrade: Bool
    /// True when the client supports HTTP/1.1.
    var mayChunk: Bool
    var bodyLimit: HTTPBodyLimit?
    /// True when the sender of the large body was authenticated.
    var isCallerKnown = false
    /// True when the responder admitted the larger body.
    var isAdmitted = false
  }

  let loop: TransportLoop
  let peer: Peer
  let responder: any HTTPResponder
  /// Answers the request under way.
  var routed: any HTTPResponder
  let acceptor: any SocketAcceptor
  private let encoder: RequestLineEncoder
  let decoder: Decoder

  var context: ChannelHandlerContext?
  var phase = Phase.waiting
  /// The body so far of the request that is being received. Not in `phase`: a second reference there would copy the
  /// whole body for every part that arrives.
  var body = ByteBuffer()
  /// The pace of the body.
  var rateCheck: BodyRateCheck
  /// The memory that is held for the connection.
  private(set) lazy var share = MemoryShare(
    loop: loop, owner: self, isEncrypted: peer.isEncrypted, from: peer.network)
  /// The parts that were decoded while a response was awaited.
  private var backlog = CircularBuffer<HTTPServerRequestPart>()
  private var isDraining = false
  /// The decoding failure behind all parts in the backlog; nil when there is none.
  private var failure: HTTPFailure?
  var isReadPaused = false
  /// The number of requests that may still be handled in this turn.
  var turnLeft: Int
  /// True when the next request is handled in a later turn.
  var isQueued = false
  /// True while reading is paused.
  var isPausedForRate = false
  /// True while reading of the current body is paused.
  var isBodyPaused = false
  var isReading = false
  var needsFlush = false
  /// The loop's second at which the connection is overdue.
  var deadline: Int32
  /// The bytes of the last response that the client had not taken at the last sweep.
  var untakenBytes = 0
  /// The flag that the client no longer waits for the current response; nil between requests.
  var cancellation: RequestCancellation?

  init(
    loop: TransportLoop, peer: Peer, encoder: RequestLineEncoder, decoder: Decoder, responder: any HTTPResponder,
    acceptor: any SocketAcceptor,
    deadline: Int32
  ) {
    self.loop = loop
    self.peer = peer
    self.encoder = encoder
    self.decoder = decoder
    self.responder = responder
    routed = responder
    self.acceptor = acceptor
    self.deadline = deadline
    rateCheck = BodyRateCheck(beganAt: loop.now, loop.limits)
    turnLeft = loop.limits.turnMessagesMax
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    loop.add(self)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    leave()
    self.context = nil
  }

  func leave() {
    loop.remove(self)
    cancellation?.cancel()
    cancellation = nil
    share.end()
    let last = phase
    phase = .ending
    body = ByteBuffer()
    backlog.removeAll()
    if case .streaming(let stream) = last { stream.closed() }
  }

  // MARK: Receiving

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isReading = true
    let part = unwrapInboundIn(data)
    switch part {
    case .head(let head) where Self.isUpgrade(head): encoder.stop(with: context)
    case .end: encoder.requestEnded()
    case .head, .body: break
    }
    backlog.append(part)
    drain()
  }

  func channelReadComplete(context: ChannelHandlerContext) { finishReadCycle(context) }

  func finishReadCycle(_ context: ChannelHandlerContext) {
    isReading = false
    turnLeft = loop.limits.turnMessagesMax
    if needsFlush {
      needsFlush = false
      context.flush()
    }
  }

  /// Reads again from a client that sent more requests, once it has its responses.
  func read(context: ChannelHandlerContext) {
    if backlog.isEmpty, !isPausedForRate, !isBodyPaused, context.channel.isWritable {
      context.read()
    } else {
      isReadPaused = true
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) { drain() }

  /// Handles the queued parts, up to a request that must be answered first.
  func drain() {
    guard !isDraining else { return }
    isDraining = true
    while isReady, let part = backlog.popFirst() { receive(part) }
    isDraining = false
    if let failure, isReady {
      self.failure = nil
      refuse(failure, received)
    }
    joinQueue()
    guard isReadPaused, backlog.isEmpty, !isPausedForRate, !isBodyPaused, let context, context.channel.isWritable else {
      return
    }
    isReadPaused = false
    context.read()
  }

  /// The request whose body is arriving.
  private var received: HTTPRequest? { if case .receiving(let request, _) = phase { request } else { nil } }

  private var isReady: Bool {
    switch phase {
    case .responding: false
    case .waiting: !isPausedForRate && !isQueued && turnLeft > 0 && context?.channel.isWritable ?? false
    case .receiving: !isBodyPaused
    case .streaming, .ending: true
    }
  }

  /// True when a request waits only for the turns of other connections.
  var hasUsedUpTurn: Bool {
    guard case .waiting = phase, turnLeft <= 0 else { return false }
    return !backlog.isEmpty || failure != nil
  }

  private func receive(_ part: HTTPServerRequestPart) {
    switch (part, phase) {
    case (.head(let head), .waiting): receive(head)
    case (.body(let bytes), .receiving(let request, let framing)): receive(bytes, request, framing)
    case (.end, .receiving(var request, let framing)):
      let isLarge = body.readableBytes > loop.limits.bodyBytesWithoutCredentialMax
      if isLarge, !loop.memory.mayWork(on: body.readableBytes) { return refuse(.overloaded, request) }
      request.body = body
      body = ByteBuffer()
      // While the client has not taken earlier responses, the connection may be closed to free their memory.
      share.isBeingProcessed = hasTakenAll
      phase = .responding(framing)
      deadline = .max
      dispatch(request, framing)
    default: break
    }
  }

  // MARK: Ends

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case HTTPParserError.headerOverflow: failure = .headTooLong
    case is HTTPParserError: failure = .malformed
    default:
      endStreamOutlet()
      return context.close(promise: nil)
    }
    drain()
  }

  func channelInactive(context: ChannelHandlerContext) { leave() }

  /// Ends the outlet before the channel closes its socket, by whichever caller.
  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    endStreamOutlet()
    context.close(mode: mode, promise: promise)
  }

  private func endStreamOutlet() { if case .streaming(let stream) = phase { stream.endOutlet() } }
}

extension HTTPHandler: TransportConnection {
  func sweep() {
    if case .streaming(let stream) = phase { return stream.sweep() }
    extendDeadline()
    if isBodyPaused { return }
    if case .receiving(let request, _) = phase {
      let isFastEnough = rateCheck.isFastEnough(at: loop.now, heldBytes: body.readableBytes, loop.limits)
      if !isFastEnough || loop.now >= deadline { refuse(.timeout, request) }
    } else if loop.now >= deadline {
      abort()
    }
  }

  func shutDown() {
    switch phase {
    case .waiting: abort()
    case .streaming(let stream): stream.end()
    case .receiving, .responding, .ending: break
    }
  }

  func abort() {
    endStreamOutlet()
    context?.close(promise: nil)
  }

  /// Extends the deadline of a client that takes its response, however slowly; the memory limit closes clients that are
  /// too slow.
  private func extendDeadline() {
    guard untakenBytes > 0 else { return }
    let waiting = context?.waitingBytes ?? 0
    if waiting == 0 {
      // A connection that is about to end keeps its short deadline.
      if case .waiting = phase { deadline = loop.now + Int32(loop.limits.idleTimeoutSeconds) }
    } else if waiting < untakenBytes {
      deadline = max(deadline, loop.now + Int32(loop.limits.stallTimeoutSeconds))
    }
    untakenBytes = waiting
  }

  func countOutbound() {
    if case .streaming(let stream) = phase { return stream.countOutbound() }
    if let context { share.setOutbound(context.waitingBytes) }
  }

  func giveUpMemory() {
    switch phase {
    case .receiving(let request, _) where hasTakenAll: refuse(.overloaded, request)
    // The effect of the request stays, so its client gets the response.
    case .responding where hasTakenAll: share.resetReport()
    case .receiving, .responding, .waiting, .streaming, .ending: abort()
    }
  }

  /// True when the client has taken all written bytes.
  private var hasTakenAll: Bool { (context?.waitingBytes ?? 0) == 0 }
}
