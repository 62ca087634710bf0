import HearthProgram
import NIOCore

/// Reads or writes of single records over sockets, with a number of unanswered ones on each.
final class RecordLoad {
  /// A kind of load: the requests, and the records that they name.
  struct Kind: Sendable, CaseIterable {
    var isWrite: Bool
    /// True when 90 percent of requests name one of a hundred records.
    var isHot: Bool

    static let allCases = [false, true].flatMap { isHot in
      [false, true].map { Kind(isWrite: $0, isHot: isHot) }
    }

    var name: String { "\(isWrite ? "writes" : "reads"), \(isHot ? "90 % to 1 %" : "uniform")" }
  }

  private let kind: Kind
  private let records: RecordSet
  private let sockets: BenchSockets
  private let (connections, inFlight, seconds): (Int, Int, Double)
  private var latencies = LatencyRecorder()
  private var isRunning = true
  private var answeredCount = 0
  /// The send times of each socket's unanswered requests, oldest first; answers arrive in order.
  private var sent: [[Int64]] = []
  private var random = SystemRandomNumberGenerator()

  init(
    _ kind: Kind, _ records: RecordSet, _ sockets: BenchSockets, connections: Int, inFlight: Int, seconds: Double
  ) {
    (self.kind, self.records, self.sockets) = (kind, records, sockets)
    (self.connections, self.inFlight, self.seconds) = (connections, inFlight, seconds)
  }

  func run(_ setup: String) -> EventLoopFuture<BenchResult> {
    sockets.open((0..<connections).map { "u\($0)" }).assumeIsolated().flatMap { [self] in load(setup) }.nonisolated()
  }

  private func load(_ setup: String) -> EventLoopFuture<BenchResult> {
    let done = sockets.loop.makePromise(of: BenchResult.self)
    let load = ServerLoad(sockets.target)
    sent = Array(repeating: [], count: sockets.all.count)
    for socket in sockets.all {
      socket.onClose = { _ in done.fail(BenchSockets.Failure(description: "the server closed a socket")) }
      socket.onMessage = { [self] socket, message in
        guard case .reply(_, let isOK) = message else { return }
        guard isOK else { return done.fail(BenchSockets.Failure(description: "a request was refused")) }
        latencies.record(since: sent[socket.index].removeFirst())
        answeredCount += 1
        if isRunning, sent[socket.index].count <= inFlight / 2 { refill(socket) }
      }
      refill(socket)
    }
    sockets.loop.after(seconds: seconds) { [self] in
      isRunning = false
      for socket in sockets.all { socket.onClose = { _ in } }
      sockets.closeAll()
      done.succeed(
        BenchResult(
          name: kind.name, setup: "hearth, \(setup)", rate: Double(answeredCount) / load.seconds, unit: "a second",
          latency: latencies.summary, serverBytes: load.residentBytes, serverCPU: load.processorShare))
    }
    return done.futureResult
  }

  private func refill(_ socket: BenchSocket) {
    let now = WallClock.monotonicNanoseconds
    while sent[socket.index].count < inFlight {
      let path = RecordSet.path(nextNumber())
      let value = kind.isWrite ? ",\"d\":\(BenchPayload.json(records.sizeBytes, socket.requestNumber))" : ""
      socket.send(action: kind.isWrite ? "p" : "g", body: "{\"p\":\"\(path)\"\(value)}")
      sent[socket.index].append(now)
    }
    socket.flush()
  }

  private func nextNumber() -> Int {
    guard kind.isHot, Int.random(in: 0..<100, using: &random) < 90 else {
      return Int.random(in: 0..<records.count, using: &random)
    }
    // The hot records are spread over all rooms.
    return Int.random(in: 0..<max(1, records.count / 100), using: &random) * 100
  }
}
