import NIOCore

/// One writer, many event streams of one path over HTTP.
final class StreamScenario: BenchScenario {
  private let sockets: BenchSockets
  private let size: BenchSize
  private let meter: FanoutMeter
  private var streams: [BenchStream] = []

  init(sockets: BenchSockets, size: BenchSize) {
    self.sockets = sockets
    self.size = size
    meter = FanoutMeter(size, on: sockets.loop)
  }

  func run() -> EventLoopFuture<BenchResult> {
    sockets.open([nil]).assumeIsolated().flatMap { [self] in
      BenchAdmin(sockets.all[0], loop: sockets.loop).makeMembers([("r0", "u0")])
    }.flatMap { [self] in open() }.flatMap { [self] in load() }.nonisolated()
  }

  private func open() -> EventLoopFuture<Void> {
    let done = sockets.loop.makePromise(of: Void.self)
    let count = Countdown(size.connections)
    do {
      let token = try sockets.target.token(uid: "u0")
      let target = "/rooms/r0.json?ns=\(sockets.target.namespace)&auth=\(token)"
      for _ in 0..<size.connections {
        let stream = BenchStream(target: target, authority: sockets.target.authority)
        stream.onClose = { done.fail(BenchSockets.Failure(description: "the server closed a stream")) }
        // The first event is what is there.
        stream.onEvent = { stream in
          stream.onEvent = { _ in }
          if count.isLast() { done.succeed() }
        }
        streams.append(stream)
        stream.connect(on: sockets.loop, host: sockets.target.host, port: sockets.target.port).cascadeFailure(to: done)
      }
    } catch {
      done.fail(error)
    }
    return done.futureResult
  }

  private func load() -> EventLoopFuture<BenchResult> {
    let done = sockets.loop.makePromise(of: BenchResult.self)
    let writer = sockets.all[0]
    writer.onMessage = { _, _ in }
    for (index, stream) in streams.enumerated() {
      stream.onClose = { done.fail(BenchSockets.Failure(description: "the server closed a stream")) }
      stream.onEvent = { [meter] _ in meter.delivered(to: index) }
    }
    let setup = "1 writer → \(size.connections) streams, \(size.inFlight) in flight"
    meter.run("event streams", setup, load: ServerLoad(sockets.target)) { [size] number in
      let body = "{\"p\":\"/rooms/r0/m\",\"d\":\(Self.payload(size.payloadBytes, number))}"
      writer.send(action: "p", body: body)
      writer.flush()
    }.assumeIsolated().always { [streams] _ in
      for stream in streams {
        stream.onClose = {}
        stream.close()
      }
    }.nonisolated().cascade(to: done)
    return done.futureResult
  }
}

/// One event stream of the load generator; counts its events by the empty line that ends each. Lives on one event loop.
final class BenchStream: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  var onEvent: (BenchStream) -> Void = { _ in }
  var onClose: () -> Void = {}
  private var channel: (any Channel)?
  private var lineBreaks = 0
  private let request: String

  init(target: String, authority: String) {
    request = "GET \(target) HTTP/1.1\r\nHost: \(authority)\r\nAccept: text/event-stream\r\n\r\n"
  }

  func connect(on loop: any EventLoop, host: String, port: Int) -> EventLoopFuture<Void> {
    BenchDialer.connect(self, on: loop, host: host, port: port)
  }

  func close() { channel?.close(promise: nil) }

  func channelActive(context: ChannelHandlerContext) {
    channel = context.channel
    context.writeAndFlush(NIOAny(ByteBuffer(string: request)), promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    channel = nil
    onClose()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  /// Two line feeds in a row occur at the end of an event and nowhere else: lines of the head and of chunks end in CRLF.
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    for byte in unwrapInboundIn(data).readableBytesView {
      if byte != 0x0A {
        lineBreaks = 0
        continue
      }
      lineBreaks += 1
      if lineBreaks == 2 {
        lineBreaks = 0
        onEvent(self)
      }
    }
  }
}
