import NIOCore

/// One writer, many plain listeners of one path; a write is over when every listener has it.
final class FanoutScenario: BenchScenario {
  private let sockets: BenchSockets
  private let size: BenchSize
  private var latencies = LatencyRecorder()
  private var isRunning = true
  private var deliveries = 0
  private var sentTimes: [Int64] = []
  private var missing: [Int] = []
  private var received: [Int] = []
  private var started: Int64 = 0

  init(sockets: BenchSockets, size: BenchSize) {
    self.sockets = sockets
    self.size = size
  }

  func run() -> EventLoopFuture<BenchResult> {
    let uids = (0..<size.connections).map { "u\($0)" }
    return sockets.open([nil] + uids).assumeIsolated().flatMap { [self] in
      BenchAdmin(sockets.all[0], loop: sockets.loop).makeMembers(uids.map { ("r0", $0) })
    }.flatMap { [self] in
      BenchListeners.listen(Array(sockets.all.dropFirst()), path: "/rooms/r0", loop: sockets.loop)
    }.flatMap { [self] in load() }.nonisolated()
  }

  private func load() -> EventLoopFuture<BenchResult> {
    let done = sockets.loop.makePromise(of: BenchResult.self)
    received = Array(repeating: 0, count: sockets.all.count)
    sockets.all[0].onMessage = { _, _ in }
    for socket in sockets.all.dropFirst() {
      socket.onClose = { _ in done.fail(BenchSockets.Failure(description: "the server closed a listener")) }
      socket.onMessage = { [self] socket, message in
        guard case .push = message else { return }
        let number = received[socket.index]
        received[socket.index] += 1
        guard number < sentTimes.count else { return }
        latencies.record(since: sentTimes[number])
        deliveries += 1
        missing[number] -= 1
        if missing[number] == 0, isRunning { write() }
      }
    }
    started = WallClock.monotonicNanoseconds
    for _ in 0..<size.inFlight { write() }
    sockets.loop.after(seconds: size.durationSeconds) { [self] in
      isRunning = false
      let seconds = WallClock.seconds(since: started)
      done.succeed(
        BenchResult(
          name: "fan-out", setup: "1 writer → \(size.connections) listeners, \(size.inFlight) in flight",
          rate: Double(deliveries) / seconds, unit: "deliveries/s", latency: latencies.summary,
          serverBytes: sockets.serverBytes))
    }
    return done.futureResult
  }

  private func write() {
    sentTimes.append(WallClock.monotonicNanoseconds)
    missing.append(size.connections)
    let number = sentTimes.count
    sockets.all[0].send(action: "p", body: "{\"p\":\"/rooms/r0/m\",\"d\":\(Self.payload(size.payloadBytes, number))}")
    sockets.all[0].flush()
  }
}

enum BenchListeners {
  /// Listens with each socket; done when all are acknowledged.
  static func listen(_ sockets: [BenchSocket], path: String, loop: any EventLoop) -> EventLoopFuture<Void> {
    let done = loop.makePromise(of: Void.self)
    let count = Countdown(sockets.count)
    if sockets.isEmpty { done.succeed() }
    for socket in sockets {
      socket.onMessage = { _, message in
        guard case .reply(_, let isOK) = message else { return }
        guard isOK else { return done.fail(BenchSockets.Failure(description: "a listen was refused")) }
        if count.isLast() { done.succeed() }
      }
      socket.send(action: "q", body: "{\"p\":\"\(path)\",\"h\":\"\"}")
      socket.flush()
    }
    return done.futureResult
  }
}

/// Counts down to zero on one loop.
final class Countdown {
  private var rest: Int
  init(_ count: Int) { rest = count }

  func isLast() -> Bool {
    rest -= 1
    return rest == 0
  }
}
