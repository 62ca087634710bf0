import HearthProgram
import HearthSystem
import NIOCore

/// A load that keeps identical requests in flight to a server, each on its own connection, until it is stopped.
final class RequestLoad {
  private let target: BenchTarget
  private let loop: any EventLoop
  private let requests: [BenchHTTP.Request]
  private var lanes: [BenchHTTP] = []
  private var sent: [Int64] = []
  private var latencies = LatencyRecorder()
  private var isRunning = true
  /// The number of lanes (connections) with a request in flight.
  private var waiting: Set<Int> = []
  private var drained: EventLoopPromise<Void>?
  private var started: Int64 = 0
  private(set) var answered = 0
  /// Unsuccessful answers by status.
  private var refused: [Int: Int] = [:]
  private var firstRefusal = ""

  /// Creates a load.
  ///
  /// - Parameter requests: One request for each lane.
  init(target: BenchTarget, loop: any EventLoop, requests: [BenchHTTP.Request]) {
    self.target = target
    self.loop = loop
    self.requests = requests
  }

  /// Connects every lane and starts.
  func start() -> EventLoopFuture<Void> {
    let connected = requests.indices.map { index -> EventLoopFuture<Void> in
      let lane = BenchHTTP(authority: target.authority)
      lanes.append(lane)
      lane.onAnswer = { [unowned self] _, status, body in answer(index, status, body) }
      lane.onClose = { [weak self] in self?.end(index) }
      return lane.connect(on: loop, host: target.host, port: target.port)
    }
    sent = Array(repeating: 0, count: requests.count)
    return EventLoopFuture.andAllSucceed(connected, on: loop).assumeIsolated().map { [self] in
      started = WallClock.monotonicNanoseconds
      for index in lanes.indices { send(index) }
    }.nonisolated()
  }

  /// Stops sending, and returns the result after all requests in flight have been answered, so that the next
  /// measurement begins with an idle server. Those answers do not count.
  func stop(name: String, setup: String, unit: String) -> EventLoopFuture<BenchResult> {
    isRunning = false
    let refusals = refused.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
    let result = BenchResult(
      name: name, setup: setup, rate: Double(answered) / WallClock.seconds(since: started), unit: unit,
      latency: latencies.summary, serverBytes: target.process.flatMap { ProcessStatistics.residentBytes(of: $0) },
      note: refusals.isEmpty ? "" : "REFUSED: \(refusals) \(firstRefusal)")
    let drained = loop.makePromise(of: Void.self)
    self.drained = drained
    if waiting.isEmpty { drained.succeed() }
    return drained.futureResult.assumeIsolated().map { [self] in
      for lane in lanes { lane.close() }
      return result
    }.nonisolated()
  }

  private func send(_ index: Int) {
    sent[index] = WallClock.monotonicNanoseconds
    waiting.insert(index)
    lanes[index].send(requests[index])
  }

  /// Records that a lane has no request in flight any more.
  private func end(_ index: Int) {
    waiting.remove(index)
    if waiting.isEmpty { drained?.succeed() }
  }

  private func answer(_ index: Int, _ status: Int, _ body: ByteBuffer?) {
    end(index)
    guard isRunning else { return }
    if status == 200 {
      latencies.record(since: sent[index])
      answered += 1
      return send(index)
    }
    if refused.isEmpty {
      let text = body.map { String(buffer: $0) } ?? ""
      firstRefusal = TextTable.printable(String(text.prefix(120)))
    }
    refused[status, default: 0] += 1
    // Without a pause a refusing server would receive requests as fast as it can answer them.
    loop.after(seconds: 0.05) { [weak self] in
      guard let self, self.isRunning else { return }
      self.send(index)
    }
  }
}
