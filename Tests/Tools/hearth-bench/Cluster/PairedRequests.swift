import HearthProgram
import NIOCore

/// Single requests to several servers in turn, with pauses: the latency without other load, measured at the same time
/// for each server.
final class PairedRequests {
  /// The kind of request.
  enum Kind: String, Sendable { case write, get }

  private let sockets: [BenchSockets]
  private let loop: any EventLoop
  private let kind: Kind
  private let count: Int
  private var latencies: [LatencyRecorder]
  private var asked = 0

  private static let pauseSeconds = 0.004
  /// The number of first requests, which are not counted.
  private static let warmCount = 20

  private init(_ targets: [BenchTarget], _ kind: Kind, _ count: Int, _ loop: any EventLoop) {
    (self.kind, self.count, self.loop) = (kind, count + Self.warmCount, loop)
    sockets = targets.map { BenchSockets(target: $0, loop: loop) }
    latencies = targets.map { _ in LatencyRecorder() }
  }

  /// Measures the latencies of single requests.
  ///
  /// - Parameter count: The number of requests to each target.
  /// - Returns: The latencies, in the order of the targets.
  static func run(_ targets: [BenchTarget], _ kind: Kind, count: Int) async throws -> [LatencySummary] {
    try await BenchLoop.run { loop in PairedRequests(targets, kind, count, loop).run() }
  }

  private func run() -> EventLoopFuture<[LatencySummary]> {
    let done = loop.makePromise(of: [LatencySummary].self)
    let opened = EventLoopFuture.andAllSucceed(sockets.map { $0.open(["u0"]) }, on: loop)
    opened.assumeIsolated().whenComplete { [self] result in
      if case .failure(let error) = result { return done.fail(error) }
      for group in sockets {
        group.all[0].onClose = { _ in done.fail(BenchSockets.Failure(description: "the server closed a socket")) }
      }
      ask(done)
    }
    return done.futureResult
  }

  private func ask(_ done: EventLoopPromise<[LatencySummary]>) {
    let index = asked % sockets.count
    guard asked < count * sockets.count else {
      for group in sockets {
        group.all[0].onClose = { _ in }
        group.closeAll()
      }
      return done.succeed(latencies.map(\.summary))
    }
    let socket = sockets[index].all[0]
    let started = WallClock.monotonicNanoseconds
    socket.onMessage = { [self] _, message in
      guard case .reply(_, let isOK) = message else { return }
      guard isOK else { return done.fail(BenchSockets.Failure(description: "a \(kind.rawValue) was refused")) }
      if asked >= Self.warmCount * sockets.count { latencies[index].record(since: started) }
      asked += 1
      loop.after(seconds: Self.pauseSeconds) { [self] in ask(done) }
    }
    let place = "\"p\":\"/items/k\(asked / sockets.count % 100)\""
    switch kind {
    case .write: socket.send(action: "p", body: "{\(place),\"d\":{\"number\":\(asked),\"text\":\"a short message\"}}")
    case .get: socket.send(action: "g", body: "{\(place),\"q\":{}}")
    }
    socket.flush()
  }
}
