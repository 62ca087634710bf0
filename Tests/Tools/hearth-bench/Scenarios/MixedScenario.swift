import HearthProgram
import NIOCore

/// A chat service at work: many rooms with some listeners each, membership rules on every read and write, and a steady
/// rate of messages.
final class MixedScenario: BenchScenario {
  private static let roomCount = 1_000
  private static let writerCount = 8
  private static let writesPerSecond = 2_000.0
  /// Seconds between two shares of the writes.
  private static let stepSeconds = 0.005

  private let sockets: BenchSockets
  private let size: BenchSize
  private var latencies = LatencyRecorder()
  private var isRunning = true
  private var deliveries = 0
  /// The times of the writes in each room, and the number of events of each listener.
  private var sentTimes: [[Int64]] = []
  private var received: [Int] = []
  private var written = 0
  private var started: Int64 = 0

  init(sockets: BenchSockets, size: BenchSize) {
    self.sockets = sockets
    self.size = size
  }

  func run() -> EventLoopFuture<BenchResult> {
    let writers = (0..<Self.writerCount).map { "writer\($0)" }
    let listeners = (0..<size.connections).map { "u\($0)" }
    return sockets.open([nil] + writers + listeners).assumeIsolated().flatMap { [self] in
      var members = listeners.enumerated().map { ("r\($0.offset % Self.roomCount)", $0.element) }
      for room in 0..<Self.roomCount { members.append(("r\(room)", writers[room % Self.writerCount])) }
      return BenchAdmin(sockets.all[0], loop: sockets.loop).makeMembers(members)
    }.flatMap { [self] in listen() }.flatMap { [self] in load() }.nonisolated()
  }

  private func listen() -> EventLoopFuture<Void> {
    let done = sockets.loop.makePromise(of: Void.self)
    let listeners = sockets.all.dropFirst(1 + Self.writerCount)
    let count = Countdown(listeners.count)
    for socket in listeners {
      socket.onMessage = { _, message in
        guard case .reply(_, let isOK) = message else { return }
        guard isOK else { return done.fail(BenchSockets.Failure(description: "a listen was refused")) }
        if count.isLast() { done.succeed() }
      }
      socket.send(action: "q", body: "{\"p\":\"/rooms/r\(room(of: socket))\",\"h\":\"\"}")
      socket.flush()
    }
    return done.futureResult
  }

  private func room(of socket: BenchSocket) -> Int { (socket.index - 1 - Self.writerCount) % Self.roomCount }

  private func load() -> EventLoopFuture<BenchResult> {
    let done = sockets.loop.makePromise(of: BenchResult.self)
    sentTimes = Array(repeating: [], count: Self.roomCount)
    received = Array(repeating: 0, count: sockets.all.count)
    for socket in sockets.all.dropFirst(1 + Self.writerCount) {
      let room = room(of: socket)
      socket.onClose = { _ in done.fail(BenchSockets.Failure(description: "the server closed a listener")) }
      socket.onMessage = { [self] socket, message in
        guard case .push = message else { return }
        latencies.record(since: sentTimes[room][received[socket.index]])
        received[socket.index] += 1
        deliveries += 1
      }
    }
    for socket in sockets.all.dropFirst().prefix(Self.writerCount) {
      socket.onMessage = { _, message in
        if case .reply(_, false) = message { done.fail(BenchSockets.Failure(description: "a write was refused")) }
      }
    }
    started = WallClock.monotonicNanoseconds
    let load = ServerLoad(sockets.target)
    step()
    sockets.loop.after(seconds: size.durationSeconds) { [self] in
      isRunning = false
      // Events in flight still arrive; the rate is that of the writes.
      sockets.loop.after(seconds: 0.5) { [self] in
        let seconds = size.durationSeconds
        done.succeed(
          BenchResult(
            name: "mixed", setup: "\(size.connections) listeners, \(Self.roomCount) rooms, membership rules",
            rate: Double(deliveries) / seconds, unit: "deliveries/s", latency: latencies.summary,
            serverBytes: load.residentBytes, serverCPU: load.processorShare,
            note: "\(NumberFormat.grouped(Double(written) / seconds)) writes/s"))
      }
    }
    return done.futureResult
  }

  private func step() {
    guard isRunning else { return }
    let due = Int(WallClock.seconds(since: started) * Self.writesPerSecond)
    var touched: Set<Int> = []
    while written < due {
      // Rooms in an order without a pattern, each written by its own writer.
      let room = written &* 7_919 % Self.roomCount
      let writer = sockets.all[1 + room % Self.writerCount]
      sentTimes[room].append(WallClock.monotonicNanoseconds)
      let body = "{\"p\":\"/rooms/r\(room)/m/k\(written % 50)\",\"d\":\(BenchPayload.json(size.payloadBytes, written))}"
      writer.send(action: "p", body: body)
      touched.insert(writer.index)
      written += 1
    }
    for index in touched { sockets.all[index].flush() }
    sockets.loop.after(seconds: Self.stepSeconds) { [self] in step() }
  }
}
