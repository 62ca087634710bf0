import HearthProgram
import NIOCore

/// Durable, rule-checked writes, with a number of unacknowledged ones on each socket.
final class WriteScenario: BenchScenario {
  private let sockets: BenchSockets
  private let size: BenchSize
  private var latencies = LatencyRecorder()
  private var isRunning = true
  private var acknowledged = 0
  /// The send times of each socket's unanswered writes, oldest first; answers arrive in order.
  private var sent: [[Int64]] = []

  init(sockets: BenchSockets, size: BenchSize) {
    self.sockets = sockets
    self.size = size
  }

  func run() -> EventLoopFuture<BenchResult> {
    let uids = (0..<size.connections).map { "u\($0)" }
    return sockets.open([nil] + uids).assumeIsolated().flatMap { [self] in
      BenchAdmin(sockets.all[0], loop: sockets.loop).makeMembers(
        uids.enumerated().map { ("r\($0.offset)", $0.element) })
    }.flatMap { [self] in load() }.nonisolated()
  }

  private func load() -> EventLoopFuture<BenchResult> {
    let done = sockets.loop.makePromise(of: BenchResult.self)
    let started = WallClock.monotonicNanoseconds
    sent = Array(repeating: [], count: sockets.all.count)
    for socket in sockets.all.dropFirst() {
      socket.onClose = { _ in done.fail(BenchSockets.Failure(description: "the server closed a writer")) }
      socket.onMessage = { [self] socket, message in
        guard case .reply(_, let isOK) = message else { return }
        guard isOK else { return done.fail(BenchSockets.Failure(description: "a write was refused")) }
        latencies.record(since: sent[socket.index].removeFirst())
        acknowledged += 1
        // Refill half the window at a time, so that several writes share one system call.
        if isRunning, sent[socket.index].count <= size.inFlight / 2 { refill(socket) }
      }
      refill(socket)
    }
    sockets.loop.after(seconds: size.durationSeconds) { [self] in
      isRunning = false
      let seconds = WallClock.seconds(since: started)
      done.succeed(
        BenchResult(
          name: "durable writes", setup: "\(size.connections) sockets × \(size.inFlight) in flight",
          rate: Double(acknowledged) / seconds, unit: "writes/s", latency: latencies.summary,
          serverBytes: sockets.serverBytes))
    }
    return done.futureResult
  }

  private func refill(_ socket: BenchSocket) {
    let now = WallClock.monotonicNanoseconds
    while sent[socket.index].count < size.inFlight {
      let number = socket.requestNumber
      socket.send(
        action: "p",
        body:
          "{\"p\":\"/rooms/r\(socket.index - 1)/m/k\(number % 1000)\",\"d\":\(BenchPayload.json(size.payloadBytes, number))}"
      )
      sent[socket.index].append(now)
    }
    socket.flush()
  }
}
