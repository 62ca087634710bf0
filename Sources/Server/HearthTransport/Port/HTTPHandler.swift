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
    /// The response goes on. What arrives meanwhile is dropped, so that the client's end is noticed.
    case streaming(HTTPStream)
    /// The last response is written; what arrives is no longer looked at.
    case ending
  }

  /// What of a request's head decides about the connection.
  struct Framing {
    /// What the answer calls the request.
    var requestID: String
    var keepsAlive: Bool
    var isHead: Bool
    /// The decoder reads nothing after such a request.
    var isUpgrade: Bool
    /// The client knows HTTP/1.1.
    var mayChunk: Bool
    var bodyLimit: HTTPBodyLimit?
    /// It was asked who sends so large a body.
    var isCallerKnown = false
    /// It was asked whether a body that is not small is read.
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
  /// The body so far of the request that is being received. Not in `phase`: there a second reference, held while the
  /// phase is looked at, would have the whole of it copied for every part that arrives.
  var body = ByteBuffer()
  /// How fast it comes.
  var pace: BodyPace
  /// What is held for the connection.
  private(set) lazy var share = MemoryShare(
    loop: loop, owner: self, isEncrypted: peer.isEncrypted, from: peer.network)
  /// What was decoded while a response was awaited.
  private var backlog = CircularBuffer<HTTPServerRequestPart>()
  private var isDraining = false
  /// What the decoder could not read, behind everything in the backlog.
  private var failure: HTTPFailure?
  var isReadHeld = false
  /// Requests that may still be handled in this turn.
  var turnLeft: Int
  /// The next request is handled in a later turn.
  var isInLine = false
  /// Nothing more is taken from the client for a moment.
  var isResting = false
  /// The body that is being received is not read for a moment.
  var isBodyHeld = false
  var isReading = false
  var needsFlush = false
  /// The loop's second at which the connection is overdue.
  var deadline: Int32
  /// Bytes of the last answer that the client had not taken when it was last looked at.
  var untakenBytes = 0
  /// Says that nobody waits for the answer that is being made; nil between requests.
  var abandonment: Abandonment?

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
    pace = BodyPace(beganAt: loop.now, loop.limits)
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
    abandonment?.declare()
    abandonment = nil
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

  /// A client that sends more requests before the answers is read again when it has them.
  func read(context: ChannelHandlerContext) {
    if backlog.isEmpty, !isResting, !isBodyHeld, context.channel.isWritable {
      context.read()
    } else {
      isReadHeld = true
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) { drain() }

  /// Takes the parts that are there, up to a request that must be answered first.
  func drain() {
    guard !isDraining else { return }
    isDraining = true
    while isReady, let part = backlog.popFirst() { receive(part) }
    isDraining = false
    if let failure, isReady {
      self.failure = nil
      refuse(failure, received)
    }
    joinLine()
    guard isReadHeld, backlog.isEmpty, !isResting, !isBodyHeld, let context, context.channel.isWritable else { return }
    isReadHeld = false
    context.read()
  }

  /// The request whose body is arriving.
  private var received: HTTPRequest? { if case .receiving(let request, _) = phase { request } else { nil } }

  private var isReady: Bool {
    switch phase {
    case .responding: false
    case .waiting: !isResting && !isInLine && turnLeft > 0 && context?.channel.isWritable ?? false
    case .receiving: !isBodyHeld
    case .streaming, .ending: true
    }
  }

  /// True when a request waits that could be handled, were it not for the others' turns.
  var isOverTurn: Bool {
    guard case .waiting = phase, turnLeft <= 0 else { return false }
    return !backlog.isEmpty || failure != nil
  }

  private func receive(_ part: HTTPServerRequestPart) {
    switch (part, phase) {
    case (.head(let head), .waiting): receive(head)
    case (.body(let bytes), .receiving(let request, let framing)): receive(bytes, request, framing)
    case (.end, .receiving(var request, let framing)):
      let isLarge = body.readableBytes > loop.limits.bodyBytesOfAnybodyMax
      if isLarge, !loop.memory.mayWork(on: body.readableBytes) { return refuse(.overloaded, request) }
      request.body = body
      body = ByteBuffer()
      // An earlier answer that is not taken keeps the connection from being spared for the request's sake.
      share.isFixed = hasTakenAll
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

  /// Whoever closes the channel: its socket is not used any more.
  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    endStreamOutlet()
    context.close(mode: mode, promise: promise)
  }

  private func endStreamOutlet() { if case .streaming(let stream) = phase { stream.endOutlet() } }
}

extension HTTPHandler: TransportConnection {
  func sweep() {
    if case .streaming(let stream) = phase { return stream.sweep() }
    followAnswer()
    if isBodyHeld { return }
    if case .receiving(let request, _) = phase {
      let keepsPace = pace.isKept(at: loop.now, heldBytes: body.readableBytes, loop.limits)
      if !keepsPace || loop.now >= deadline { refuse(.timeout, request) }
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

  /// A client that takes its answer, however slowly, is not idle; who is too slow when memory is short is the memory's to
  /// say.
  private func followAnswer() {
    guard untakenBytes > 0 else { return }
    let waiting = context?.waitingBytes ?? 0
    if waiting == 0 {
      // A connection that is about to end keeps the short time that it has.
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
    // What the request did is not undone, so its client is told.
    case .responding where hasTakenAll: share.stay()
    case .receiving, .responding, .waiting, .streaming, .ending: abort()
    }
  }

  /// Nothing that was written still waits for the client.
  private var hasTakenAll: Bool { (context?.waitingBytes ?? 0) == 0 }
}
