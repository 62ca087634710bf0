import NIOCore

/// How late database events come while nothing else happens, and while passwords are being checked as fast as they can
/// be: the hashing must not take the database's time.
final class EventStormScenario {
  private static let listenerCount = 20
  private static let writesPerSecond = 200.0

  private let sockets: BenchSockets
  private let storm: RequestLoad
  private let seconds: Double
  private var latencies = LatencyRecorder()
  private var sentTimes: [Int64] = []
  private var received: [Int] = []
  private var isMeasuring = false
  private var isWriting = true

  init(sockets: BenchSockets, signIns: [BenchHTTP.Request], seconds: Double) {
    self.sockets = sockets
    self.seconds = seconds
    storm = RequestLoad(target: sockets.target, loop: sockets.loop, requests: signIns)
  }

  func run() -> EventLoopFuture<[BenchResult]> {
    let uids = (0..<Self.listenerCount).map { "u\($0)" }
    return sockets.open([nil] + uids).assumeIsolated().flatMap { [self] in
      BenchAdmin(sockets.all[0], loop: sockets.loop).makeMembers(uids.map { ("r0", $0) })
    }.flatMap { [self] in
      BenchListeners.listen(Array(sockets.all.dropFirst()), path: "/rooms/r0", loop: sockets.loop)
    }.flatMap { [self] in
      begin()
      return measured()
    }.flatMap { [self] quiet in
      storm.start().assumeIsolated().flatMap { [self] in measured() }.map { [self] stormy in
        isWriting = false
        return results(quiet, stormy)
      }.nonisolated()
    }.nonisolated()
  }

  /// Lets go of the sockets, however the run went.
  func end() {
    isWriting = false
    for socket in sockets.all {
      socket.onClose = { _ in }
      socket.onMessage = { _, _ in }
    }
  }

  /// Writes at a steady pace from now on, whatever comes back.
  private func begin() {
    received = Array(repeating: 0, count: sockets.all.count)
    sockets.all[0].onMessage = { _, _ in }
    for socket in sockets.all.dropFirst() {
      socket.onMessage = { [unowned self] socket, message in
        guard case .push = message else { return }
        let number = received[socket.index]
        received[socket.index] += 1
        if isMeasuring, number < sentTimes.count { latencies.record(since: sentTimes[number]) }
      }
    }
    write(at: WallClock.monotonicNanoseconds)
  }

  /// - Parameter time: when this write was due; the next one is due a fixed time later, however late this one is.
  private func write(at time: Int64) {
    guard isWriting else { return }
    sentTimes.append(WallClock.monotonicNanoseconds)
    sockets.all[0].send(action: "p", body: "{\"p\":\"/rooms/r0/m\",\"d\":{\"n\":\(sentTimes.count)}}")
    sockets.all[0].flush()
    let next = time + Int64(1e9 / Self.writesPerSecond)
    sockets.loop.after(seconds: max(0, Double(next - WallClock.monotonicNanoseconds) / 1e9)) { [self] in
      write(at: next)
    }
  }

  /// The latencies of some seconds, after one that does not count.
  private func measured() -> EventLoopFuture<LatencySummary> {
    let done = sockets.loop.makePromise(of: LatencySummary.self)
    sockets.loop.after(seconds: 1) { [self] in
      latencies = LatencyRecorder()
      isMeasuring = true
      sockets.loop.after(seconds: seconds) { [self] in
        isMeasuring = false
        done.succeed(latencies.summary)
      }
    }
    return done.futureResult
  }

  private func results(_ quiet: LatencySummary, _ stormy: LatencySummary) -> [BenchResult] {
    let setup = "\(Int(Self.writesPerSecond)) writes/s → \(Self.listenerCount) listeners"
    let ratio = Double(stormy.p99) / Double(max(1, quiet.p99))
    let tenths = (ratio * 10).rounded() / 10
    let signIns = storm.stop(name: "sign-ins beside them", setup: "", unit: "sign-ins/s")
    return [
      BenchResult(name: "events, quiet", setup: setup, latency: quiet),
      BenchResult(
        name: "events, storm", setup: "the same beside \(BenchTable.grouped(signIns.rate ?? 0)) sign-ins/s",
        latency: stormy, serverBytes: signIns.serverBytes, note: "p99 × \(tenths) \(signIns.note)"),
    ]
  }
}
