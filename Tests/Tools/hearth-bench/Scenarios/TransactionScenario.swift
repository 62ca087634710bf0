import HearthProgram
import HearthTree
import NIOCore

/// Many clients that increment one counter as SDKs do: each compares with its last value and retries when another
/// client was faster.
final class TransactionScenario: BenchScenario {
  private let sockets: BenchSockets
  private let size: BenchSize
  private var latencies = LatencyRecorder()
  private var isRunning = true
  private var committed = 0
  private var attempts = 0
  /// The last value that each client has seen, and the start time of its transaction.
  private var seen: [Int64] = []
  private var began: [Int64] = []
  private var waiting = 0

  init(sockets: BenchSockets, size: BenchSize) {
    self.sockets = sockets
    self.size = size
  }

  func run() -> EventLoopFuture<BenchResult> {
    let uids = (0..<size.connections).map { "u\($0)" }
    return sockets.open([nil] + uids).assumeIsolated().flatMap { [self] in
      BenchAdmin(sockets.all[0], loop: sockets.loop).call("p", "{\"p\":\"/counter\",\"d\":0}")
    }.flatMap { [self] in
      BenchListeners.listen(Array(sockets.all.dropFirst()), path: "/counter", loop: sockets.loop)
    }.flatMap { [self] in load() }.nonisolated()
  }

  private func load() -> EventLoopFuture<BenchResult> {
    let done = sockets.loop.makePromise(of: BenchResult.self)
    let load = ServerLoad(sockets.target)
    seen = Array(repeating: 0, count: sockets.all.count)
    began = seen
    for socket in sockets.all.dropFirst() {
      socket.keepsText = true
      socket.onClose = { _ in done.fail(BenchSockets.Failure(description: "the server closed a client")) }
      socket.onMessage = { [self] socket, message in
        switch message {
        case .push: if let value = Self.value(of: socket.text) { seen[socket.index] = value }
        case .reply(_, let isOK):
          if isOK {
            committed += 1
            latencies.record(since: began[socket.index])
            began[socket.index] = WallClock.monotonicNanoseconds
          }
          isRunning ? attempt(socket) : finish(load, done)
        default: break
        }
      }
      began[socket.index] = WallClock.monotonicNanoseconds
      waiting += 1
      attempt(socket)
    }
    sockets.loop.after(seconds: size.durationSeconds) { [self] in isRunning = false }
    return done.futureResult
  }

  private func attempt(_ socket: BenchSocket) {
    attempts += 1
    let value = seen[socket.index]
    let hash = Node(.int(value)).simpleHash()
    socket.send(action: "p", body: "{\"p\":\"/counter\",\"d\":\(value + 1),\"h\":\"\(hash)\"}")
    socket.flush()
  }

  /// Returns the number in `…"d":123}}}`.
  private static func value(of text: String) -> Int64? {
    guard let mark = text.ranges(of: "\"d\":").last else { return nil }
    return Int64(text[mark.upperBound...].prefix { $0.isNumber })
  }

  private func finish(_ load: ServerLoad, _ done: EventLoopPromise<BenchResult>) {
    waiting -= 1
    guard waiting == 0 else { return }
    let tries = Double(attempts) / Double(max(1, committed))
    done.succeed(
      BenchResult(
        name: "transactions", setup: "\(size.connections) clients, one counter", rate: Double(committed) / load.seconds,
        unit: "commits/s", latency: latencies.summary, serverBytes: load.residentBytes, serverCPU: load.processorShare,
        note: "\(Int(tries * 10) / 10).\(Int(tries * 10) % 10) tries a commit"))
  }
}
