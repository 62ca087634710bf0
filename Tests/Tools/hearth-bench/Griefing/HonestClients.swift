import HearthProgram
import NIOCore
import NIOHTTP1

/// Clients with the operations of typical apps at a fixed rate, whose latencies show the effect of other load. They
/// belong to one event loop.
///
/// Latencies count from the time at which a request was due.
final class HonestClients {
  /// A kind of operation, with its own connection.
  enum Kind: Int, CaseIterable {
    case put, event, get, read, write

    /// The client's address; each kind is in its own network.
    var address: String { "127.66.\(rawValue).1" }
  }

  struct Figures: Sendable {
    var latency: LatencySummary
    /// The number of operations that were refused, cut off, or not answered.
    var errors: Int
    var operations: Int
    /// The figures of each kind of operation.
    var kinds: [Kind: (latency: LatencySummary, errors: Int)]

    /// The median, the p99 and the errors of each kind, for progress notes.
    var text: String {
      kinds.sorted { $0.key.rawValue < $1.key.rawValue }
        .map { kind, figures in
          let errors = figures.errors == 0 ? "" : ", " + NumberFormat.counted(figures.errors, "error")
          return "\(kind) \(BenchTable.time(figures.latency.p50)), \(BenchTable.time(figures.latency.p99))\(errors)"
        }
        .joined(separator: "; ")
    }
  }

  /// The operations of each kind in a second.
  private static let perSecond = 100.0
  /// Seconds after which an operation counts as failed.
  private static let patienceSeconds = 15.0
  private static let tickSeconds = 0.001

  private let target: BenchTarget
  private let loop: any EventLoop
  private let token: String
  private var sockets: [Kind: BenchSocket] = [:]
  private var connections: [Kind: BenchHTTP] = [:]
  private var waiting: [Kind: [Int64]] = [:]
  private var busy: Set<Kind> = []
  private var latencies = LatencyRecorder()
  private var kinds: [Kind: (latencies: LatencyRecorder, errors: Int)] = [:]
  private var (errors, operations, number) = (0, 0, 0)
  private var isOver = false

  init(_ target: BenchTarget, loop: any EventLoop) throws {
    (self.target, self.loop) = (target, loop)
    token = try target.token(uid: "honest")
  }

  /// Connects and signs in; the listener starts its listen.
  func connect() -> EventLoopFuture<Void> {
    let socketsReady = [Kind.put, .event, .get].map(openSocket)
    let connectionsReady = [Kind.read, .write].map { kind -> EventLoopFuture<Void> in
      let connection = BenchHTTP(authority: target.authority)
      connections[kind] = connection
      connection.onAnswer = { [unowned self] _, status, _ in
        busy.remove(kind)
        answer(kind, isOK: status == 200)
        sendNext(kind)
      }
      connection.onClose = { [weak self] in self?.lose(kind) }
      return connection.connect(on: loop, host: target.host, port: target.port, from: kind.address)
    }
    return EventLoopFuture.andAllSucceed(socketsReady + connectionsReady, on: loop)
  }

  private func openSocket(_ kind: Kind) -> EventLoopFuture<Void> {
    let ready = loop.makePromise(of: Void.self)
    let socket = BenchSocket(index: kind.rawValue, upgradeRequest: target.upgradeRequest)
    sockets[kind] = socket
    var rest = kind == .event ? [AttackMessage.listen("/honest/room")] : []
    socket.onClose = { _ in ready.fail(BenchSockets.Failure(description: "the server closed an honest client")) }
    socket.onMessage = { [unowned self] socket, message in
      switch message {
      case .hello: rest.insert(.auth(token), at: 0)
      case .reply(_, false): ready.fail(BenchSockets.Failure(description: "an honest client was refused"))
      case .reply where rest.isEmpty: return opened(kind, ready)
      case .reply: break
      default: return
      }
      let next = rest.removeFirst()
      socket.send(action: next.action, body: next.body)
      socket.flush()
    }
    socket.connect(on: loop, host: target.host, port: target.port, from: kind.address).cascadeFailure(to: ready)
    return ready.futureResult
  }

