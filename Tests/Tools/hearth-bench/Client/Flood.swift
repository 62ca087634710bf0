import HearthProgram
import NIOCore

/// Clients that write to one database as fast as they receive answers, successful or not.
struct Flood: Sendable {
  /// The figures of a flood.
  struct Figures: Sendable {
    var doneEachSecond: Double
    var refusedEachSecond: Double
  }

  let target: BenchTarget
  /// The number of sockets, each with its own user.
  let sockets: Int
  /// The number of unanswered writes on each socket.
  let inFlight: Int
  let seconds: Double

  func run() async throws -> Figures {
    try await BenchLoop.run { loop in FloodRun(self, loop).run() }
  }

  /// A flood in progress on its event loop.
  private final class FloodRun {
    private let flood: Flood
    private let sockets: BenchSockets
    private var (done, refused) = (0, 0)
    private var isRunning = true

    init(_ flood: Flood, _ loop: any EventLoop) {
      self.flood = flood
      sockets = BenchSockets(target: flood.target, loop: loop)
    }

    func run() -> EventLoopFuture<Figures> {
      let figures = sockets.loop.makePromise(of: Figures.self)
      sockets.open((0..<flood.sockets).map { "u\($0)" }).assumeIsolated().whenComplete { [self] result in
        if case .failure(let error) = result { return figures.fail(error) }
        let started = WallClock.monotonicNanoseconds
        for socket in sockets.all {
          socket.onClose = { _ in figures.fail(BenchSockets.Failure(description: "the server closed a flooding socket"))
          }
          socket.onMessage = { [self] socket, message in
            guard case .reply(_, let isOK) = message else { return }
            if isOK { done += 1 } else { refused += 1 }
            if isRunning { write(socket) }
          }
          for _ in 0..<flood.inFlight { write(socket) }
        }
        sockets.loop.after(seconds: flood.seconds) { [self] in
          isRunning = false
          let seconds = WallClock.seconds(since: started)
          for socket in sockets.all { socket.onClose = { _ in } }
          sockets.closeAll()
          figures.succeed(
            Figures(doneEachSecond: Double(done) / seconds, refusedEachSecond: Double(refused) / seconds))
        }
      }
      return figures.futureResult
    }

    private func write(_ socket: BenchSocket) {
      let number = socket.requestNumber
      socket.send(
        action: "p",
        body: "{\"p\":\"/items/u\(socket.index)k\(number % 1_000)\",\"d\":{\"number\":\(number),\"text\":\"a flood\"}}")
      socket.flush()
    }
  }
}
