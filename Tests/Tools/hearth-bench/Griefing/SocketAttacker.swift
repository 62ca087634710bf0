import HearthProgram
import NIOCore

/// An attacking client on a socket, which reconnects when the server closes it.
final class SocketAttacker: AttackClient {
  private enum Phase { case opening, settingUp, ready }

  /// The maximum number of unanswered set-up requests.
  private static let setUpInFlight = 256
  /// Seconds until the next connection after the server refused or ended one.
  private static let pauseSeconds = 0.01
  /// Seconds between two ticks of a load with a limited message rate.
  private static let tickSeconds = 0.005
  /// Seconds for which a client that reads no answers keeps its connection.
  private static let unreadSeconds = 0.5

  private let attack: Attack
  private let identity: AttackerIdentity
  private let target: BenchTarget
  private let loop: any EventLoop
  private let prepared: EventLoopPromise<Void>
  private(set) var traffic = AttackTraffic()
  private var socket: BenchSocket?
  private var phase = Phase.opening
  private var setUp: [AttackMessage] = []
  private var (setUpSent, setUpAnswered) = (0, 0)
  // The client is leaving when it closes the connection itself, to open another.
  private var (isRunning, isOver, isWriting, isLeaving) = (false, false, false, false)
  private var number = 0
  private var sentOnConnection = 0
  private var unanswered = 0
  private var pace: AttackPace

  init(_ attack: Attack, _ identity: AttackerIdentity, _ target: BenchTarget, _ loop: any EventLoop) {
    (self.attack, self.identity, self.target, self.loop) = (attack, identity, target, loop)
    prepared = loop.makePromise()
    pace = AttackPace(perSecond: attack.messagesPerSecond)
  }

  func prepare() -> EventLoopFuture<Void> {
    connect()
    return prepared.futureResult
  }

  func begin() {
    isRunning = true
    pace = AttackPace(perSecond: attack.messagesPerSecond)
    pump()
    if attack.messagesPerSecond != nil { tick() }
    if !attack.readsAnswers { reconnectWithoutReading() }
  }

  func end() {
    (isOver, isRunning) = (true, false)
    prepared.succeed()
    socket?.onMessage = { _, _ in }
    socket?.onClose = { _ in }
    socket?.close()
  }

  private func connect() {
    guard !isOver else { return }
    (phase, unanswered, sentOnConnection, isLeaving, isWriting) = (.opening, 0, 0, false, false)
    let socket = BenchSocket(index: identity.number, upgradeRequest: target.upgradeRequest)
    self.socket = socket
    socket.onMessage = { [weak self] _, message in self?.receive(message) }
    socket.onClose = { [weak self] _ in self?.reconnect() }
    socket.connect(on: loop, host: target.host, port: target.port, from: identity.address).assumeIsolated()
      .whenFailure { [weak self] _ in self?.reconnect() }
  }

  private func reconnect() {
    guard !isOver else { return }
    if isLeaving { return connect() }
    traffic.closed += 1
    loop.after(seconds: Self.pauseSeconds) { [weak self] in self?.connect() }
  }

  private func receive(_ message: BenchSocket.Message) {
    switch (message, phase) {
    case (.hello, _):
      setUp = (attack.signsIn ? [.auth(identity.tokens[0])] : []) + attack.setUp(identity)
      (phase, setUpSent, setUpAnswered) = (.settingUp, 0, 0)
      sendSetUp()
    case (.reply(_, let isOK), .settingUp):
      if !isOK { traffic.refused += 1 }
      setUpAnswered += 1
      sendSetUp()
    case (.reply(_, let isOK), .ready):
      if !isOK { traffic.refused += 1 }
      unanswered -= 1
      pump()
    case (.close, _): socket?.close()
    default: break
    }
  }

  private func sendSetUp() {
    guard setUpAnswered < setUp.count else {
      phase = .ready
      prepared.succeed()
      return pump()
    }
    guard setUpSent - setUpAnswered <= Self.setUpInFlight / 2 else { return }
    while setUpSent < setUp.count, setUpSent - setUpAnswered < Self.setUpInFlight {
      send(setUp[setUpSent])
      setUpSent += 1
    }
    socket?.flush()
  }

  private func pump() {
    guard isRunning, phase == .ready else { return }
    switch attack.load {
    case .messages(let inFlight, let perConnection, let message): sendMessages(inFlight, perConnection, message)
    case .frames(let frames): sendFrames(frames)
    case .requests: break
    }
  }

  private func sendMessages(
    _ inFlight: Int, _ perConnection: Int?, _ message: (AttackerIdentity, Int) -> AttackMessage
  ) {
    var hasSent = false
    while unanswered < inFlight, sentOnConnection < perConnection ?? .max, pace.take() {
      send(message(identity, number))
      (number, sentOnConnection, unanswered, hasSent) = (number + 1, sentOnConnection + 1, unanswered + 1, true)
    }
    if hasSent { socket?.flush() }
    guard let perConnection, sentOnConnection >= perConnection, unanswered == 0 else { return }
    isLeaving = true
    socket?.close()
  }

  private func send(_ message: AttackMessage) {
    socket?.send(action: message.action, body: message.body)
    guard isRunning else { return }
    traffic.messages += 1
    // The 44 bytes are the JSON envelope, the frame's header and its mask.
    traffic.bytes += message.action.utf8.count + message.body.utf8.count + 44
  }

  private func sendFrames(_ frames: (Int) -> [UInt8]) {
    guard !isWriting, let channel = socket?.channel else { return }
    isWriting = true
    let bytes = frames(number)
    number += 1
    traffic.messages += 1
    traffic.bytes += bytes.count
    let current = socket
    channel.writeAndFlush(ByteBuffer(bytes: bytes)).assumeIsolated().whenComplete { [weak self] _ in
      // Continued in the next turn of the loop, because a write that completes at once would otherwise nest in the last
      // one.
      self?.loop.after(seconds: 0) { [weak self] in
        guard let self, self.socket === current else { return }
        self.isWriting = false
        self.pump()
      }
    }
  }

  private func tick() {
    guard !isOver else { return }
    pump()
    loop.after(seconds: Self.tickSeconds) { [weak self] in self?.tick() }
  }

  private func reconnectWithoutReading() {
    guard !isOver else { return }
    socket?.channel?.setOption(.autoRead, value: false).whenFailure { _ in }
    loop.after(seconds: Self.unreadSeconds) { [weak self] in
      guard let self, !self.isOver else { return }
      self.isLeaving = true
      self.socket?.close()
      self.loop.after(seconds: Self.unreadSeconds) { [weak self] in self?.reconnectWithoutReading() }
    }
  }
}
