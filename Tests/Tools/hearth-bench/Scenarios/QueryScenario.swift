import HearthProgram
import NIOCore

/// One-off queries of a large indexed collection: the last hundred items before some time.
final class QueryScenario: BenchScenario {
  private static let itemCount = 1_000_000
  private static let limit = 100

  private let sockets: BenchSockets
  private let size: BenchSize
  private var latencies = LatencyRecorder()
  private var isRunning = true
  private var answered = 0
  private var sent: [[Int64]] = []
  private var number = 0

  init(sockets: BenchSockets, size: BenchSize) {
    self.sockets = sockets
    self.size = size
  }

  func run() -> EventLoopFuture<BenchResult> {
    let uids = (0..<size.connections).map { "u\($0)" }
    return sockets.open([nil] + uids).assumeIsolated().flatMap { [self] in
      BenchItems(sockets.all[0], count: Self.itemCount, loop: sockets.loop).load()
    }.flatMap { [self] in
      // The first query builds the index.
      sockets.all[0].onClose = { _ in }
      return BenchAdmin(sockets.all[0], loop: sockets.loop).call("g", query())
    }.flatMap { [self] in load() }.nonisolated()
  }

  private func query() -> String {
    number += 1
    let bound = number &* 104_729 % 1_000_003
    return
      "{\"p\":\"\(BenchItems.path)\",\"q\":{\"i\":\"ts\",\"ep\":\(bound),\"ein\":true,\"l\":\(Self.limit),\"vf\":\"r\"}}"
  }

  private func load() -> EventLoopFuture<BenchResult> {
    let done = sockets.loop.makePromise(of: BenchResult.self)
    let load = ServerLoad(sockets.target)
    sent = Array(repeating: [], count: sockets.all.count)
    for socket in sockets.all.dropFirst() {
      socket.onClose = { _ in done.fail(BenchSockets.Failure(description: "the server closed a reader")) }
      socket.onMessage = { [self] socket, message in
        guard case .reply(_, let isOK) = message else { return }
        guard isOK else { return done.fail(BenchSockets.Failure(description: "a query was refused")) }
        latencies.record(since: sent[socket.index].removeFirst())
        answered += 1
        if isRunning { ask(socket) }
      }
      for _ in 0..<size.inFlight { ask(socket) }
    }
    sockets.loop.after(seconds: size.durationSeconds) { [self] in
      isRunning = false
      done.succeed(
        BenchResult(
          name: "queries", setup: "1,000,000 children, indexed, limitToLast(\(Self.limit))",
          rate: Double(answered) / load.seconds, unit: "queries/s", latency: latencies.summary,
          serverBytes: load.residentBytes, serverCPU: load.processorShare))
    }
    return done.futureResult
  }

  private func ask(_ socket: BenchSocket) {
    sent[socket.index].append(WallClock.monotonicNanoseconds)
    socket.send(action: "g", body: query())
    socket.flush()
  }
}
