import HearthProgram
import NIOCore

/// Measures a fan-out: messages that every listener is to get, some of them on their way at a time.
final class FanoutMeter {
  private let size: BenchSize
  private let loop: any EventLoop
  private var latencies = LatencyRecorder()
  private var isRunning = true
  private var deliveries = 0
  private var sentTimes: [Int64] = []
  private var missing: [Int] = []
  /// How many messages each listener has got. They come to each in order.
  private var received: [Int]
  private var send: (_ number: Int) -> Void = { _ in }

  init(_ size: BenchSize, on loop: any EventLoop) {
    self.size = size
    self.loop = loop
    received = Array(repeating: 0, count: size.connections)
  }

  /// A message has arrived.
  func delivered(to listener: Int) {
    let number = received[listener]
    received[listener] += 1
    guard number < sentTimes.count else { return }
    latencies.record(since: sentTimes[number])
    deliveries += 1
    missing[number] -= 1
    if missing[number] == 0, isRunning { next() }
  }

  /// Sends messages for as long as the load lasts; the next when all listeners have the last.
  ///
  /// - Parameter send: sends one, numbered from 1.
  func run(
    _ name: String, _ setup: String, load: ServerLoad, send: @escaping (_ number: Int) -> Void
  ) -> EventLoopFuture<BenchResult> {
    let done = loop.makePromise(of: BenchResult.self)
    self.send = send
    for _ in 0..<size.inFlight { next() }
    loop.after(seconds: size.durationSeconds) { [self] in
      isRunning = false
      done.succeed(
        BenchResult(
          name: name, setup: setup, rate: Double(deliveries) / load.seconds, unit: "deliveries/s",
          latency: latencies.summary, serverBytes: load.residentBytes, serverCPU: load.processorShare))
    }
    return done.futureResult
  }

  private func next() {
    sentTimes.append(WallClock.monotonicNanoseconds)
    missing.append(size.connections)
    send(sentTimes.count)
  }
}