  private func opened(_ kind: Kind, _ ready: EventLoopPromise<Void>) {
    guard let socket = sockets[kind] else { return }
    socket.onMessage = { [unowned self] _, message in
      switch message {
      case .push where kind == .event: answer(kind, isOK: true)
      case .reply(_, let isOK): answer(kind, isOK: isOK)
      default: break
      }
    }
    socket.onClose = { [weak self] _ in self?.lose(kind) }
    ready.succeed()
  }

  /// Runs for that time, then waits for unanswered operations.
  func measure(seconds: Double) -> EventLoopFuture<Figures> {
    let done = loop.makePromise(of: Figures.self)
    (latencies, errors, operations, kinds) = (LatencyRecorder(), 0, 0, [:])
    tick(from: WallClock.monotonicNanoseconds, due: 0, seconds: seconds, done)
    return done.futureResult
  }

  /// Closes all connections.
  func end() {
    isOver = true
    for socket in sockets.values {
      socket.onMessage = { _, _ in }
      socket.close()
    }
    for connection in connections.values { connection.close() }
  }

  private func tick(from start: Int64, due before: Int, seconds: Double, _ done: EventLoopPromise<Figures>) {
    let elapsed = WallClock.seconds(since: start)
    let goal = Int(min(elapsed, seconds) * Self.perSecond)
    for number in before..<max(before, goal) {
      let time = start + Int64(Double(number + 1) / Self.perSecond * 1e9)
      for kind in Kind.allCases { begin(kind, at: time) }
    }
    for socket in sockets.values { socket.flush() }
    let isAnswered = waiting.values.allSatisfy(\.isEmpty)
    if elapsed >= seconds, isAnswered || elapsed >= seconds + Self.patienceSeconds { return finish(done) }
    loop.after(seconds: Self.tickSeconds) { [self] in tick(from: start, due: goal, seconds: seconds, done) }
  }

  private func finish(_ done: EventLoopPromise<Figures>) {
    // Pending operations have waited longer than an honest client would.
    for (kind, times) in waiting {
      for _ in times { answer(kind, isOK: false) }
    }
    done.succeed(
      Figures(
        latency: latencies.summary, errors: errors, operations: operations,
        kinds: kinds.mapValues { ($0.latencies.summary, $0.errors) }))
  }

  private func begin(_ kind: Kind, at time: Int64) {
    operations += 1
    waiting[kind, default: []].append(time)
    switch kind {
    case .put:
      number += 1
      send(kind, .put("/honest/room/m", "{\"n\":\(number),\"text\":\"a short message of a person\"}"))
    case .event: if sockets[kind] == nil { failAll(kind) }
    case .get: send(kind, .get("/honest/profile"))
    case .read, .write: sendNext(kind)
    }
  }

  private func send(_ kind: Kind, _ message: AttackMessage) {
    guard let socket = sockets[kind] else { return failAll(kind) }
    socket.send(action: message.action, body: message.body)
  }

  private func sendNext(_ kind: Kind) {
    guard let connection = connections[kind] else { return failAll(kind) }
    guard !(waiting[kind] ?? []).isEmpty, busy.insert(kind).inserted else { return }
    let path = kind == .read ? "/honest/profile.json" : "/honest/form.json"
    connection.send(
      .init(
        method: kind == .read ? .GET : .PUT, path: "\(path)?auth=\(token)",
        body: kind == .read ? "" : "{\"text\":\"a short message of a person\"}"))
  }

  private func answer(_ kind: Kind, isOK: Bool) {
    guard let time = waiting[kind]?.first else { return }
    waiting[kind]?.removeFirst()
    latencies.record(since: time)
    kinds[kind, default: (LatencyRecorder(), 0)].latencies.record(since: time)
    if !isOK { countError(of: kind) }
  }

  private func countError(of kind: Kind) {
    errors += 1
    kinds[kind, default: (LatencyRecorder(), 0)].errors += 1
  }

  /// Handles the end of a connection.
  private func lose(_ kind: Kind) {
    guard !isOver else { return }
    (sockets[kind], connections[kind]) = (nil, nil)
    countError(of: kind)
    failAll(kind)
  }

  private func failAll(_ kind: Kind) {
    for _ in waiting[kind] ?? [] { answer(kind, isOK: false) }
  }
}
