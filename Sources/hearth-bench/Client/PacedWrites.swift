import HearthProgram
import NIOCore

/// Writes of an administrator to places of their own, so many a second or as fast as they are answered.
final class PacedWrites {
  /// What was written, and how long the answers took.
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
  private var latencies = LatencyRecorder()

  private init(_ target: BenchTarget, _ loop: any EventLoop) {
    self.loop = loop
    sockets = BenchSockets(target: target, loop: loop)
  }

  /// - Parameters:
  ///   - rate: writes a second; nil keeps 64 on their way.
  ///   - count: how many.
  ///   - places: each write goes to the next of so many places below `/items`.
  static func run(_ target: BenchTarget, rate: Int?, count: Int, places: Int) async throws -> Figures {
    try await BenchLoop.run { loop in
      let writes = PacedWrites(target, loop)
      return writes.run(rate: rate, count: count, places: places)
    }
  }

  private func run(rate: Int?, count: Int, places: Int) -> EventLoopFuture<Figures> {
    let done = loop.makePromise(of: Figures.self)
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
        if answered == count {
          socket.onClose = { _ in }
          done.succeed(
            Figures(
              count: count, seconds: load.seconds, latency: latencies.summary,
              processorSeconds: load.processorSeconds))
          return socket.close()
        }
        if rate == nil, sent.count - answered <= 32 { send(socket, upTo: min(count, answered + 64), places) }
      }
      if let rate {
        tick(socket, from: WallClock.monotonicNanoseconds, rate, count, places)
      } else {
        send(socket, upTo: min(count, 64), places)
      }
    }
    return done.futureResult
  }

  /// Latencies count from when a write was due.
  private func tick(_ socket: BenchSocket, from start: Int64, _ rate: Int, _ count: Int, _ places: Int) {
    let due = min(count, Int((WallClock.monotonicNanoseconds - start) * Int64(rate) / 1_000_000_000))
    while sent.count < due {
      write(socket, places, at: start + Int64(sent.count + 1) * 1_000_000_000 / Int64(rate))
    }
    socket.flush()
    guard sent.count < count else { return }
    loop.after(seconds: 0.001) { [self] in tick(socket, from: start, rate, count, places) }
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
