import HearthBytes
import HearthCluster
import NIOCore

/// The channel handler of a connection between two nodes, after its TLS handler: it exchanges hellos, heartbeats and
/// messages.
///
/// Any protocol violation ends the connection, with its reason. Nothing is buffered for a peer before its hello.
final class LinkHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = Never
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The callbacks of a connection, on its event loop.
  struct Delegate {
    /// Handles the peer's hello, with the names in its certificate. Returns the reason to refuse the connection; nil to
    /// accept it.
    var greeted: (Hello, _ names: [String], NodeLink) -> LinkProblem?
    /// Handles a message; reading pauses while too many bytes wait for their `done`.
    var received: (DatabaseID, PeerMessage, NodeLink, _ done: @escaping @Sendable () -> Void) -> Void
    /// Answers a question of the peer. A thrown ``LinkRefusal`` is sent as that refusal.
    var asked: ([UInt8], NodeLink) -> EventLoopFuture<[UInt8]>
    /// Handles the end of the connection, once.
    var ended: (NodeLink?, LinkProblem) -> Void
  }

  private let hello: Hello
  private let limits: LinkLimits
  private let delegate: Delegate
  private let names: (ChannelPipeline) -> [String]
  private var decoder = LinkDecoder()
  private var link: NodeLink?
  private var isOver = false
  private var hasBegun = false
  private var lastHeard = NIODeadline.uptimeNanoseconds(0)
  private var lastSent = NIODeadline.uptimeNanoseconds(0)
  private var watch: RepeatedTask?
  private var deadline: Scheduled<Void>?
  private let unhandled: UnhandledBytes
  /// The pending questions of the peer. Their size is limited to half of the unhandled bytes: slow questions must not
  /// stop the reading of other messages, because their answers may depend on those.
  private var load: InboundQuestions

  /// - Parameters:
  ///   - hello: This node's hello.
  ///   - names: The names in the peer's certificate.
  init(
    _ hello: Hello, limits: LinkLimits, _ delegate: Delegate,
    names: @escaping (ChannelPipeline) -> [String] = LinkIdentity.peerNames
  ) {
    (self.hello, self.limits, self.delegate, self.names) = (hello, limits, delegate, names)
    unhandled = UnhandledBytes(max: limits.unhandledBytesMax)
    load = InboundQuestions(countMax: limits.questionsMax, bytesMax: limits.unhandledBytesMax / 2)
  }

  // MARK: The connection

  func handlerAdded(context: ChannelHandlerContext) { if context.channel.isActive { begin(context) } }

  func channelActive(context: ChannelHandlerContext) {
    begin(context)
    context.fireChannelActive()
  }

  private func begin(_ context: ChannelHandlerContext) {
    guard !hasBegun else { return }
    hasBegun = true
    let loop = context.eventLoop
    lastHeard = loop.now
    let (bound, box) = (NIOLoopBound(context, eventLoop: loop), NIOLoopBound(self, eventLoop: loop))
    deadline = loop.scheduleTask(in: .seconds(Int64(LinkLimits.helloSeconds))) {
      if box.value.link == nil { box.value.end(bound.value, .noHello) }
    }
    let interval = TimeAmount.milliseconds(Int64(LinkLimits.heartbeatMilliseconds))
    watch = loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
      box.value.checkSilence(bound.value)
    }
    context.writeAndFlush(
      wrapOutboundOut(ByteBuffer(bytes: LinkMessage.hello(hello).encoded(in: hello.oldestVersion))), promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end(context, .closed)
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { end(context, .closed) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    end(context, error as? LinkProblem ?? .failed("\(NetworkProblem(error))"))
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let problem = event as? LinkProblem { return end(context, problem) }
    context.fireUserInboundEventTriggered(event)
  }

  private func end(_ context: ChannelHandlerContext, _ problem: LinkProblem) {
    guard !isOver else { return }
    isOver = true
    watch?.cancel()
    deadline?.cancel()
    decoder = LinkDecoder()
    delegate.ended(link, problem)
    link?.ended(problem)
    context.close(promise: nil)
  }

  /// Sends a heartbeat, or ends a silent connection, when that is due.
  private func checkSilence(_ context: ChannelHandlerContext) {
    let now = context.eventLoop.now
    if now - lastHeard >= .milliseconds(Int64(LinkLimits.silenceMilliseconds)), !unhandled.isReadPaused, link != nil {
      return end(context, .silent)
    }
    if link != nil, now - lastSent >= .milliseconds(Int64(LinkLimits.heartbeatMilliseconds)) {
      lastSent = now
      context.writeAndFlush(
        wrapOutboundOut(ByteBuffer(bytes: LinkMessage.heartbeat.encoded(in: link?.version ?? hello.oldestVersion))),
        promise: nil)
    }
  }

  // MARK: Inbound

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    lastHeard = context.eventLoop.now
    decoder.append(unwrapInboundIn(data).readableBytesView)
    do throws(MalformedBytes) {
      while !isOver, let message = try decoder.next() { take(message, context) }
    } catch { end(context, .malformed(error.finding)) }
  }

  private func take(_ message: LinkMessage, _ context: ChannelHandlerContext) {
    switch (message, link) {
    case (.hello(let other), nil): greet(other, context)
    case (.database(let database, let message), let link?): deliver(database, message, link, context)
    case (.question(let number, let content), let link?): answer(content, number, link, context)
    case (.reply(let number, let reply), let link?): link.take(reply, to: number)
    default: break
    }
  }

  private func greet(_ other: Hello, _ context: ChannelHandlerContext) {
    guard other.cluster == hello.cluster else { return end(context, .otherCluster) }
    guard let version = hello.version(with: other) else { return end(context, .noCommonVersion) }
    let link = NodeLink(other.incarnation, version: version, context.channel, limits)
    if let problem = delegate.greeted(other, names(context.pipeline), link) { return end(context, problem) }
    self.link = link
    deadline?.cancel()
  }

  private func deliver(
    _ database: DatabaseID, _ message: PeerMessage, _ link: NodeLink, _ context: ChannelHandlerContext
  ) {
    let size = message.sizeBytes
    unhandled.add(size)
    let (loop, bound) = (context.eventLoop, NIOLoopBound(context, eventLoop: context.eventLoop))
    let box = NIOLoopBound(self, eventLoop: loop)
    delegate.received(database, message, link) { [unhandled] in
      if unhandled.remove(size) { loop.execute { box.value.resume(bound.value) } }
    }
  }

  private func answer(_ question: [UInt8], _ number: UInt64, _ link: NodeLink, _ context: ChannelHandlerContext) {
    guard let size = load.begin(question) else { return link.reply(.failure(LinkRefusal.crowded), to: number) }
    unhandled.add(size)
    let loop = context.eventLoop
    let (bound, box) = (NIOLoopBound(context, eventLoop: loop), NIOLoopBound(self, eventLoop: loop))
    delegate.asked(question, link).hop(to: loop).whenComplete { result in
      let handler = box.value
      handler.load.end(size)
      if handler.unhandled.remove(size) { handler.resume(bound.value) }
      if !handler.isOver { link.reply(result, to: number) }
    }
  }

  private func resume(_ context: ChannelHandlerContext) {
    guard !isOver else { return }
    lastHeard = context.eventLoop.now
    context.read()
  }

  func read(context: ChannelHandlerContext) { if !unhandled.pausesRead() { context.read() } }

  // MARK: Outbound

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    lastSent = context.eventLoop.now
    context.write(data, promise: promise)
  }
}

extension PeerMessage {
  /// The approximate size in memory.
  fileprivate var sizeBytes: Int {
    switch self {
    case .commits(let row): row.batch.payload.count + 128
    case .request(_, let request): request.kind.sizeBytes + 128
    case .answer(_, _, _, .value(let content, _)): content.count + 128
    case .announce(_, let sessions), .unknownSessions(_, let sessions): sessions.count * 8 + 128
    default: 128
    }
  }
}
