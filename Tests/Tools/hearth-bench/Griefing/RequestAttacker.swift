import NIOCore
import NIOHTTP1

/// An attacking client on HTTP connections.
final class RequestAttacker: AttackClient {
  private static let pauseSeconds = 0.01
  private static let tickSeconds = 0.005

  private let attack: Attack
  private let identity: AttackerIdentity
  private let target: BenchTarget
  private let loop: any EventLoop
  private let request: (AttackerIdentity, Int, Int) -> AttackRequest
  private let connectionCount: Int
  private(set) var traffic = AttackTraffic()
  private var connections: [AttackConnection?]
  private var (isRunning, isOver) = (false, false)
  private var number = 0
  private var pace: AttackPace
  private var unconnected: Countdown
  private let prepared: EventLoopPromise<Void>

  init(
    _ attack: Attack, _ identity: AttackerIdentity, _ target: BenchTarget, _ loop: any EventLoop, connections: Int,
    _ request: @escaping (AttackerIdentity, Int, Int) -> AttackRequest
  ) {
    (self.attack, self.identity, self.target, self.loop, self.request) = (attack, identity, target, loop, request)
    connectionCount = connections
    self.connections = Array(repeating: nil, count: connections)
    pace = AttackPace(perSecond: attack.messagesPerSecond)
    unconnected = Countdown(connections)
    prepared = loop.makePromise()
  }

  func prepare() -> EventLoopFuture<Void> {
    for index in 0..<connectionCount { connect(index) }
    return prepared.futureResult
  }

  func begin() {
    isRunning = true
    pace = AttackPace(perSecond: attack.messagesPerSecond)
    tick()
  }

  func end() {
    (isOver, isRunning) = (true, false)
    prepared.succeed()
    for connection in connections { connection?.close() }
  }

  private func connect(_ index: Int) {
    guard !isOver else { return }
    let connection = AttackConnection()
    connections[index] = connection
    connection.onEnd = { [weak self] status in
      if let self, status >= 400 { self.traffic.refused += 1 }
      self?.send(index)
    }
    connection.onClose = { [weak self] isOurs in
      guard let self, !self.isOver else { return }
      self.connections[index] = nil
      if isOurs { return self.connect(index) }
      self.traffic.closed += 1
      self.loop.after(seconds: Self.pauseSeconds) { [weak self] in self?.connect(index) }
    }
    connection.connect(on: loop, host: target.host, port: target.port, from: identity.address).assumeIsolated()
      .whenComplete { [weak self] result in
        guard let self, !self.isOver else { return connection.close() }
        if case .failure = result {
          self.loop.after(seconds: Self.pauseSeconds) { [weak self] in self?.connect(index) }
          return
        }
        if self.unconnected.isLast() { self.prepared.succeed() }
        self.send(index)
      }
  }

  private func send(_ index: Int) {
    guard isRunning, let connection = connections[index], connection.isIdle, pace.take() else { return }
    let next = request(identity, index, number)
    number += 1
    traffic.messages += 1
    traffic.bytes += connection.send(next, authority: target.authority)
  }

  /// Starts the requests that are due, on connections without one.
  private func tick() {
    guard !isOver else { return }
    for index in connections.indices { send(index) }
    loop.after(seconds: Self.tickSeconds) { [weak self] in self?.tick() }
  }
}

/// An HTTP connection of an attack, which discards the answers.
final class AttackConnection: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  /// Called with the status after each answer.
  var onEnd: (Int) -> Void = { _ in }
  /// Called when the connection closes; with true when this end closed it.
  var onClose: (Bool) -> Void = { _ in }
  private(set) var isIdle = true
  private var end = AttackRequest.End.answer
  private var status = 0
  private var isOurs = false
  private var context: ChannelHandlerContext?

  func connect(on loop: any EventLoop, host: String, port: Int, from source: String) -> EventLoopFuture<Void> {
    BenchDialer.connect(self, on: loop, host: host, port: port, from: source) { try $0.addHTTPClientHandlers() }
  }

  /// Sends a request.
  ///
  /// - Returns: The number of bytes on the wire.
  func send(_ request: AttackRequest, authority: String) -> Int {
    guard let context else { return 0 }
    (isIdle, end) = (false, request.end)
    let head = request.request.head(authority: authority)
    let body = ByteBuffer(string: request.request.body)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    let headers = head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    return head.uri.utf8.count + headers + body.readableBytes + 20
  }

  func close() {
    isOurs = true
    context?.close(promise: nil)
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): status = Int(head.status.code)
    case .body: if end == .beginning { close() }
    case .end:
      isIdle = true
      onEnd(status)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    self.context = nil
    onClose(isOurs)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
