import Glibc
import HearthProgram
import NIOCore

/// Durable, rule-checked writes to several servers or databases at once, with a number of unacknowledged writes on each
/// socket.
final class SpreadWrites {
  /// The number of writes during the measurement, and their cost.
  struct Figures: Sendable {
    var count: Int
    var seconds: Double
    var latency: LatencySummary
    /// The processor seconds of all servers.
    var serverSeconds: Double
    /// The processor seconds of their PostgreSQL.
    var postgresSeconds: Double

    var rate: Double { Double(count) / seconds }
    /// The servers' processor microseconds for each write.
    var serverMicroseconds: Double { serverSeconds / Double(max(1, count)) * 1e6 }
    var postgresMicroseconds: Double { postgresSeconds / Double(max(1, count)) * 1e6 }
  }

  /// The size of the load.
  struct Size: Sendable {
    /// The number of sockets to each target.
    var sockets = 9
    var inFlight = 64
    var payloadBytes = 200
    var seconds = 3.0
  }

  /// Seconds of load before the measurement, in which caches, sessions and rows become steady.
  private static let warmSeconds = 0.5

  private let size: Size
  private let loop: any EventLoop
  private let groups: [BenchSockets]
  private var latencies = LatencyRecorder()
  private var (isRunning, isMeasured) = (true, false)
  private var acknowledged = 0
  /// The send times of unanswered writes, oldest first, by the socket's group and number.
  private var sent: [[TimeQueue]] = []

  private init(_ targets: [BenchTarget], _ size: Size, _ loop: any EventLoop) {
    (self.size, self.loop) = (size, loop)
    groups = targets.map { BenchSockets(target: $0, loop: loop) }
  }

  /// Writes to all targets for some time.
  ///
  /// - Parameter processes: Processes whose processor time is counted.
  static func run(
    _ targets: [BenchTarget], _ size: Size, servers: [pid_t], postgres: [pid_t]
  ) async throws -> Figures {
    try await BenchLoop.run { loop in
      SpreadWrites(targets, size, loop).run { ProcessorTimes(servers: servers, trees: postgres) }
    }
  }

  private func run(_ meter: @escaping () -> ProcessorTimes) -> EventLoopFuture<Figures> {
    open(0).assumeIsolated().flatMap { [self] in load(meter) }.nonisolated()
  }

  /// Opens one group after the other: an administrator, who makes the writers members of rooms, and the writers.
  private func open(_ index: Int) -> EventLoopFuture<Void> {
    guard index < groups.count else { return loop.makeSucceededVoidFuture() }
    let sockets = groups[index]
    let uids = (0..<size.sockets).map { "u\(index)x\($0)" }
    return sockets.open([nil] + uids).assumeIsolated().flatMap { [self] in
      BenchAdmin(sockets.all[0], loop: loop).makeMembers(uids.map { (room: $0, uid: $0) })
    }.flatMap { [self] in open(index + 1) }.nonisolated()
  }

  private func load(_ meter: @escaping () -> ProcessorTimes) -> EventLoopFuture<Figures> {
    let done = loop.makePromise(of: Figures.self)
    sent = groups.map { Array(repeating: TimeQueue(), count: $0.all.count) }
    for (index, group) in groups.enumerated() {
      for socket in group.all.dropFirst() {
        socket.onClose = { _ in done.fail(BenchSockets.Failure(description: "the server closed a writer")) }
        socket.onMessage = { [self] socket, message in
          guard case .reply(_, let isOK) = message else { return }
          guard isOK else { return done.fail(BenchSockets.Failure(description: "a write was refused")) }
          let moment = sent[index][socket.index].removeFirst()
          if isMeasured {
            latencies.record(since: moment)
            acknowledged += 1
          }
          // Half the window at a time, so that several writes share one system call.
          if isRunning, sent[index][socket.index].count <= size.inFlight / 2 { refill(index, socket) }
        }
        refill(index, socket)
      }
    }
    loop.after(seconds: Self.warmSeconds) { [self] in
      isMeasured = true
      let (started, times) = (WallClock.monotonicNanoseconds, meter())
      loop.after(seconds: size.seconds) { [self] in
        let (seconds, elapsed) = (WallClock.seconds(since: started), times.elapsed)
        (isRunning, isMeasured) = (false, false)
        for group in groups {
          for socket in group.all { socket.onClose = { _ in } }
          group.closeAll()
        }
        done.succeed(
          Figures(
            count: acknowledged, seconds: seconds, latency: latencies.summary, serverSeconds: elapsed.servers,
            postgresSeconds: elapsed.trees))
      }
    }
    return done.futureResult
  }

  private func refill(_ index: Int, _ socket: BenchSocket) {
    let now = WallClock.monotonicNanoseconds
    while sent[index][socket.index].count < size.inFlight {
      let number = socket.requestNumber
      let room = "u\(index)x\(socket.index - 1)"
      socket.send(
        action: "p",
        body: "{\"p\":\"/rooms/\(room)/m/k\(number % 1_000)\",\"d\":\(BenchPayload.json(size.payloadBytes, number))}")
      sent[index][socket.index].append(now)
    }
    socket.flush()
  }
}

/// A queue of times, which are removed oldest first.
private struct TimeQueue {
  private var all: [Int64] = []
  private var head = 0

  var count: Int { all.count - head }

  mutating func append(_ moment: Int64) { all.append(moment) }

  mutating func removeFirst() -> Int64 {
    defer {
      head += 1
      if head == all.count {
        all.removeAll(keepingCapacity: true)
        head = 0
      } else if head >= 1_024 {
        all.removeFirst(head)
        head = 0
      }
    }
    return all[head]
  }
}
