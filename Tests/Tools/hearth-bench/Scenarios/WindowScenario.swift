import HearthProgram
import NIOCore

/// The cost that a live window over a large collection adds to each write below it: the same writes without and with
/// listeners.
final class WindowScenario: BenchScenario {
  private static let itemCount = 1_000_000
  private static let limit = 100
  /// The number of unanswered writes.
  private static let inFlight = 64

  private let sockets: BenchSockets
  private let size: BenchSize
  private var number = 0
  private var pushes = 0

  init(sockets: BenchSockets, size: BenchSize) {
    self.sockets = sockets
    self.size = size
  }

  private struct Phase {
    var rate: Double
    var processorMicroseconds: Double?
    var latency: LatencySummary
    var bytes: Int?
    var share: Double?
  }

  func run() -> EventLoopFuture<BenchResult> {
    let uids = (0..<size.connections).map { "u\($0)" }
    let loop = sockets.loop
    return sockets.open([nil] + uids).assumeIsolated().flatMap { [self] in
      BenchItems(sockets.all[0], count: Self.itemCount, loop: loop).load()
    }.flatMap { [self] in
      BenchAdmin(sockets.all[0], loop: loop).call(
        "g", "{\"p\":\"\(BenchItems.path)\",\"q\":{\"i\":\"ts\",\"l\":1,\"vf\":\"r\"}}")
    }.flatMap { [self] in
      write()
    }.flatMap { [self] quiet in
      listen().assumeIsolated().flatMap { [self] in write() }.map { [self] live in result(quiet, live) }.nonisolated()
    }.nonisolated()
  }

  private func listen() -> EventLoopFuture<Void> {
    let done = sockets.loop.makePromise(of: Void.self)
    let count = Countdown(size.connections)
    for socket in sockets.all.dropFirst() {
      socket.onMessage = { [self] socket, message in
        switch message {
        case .reply(_, let isOK):
          guard isOK else { return done.fail(BenchSockets.Failure(description: "a window was refused")) }
          socket.onMessage = { [self] _, message in if case .push = message { pushes += 1 } }
          if count.isLast() { done.succeed() }
        default: break
        }
      }
      socket.send(
        action: "q",
        body: "{\"p\":\"\(BenchItems.path)\",\"h\":\"\",\"q\":{\"i\":\"ts\",\"l\":\(Self.limit),\"vf\":\"r\"},\"t\":1}")
      socket.flush()
    }
    return done.futureResult
  }

  private func write() -> EventLoopFuture<Phase> {
    let done = sockets.loop.makePromise(of: Phase.self)
    let writer = sockets.all[0]
    var (latencies, sent, isRunning, acknowledged) = (LatencyRecorder(), [Int64](), true, 0)
    let load = ServerLoad(sockets.target)
    func refill() {
      while sent.count < Self.inFlight {
        number += 1
        sent.append(WallClock.monotonicNanoseconds)
        // Every tenth enters the window; the others change a child far from it.
        let body =
          number % 10 == 0
          ? "{\"p\":\"\(BenchItems.path)/-O\(number)\",\"d\":{\"ts\":\(2_000_000 + number),\"text\":\"new\"}}"
          : "{\"p\":\"\(BenchItems.path)/\(BenchItems.key(number &* 31 % Self.itemCount))/text\",\"d\":\"edit \(number)\"}"
        writer.send(action: "p", body: body)
      }
      writer.flush()
    }
    writer.onClose = { _ in done.fail(BenchSockets.Failure(description: "the server closed the writer")) }
    writer.onMessage = { _, message in
      guard case .reply(_, let isOK) = message, !sent.isEmpty else { return }
      guard isOK else { return done.fail(BenchSockets.Failure(description: "a write was refused")) }
      latencies.record(since: sent.removeFirst())
      acknowledged += 1
      if isRunning, sent.count <= Self.inFlight / 2 { refill() }
      guard !isRunning, sent.isEmpty else { return }
      done.succeed(
        Phase(
          rate: Double(acknowledged) / load.seconds,
          processorMicroseconds: load.processorSeconds.map { $0 * 1e6 / Double(max(1, acknowledged)) },
          latency: latencies.summary, bytes: load.residentBytes, share: load.processorShare))
    }
    refill()
    sockets.loop.after(seconds: size.durationSeconds) { isRunning = false }
    return done.futureResult
  }

  private func result(_ quiet: Phase, _ live: Phase) -> BenchResult {
    func cost(_ phase: Phase) -> String { phase.processorMicroseconds.map { "\(Int($0)) µs" } ?? "?" }
    return BenchResult(
      name: "windows", setup: "1,000,000 children, \(size.connections) × limitToLast(\(Self.limit))", rate: live.rate,
      unit: "writes/s", latency: live.latency, serverBytes: live.bytes, serverCPU: live.share,
      note:
        "CPU a write \(cost(live)); without listeners \(cost(quiet)), \(NumberFormat.grouped(quiet.rate))/s; \(pushes) pushes"
    )
  }
}
