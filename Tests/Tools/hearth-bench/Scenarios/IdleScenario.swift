import NIOCore

/// Signed-in sockets without requests: the server's memory for each connection.
final class IdleScenario: BenchScenario {
  private let sockets: BenchSockets
  private let size: BenchSize

  init(sockets: BenchSockets, size: BenchSize) {
    self.sockets = sockets
    self.size = size
  }

  func run() -> EventLoopFuture<BenchResult> {
    let before = sockets.serverBytes
    return sockets.open((0..<size.connections).map { "u\($0)" }).assumeIsolated().flatMap { [self] in
      let done = sockets.loop.makePromise(of: BenchResult.self)
      sockets.loop.after(seconds: 1) { [self] in
        let after = sockets.serverBytes
        var result = BenchResult(
          name: "idle sockets", setup: "\(size.connections) signed in", serverBytes: after)
        if let before, let after { result.note = "\((after - before) / max(1, size.connections)) bytes a socket" }
        done.succeed(result)
      }
      return done.futureResult
    }.nonisolated()
  }
}
