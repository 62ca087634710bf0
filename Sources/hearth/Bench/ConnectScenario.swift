import Histogram
import NIOCore

/// Sockets that connect, sign in and leave, one after the other in several lanes.
final class ConnectScenario: BenchScenario {
  private let sockets: BenchSockets
  private let size: BenchSize
  private var histogram = Histogram<UInt64>(numberOfSignificantValueDigits: .three)
  private var isRunning = true
  private var count = 0

  init(sockets: BenchSockets, size: BenchSize) {
    self.sockets = sockets
    self.size = size
  }

  func run() -> EventLoopFuture<BenchResult> {
    let done = sockets.loop.makePromise(of: BenchResult.self)
    let started = WallClock.monotonicNanoseconds
    for _ in 0..<size.connections { next(done) }
    sockets.loop.after(seconds: size.durationSeconds) { [self] in
      isRunning = false
      let seconds = Double(WallClock.monotonicNanoseconds - started) / 1e9
      done.succeed(
        BenchResult(
          name: "connects", setup: "\(size.connections) at a time, with sign-in", rate: Double(count) / seconds,
          unit: "connects/s", latency: LatencySummary(histogram),
          serverBytes: sockets.target.process.flatMap(ProcessMemory.residentBytes)))
    }
    return done.futureResult
  }

  private func next(_ done: EventLoopPromise<BenchResult>) {
    guard isRunning else { return }
    let started = WallClock.monotonicNanoseconds
    let lane = BenchSockets(target: sockets.target, loop: sockets.loop)
    lane.open(["u1"]).assumeIsolated().whenComplete { [self] result in
      if case .failure(let error) = result { return done.fail(error) }
      histogram.record(UInt64(max(0, WallClock.monotonicNanoseconds - started)))
      count += 1
      // A reset instead of a farewell: thousands of ports in TIME_WAIT would end the run early.
      lane.closeAll()
      next(done)
    }
  }
}
