import HearthProgram
import NIOCore

/// An administrator's writes to separate paths, at a fixed rate or as fast as answers arrive.
final class PacedWrites {
  /// The number of writes and their latencies.
  struct Figures: Sendable {
    var count: Int
    var seconds: Double
    var latency: LatencySummary
    var processorSeconds: Double?
  }

  private let sockets: BenchSockets
  private let loop: any EventLoop
  private var sent: [Int64] = []
  private var answered = 0
  /// The total number of writes, lowered when the run ends early.
  private var goal = 0
  private var latencies = LatencyRecorder()

  private init(_ target: BenchTarget, _ loop: any EventLoop) {
    self.loop = loop
    sockets = BenchSockets(target: target, loop: loop)
  }

  /// Writes to a server.
  ///
  /// - Parameters:
  ///   - rate: Writes a second; nil keeps 64 unanswered writes.
  ///   - count: The number of writes.
  ///   - places: The number of paths below `/items` that the writes rotate through.
  ///   - isOver: Ends writes at a rate early once it returns true.
  static func run(
    _ target: BenchTarget, rate: Int?, count: Int, places: Int, until isOver: @escaping @Sendable () -> Bool = { false }
  ) async throws -> Figures {
    try await BenchLoop.run { loop in
      let writes = PacedWrites(target, loop)
      return writes.run(rate: rate, count: count, places: places, until: isOver)
    }
  }

  /// Writes to 1,000 paths at a fixed rate for some time.
  static func run(_ target: BenchTarget, rate: Int, seconds: Int) async throws -> Figures {
    try await run(target, rate: rate, count: rate * seconds, places: 1_000)
  }

  private func run(
    rate: Int?, count: Int, places: Int, until isOver: @escaping () -> Bool
  ) -> EventLoopFuture<Figures> {
    let done = loop.makePromise(of: Figures.self)
    goal = count
    sockets.open([nil]).assumeIsolated().whenComplete { [self] result in
      if case .failure(let error) = result { return done.fail(error) }
      let socket = sockets.all[0]
      let load = ServerLoad(sockets.target)
      socket.onClose = { _ in done.fail(BenchSockets.Failure(description: "the server closed the writer")) }
      socket.onMessage = { [self] socket, message in
        guard case .reply(_, let isOK) = message else { return }
        guard isOK else { return done.fail(BenchSockets.Failure(description: "a write was refused")) }
        latencies.record(since: sent[answered])
        answered += 1
        if answered == goal { return finish(socket, load, done) }
        if rate == nil, sent.count - answered <= 32 { send(socket, upTo: min(goal, answered + 64), places) }
      }
      if let rate {
        tick(socket, from: WallClock.monotonicNanoseconds, rate, places) { [self] in
          // At least one write is sent, because a result without writes would mean nothing.
          guard isOver(), !sent.isEmpty else { return }
          goal = min(goal, sent.count)
          if answered == goal { finish(socket, load, done) }
        }
      } else {
        send(socket, upTo: min(goal, 64), places)
      }
    }
    return done.futureResult
  }

  private func finish(_ socket: BenchSocket, _ load: ServerLoad, _ done: EventLoopPromise<Figures>) {
    socket.onClose = { _ in }
    done.succeed(
      Figures(
        count: answered, seconds: load.seconds, latency: latencies.summary, processorSeconds: load.processorSeconds))
    socket.close()
  }

  /// Sends the writes that are due. Latencies count from the time when a write was due.
  ///
  /// - Parameter look: Called in each tick; may end the run.
  private func tick(_ socket: BenchSocket, from start: Int64, _ rate: Int, _ places: Int, look: @escaping () -> Void) {
    let due = min(goal, Int((WallClock.monotonicNanoseconds - start) * Int64(rate) / 1_000_000_000))
    while sent.count < due {
      write(socket, places, at: start + Int64(sent.count + 1) * 1_000_000_000 / Int64(rate))
    }
    socket.flush()
    look()
    guard sent.count < goal else { return }
    loop.after(seconds: 0.001) { [self] in tick(socket, from: start, rate, places, look: look) }
  }

  private func send(_ socket: BenchSocket, upTo end: Int, _ places: Int) {
    while sent.count < end { write(socket, places, at: WallClock.monotonicNanoseconds) }
    socket.flush()
  }

  private func write(_ socket: BenchSocket, _ places: Int, at moment: Int64) {
    let number = sent.count
    sent.append(moment)
    socket.send(
      action: "p",
      body:
        "{\"p\":\"/items/k\(number % places)\",\"d\":{\"number\":\(number),\"text\":\"a short message of a person\"}}")
  }
}

extension BenchResult {
  /// Creates a result from the latencies of writes.
  init(name: String, setup: String, of writes: PacedWrites.Figures) {
    self.init(name: name, setup: setup)
    (rate, unit, latency) = (Double(writes.count) / writes.seconds, "writes/s", writes.latency)
  }
}
