import HearthProgram
import NIOCore

/// Sockets that connect, sign in and disconnect, one after the other in several lanes.
final class ConnectScenario: BenchScenario {
  private let sockets: BenchSockets
  private let size: BenchSize
  private var latencies = LatencyRecorder()
  private var isRunning = true
  private var count = 0

  init(sockets: BenchSockets, size: BenchSize) {
    self.sockets = sockets
    self.size = size
  }

  func run() -> EventLoopFuture<BenchResult> {
    let done = sockets.loop.makePromise(of: BenchResult.self)
    let started = WallClock.monotonicNanoseconds
    let lanes = Countdown(size.connections)
    for _ in 0..<size.connections { next(done, lanes, started) }
    sockets.loop.after(seconds: size.durationSeconds) { [self] in isRunning = false }
    return done.futureResult
  }

  private func next(_ done: EventLoopPromise<BenchResult>, _ lanes: Countdown, _ runStarted: Int64) {
    guard isRunning else {
      // The last lane ends the run, because a socket that is still connecting must not outlive its event loop.
      if lanes.isLast() { done.succeed(result(since: runStarted)) }
      return
    }
    let started = WallClock.monotonicNanoseconds
    let lane = BenchSockets(target: sockets.target, loop: sockets.loop)
    lane.open(["u1"]).assumeIsolated().whenComplete { [self] result in
      if case .failure(let error) = result { return done.fail(error) }
      latencies.record(since: started)
      count += 1
      lane.closeAll()
      next(done, lanes, runStarted)
    }
  }

  private func result(since started: Int64) -> BenchResult {
    let seconds = WallClock.seconds(since: started)
    return BenchResult(
      name: "connects", setup: "\(size.connections) at a time, with sign-in", rate: Double(count) / seconds,
      unit: "connects/s", latency: latencies.summary,
      serverBytes: sockets.serverBytes)
  }
}
