import HearthProgram
import HearthSystem
import NIOCore

/// Keeps some identical requests on their way to a server, each on a connection of its own, until it is told to stop.
final class RequestLoad {
  private let target: BenchTarget
  private let loop: any EventLoop
  private let requests: [BenchHTTP.Request]
  private var lanes: [BenchHTTP] = []
  private var sent: [Int64] = []
  private var latencies = LatencyRecorder()
  private var isRunning = true
  /// Lanes whose request is on its way.
  private var waiting: Set<Int> = []
  private var drained: EventLoopPromise<Void>?
  private var started: Int64 = 0
  private(set) var answered = 0
  /// Answers that were no success, by status.
  private var refused: [Int: Int] = [:]
  private var firstRefusal = ""

  /// - Parameter requests: one for each lane.
  init(target: BenchTarget, loop: any EventLoop, requests: [BenchHTTP.Request]) {
    self.target = target
    self.loop = loop
    self.requests = requests
  }

  /// Connects every lane and begins.
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

  /// Sends no more, and says how it went once what is on its way has been answered: what is measured next is to meet a
  /// server that is at rest. Those answers do not count.
  func stop(name: String, setup: String, unit: String) -> EventLoopFuture<BenchResult> {
    isRunning = false
    let refusals = refused.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
    let result = BenchResult(
      name: name, setup: setup, rate: Double(answered) / WallClock.seconds(since: started), unit: unit,
      latency: latencies.summary, serverBytes: target.process.flatMap { ProcessFigures.residentBytes(of: $0) },
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

  /// Nothing of that lane is on its way any more.
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
    // A server that refuses would otherwise be asked as fast as it can answer.
    loop.after(seconds: 0.05) { [weak self] in
      guard let self, self.isRunning else { return }
      self.send(index)
    }
  }
}
