import HearthProgram
import NIOCore

/// The latency of database events without other load, and beside password checks at the highest rate. Hashing must not
/// delay the database.
final class EventStormScenario {
  private static let listenerCount = 20
  private static let writesPerSecond = 200.0

  /// The number of rounds, each with a quiet and a stormy phase, so that other load on the machine affects both alike.
  private static let rounds = 3

  private let sockets: BenchSockets
  private let signIns: [BenchHTTP.Request]
  private let phaseSeconds: Double
  private var quiet = LatencyRecorder()
  private var stormy = LatencyRecorder()
  private var phase = Phase.settling
  private var sentTimes: [Int64] = []
  private var received: [Int] = []
  private var isWriting = true
  private var storms: [BenchResult] = []

  private enum Phase { case settling, quiet, stormy }

  /// Creates the scenario.
  ///
  /// - Parameter seconds: The duration of each of the two phases over all rounds.
  init(sockets: BenchSockets, signIns: [BenchHTTP.Request], seconds: Double) {
    self.sockets = sockets
    self.signIns = signIns
    phaseSeconds = seconds / Double(Self.rounds)
  }

  func run() -> EventLoopFuture<[BenchResult]> {
    let uids = (0..<Self.listenerCount).map { "u\($0)" }
    return sockets.open([nil] + uids).assumeIsolated().flatMap { [self] in
      BenchAdmin(sockets.all[0], loop: sockets.loop).makeMembers(uids.map { ("r0", $0) })
    }.flatMap { [self] in
      BenchListeners.listen(Array(sockets.all.dropFirst()), path: "/rooms/r0", loop: sockets.loop)
    }.flatMap { [self] in
      begin()
      return round(Self.rounds)
    }.map { [self] in results() }.nonisolated()
  }

  private func round(_ rest: Int) -> EventLoopFuture<Void> {
    guard rest > 0 else { return sockets.loop.makeSucceededVoidFuture() }
    let storm = RequestLoad(target: sockets.target, loop: sockets.loop, requests: signIns)
    return measure(.quiet).assumeIsolated().flatMap { storm.start() }.flatMap { [self] in
      measure(.stormy)
    }.flatMap {
      storm.stop(name: "", setup: "", unit: "")
    }.flatMap { [self] result in
      storms.append(result)
      return round(rest - 1)
    }.nonisolated()
  }

  /// Closes the sockets at the end of a run, successful or not.
  func end() {
    isWriting = false
    for socket in sockets.all {
      socket.onClose = { _ in }
      socket.onMessage = { _, _ in }
    }
  }

  /// Starts writes at a fixed rate, independent of answers.
  private func begin() {
    received = Array(repeating: 0, count: sockets.all.count)
    sockets.all[0].onMessage = { _, _ in }
    for socket in sockets.all.dropFirst() {
      socket.onMessage = { [unowned self] socket, message in
        guard case .push = message else { return }
        let number = received[socket.index]
        received[socket.index] += 1
        if number < sentTimes.count { record(since: sentTimes[number]) }
      }
    }
    write(at: WallClock.monotonicNanoseconds)
  }

  /// Sends one write.
  ///
  /// - Parameter time: The time when this write was due; the next one is due a fixed interval later, even if this one
  ///   is late.
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

  /// Records the latencies of a phase after a short time that does not count.
  private func measure(_ phase: Phase) -> EventLoopFuture<Void> {
    let done = sockets.loop.makePromise(of: Void.self)
    sockets.loop.after(seconds: 0.5) { [self] in
      self.phase = phase
      sockets.loop.after(seconds: phaseSeconds) { [self] in
        self.phase = .settling
        done.succeed()
      }
    }
    return done.futureResult
  }

  private func record(since started: Int64) {
    switch phase {
    case .settling: break
    case .quiet: quiet.record(since: started)
    case .stormy: stormy.record(since: started)
    }
  }

  private func results() -> [BenchResult] {
    let setup = "\(Int(Self.writesPerSecond)) writes/s → \(Self.listenerCount) listeners"
    let (quiet, stormy) = (quiet.summary, stormy.summary)
    let ratio = Double(stormy.p99) / Double(max(1, quiet.p99))
    let rate = storms.compactMap(\.rate).reduce(0, +) / Double(max(1, storms.count))
    let refusals = storms.map(\.note).first { !$0.isEmpty } ?? ""
    return [
      BenchResult(name: "events, quiet", setup: setup, latency: quiet),
      BenchResult(
        name: "events, storm", setup: "the same beside \(NumberFormat.grouped(rate)) sign-ins/s", latency: stormy,
        serverBytes: storms.last?.serverBytes, note: "p99 × \((ratio * 10).rounded() / 10) \(refusals)"),
    ]
  }
}
