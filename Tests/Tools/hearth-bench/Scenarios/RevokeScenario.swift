import HearthProgram
import NIOCore

/// One write that revokes the permission of many listeners; measured from the write to each cancellation.
final class RevokeScenario: BenchScenario {
  private static let rounds = 5

  private let sockets: BenchSockets
  private let size: BenchSize
  private var latencies = LatencyRecorder()

  init(sockets: BenchSockets, size: BenchSize) {
    self.sockets = sockets
    self.size = size
  }

  func run() -> EventLoopFuture<BenchResult> {
    sockets.open([nil] + (0..<size.connections).map { "u\($0)" }).assumeIsolated().flatMap { [self] in
      round(Self.rounds)
    }.map { [self] in
      BenchResult(
        name: "revocation", setup: "1 write cancels \(size.connections) listeners", latency: latencies.summary,
        serverBytes: sockets.serverBytes, note: "\(Self.rounds) rounds")
    }.nonisolated()
  }

  private func round(_ rest: Int) -> EventLoopFuture<Void> {
    guard rest > 0 else { return sockets.loop.makeSucceededVoidFuture() }
    let listeners = Array(sockets.all.dropFirst())
    let admin = BenchAdmin(sockets.all[0], loop: sockets.loop)
    return admin.makeMembers(listeners.map { ("r0", "u\($0.index - 1)") }).assumeIsolated().flatMap { [self] in
      BenchListeners.listen(listeners, path: "/rooms/r0", loop: sockets.loop)
    }.flatMap { [self] in
      let done = sockets.loop.makePromise(of: Void.self)
      let count = Countdown(listeners.count)
      let started = WallClock.monotonicNanoseconds
      for socket in listeners {
        socket.onMessage = { [self] _, message in
          guard case .cancel = message else { return }
          latencies.record(since: started)
          if count.isLast() { done.succeed() }
        }
      }
      admin.socket.send(action: "p", body: "{\"p\":\"/members/r0\",\"d\":null}")
      admin.socket.flush()
      return done.futureResult
    }.flatMap { [self] in round(rest - 1) }.nonisolated()
  }
}
