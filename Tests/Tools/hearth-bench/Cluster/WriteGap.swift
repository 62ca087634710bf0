import HearthProgram
import NIOCore
import Synchronization

/// A client that writes continuously, one write after the other, and records the longest time without an acknowledged
/// write during a fault of the servers.
final class WriteGap: Sendable {
  private struct State {
    var acknowledged = 0
    var last: Int64 = 0
    var longest: Int64 = 0
    var isOver = false
    /// The error that stopped the writes; nil when there was none.
    var problem: (any Error)?
  }

  private let state = Mutex(State())

  /// The number of acknowledged writes before the fault begins, and after it has ended.
  private static let around = 100
  private static let patienceSeconds = 60.0

  /// Returns the longest interval without an acknowledged write.
  ///
  /// - Parameter action: The fault during the writes.
  /// - Returns: The interval in seconds.
  static func longest(
    writingTo target: BenchTarget, during action: () async throws -> Void
  ) async throws -> Double {
    let gap = WriteGap()
    async let writing: Void = BenchLoop.run { loop in Writer(target, gap, loop).run() }
    do {
      try await gap.wait(for: around)
      gap.state.withLock { $0.longest = 0 }
      try await action()
      try await gap.wait(for: gap.state.withLock { $0.acknowledged } + around)
    } catch {
      gap.state.withLock { $0.isOver = true }
      throw error
    }
    let longest = gap.state.withLock { state in
      state.isOver = true
      return state.longest
    }
    try await writing
    return Double(longest) / 1e9
  }

  private func wait(for count: Int) async throws {
    let started = WallClock.monotonicNanoseconds
    while state.withLock({ $0.acknowledged < count }) {
      if let problem = state.withLock({ $0.problem }) { throw problem }
      guard WallClock.seconds(since: started) < Self.patienceSeconds else {
        throw BenchServer.Failure(description: "writes are not acknowledged any more")
      }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  private func acknowledged() -> Bool {
    let now = WallClock.monotonicNanoseconds
    return state.withLock { state in
      if state.acknowledged > 0 { state.longest = max(state.longest, now - state.last) }
      state.acknowledged += 1
      state.last = now
      return !state.isOver
    }
  }

  /// The client's side, on its event loop.
  private final class Writer {
    private let gap: WriteGap
    private let sockets: BenchSockets

    init(_ target: BenchTarget, _ gap: WriteGap, _ loop: any EventLoop) {
      self.gap = gap
      sockets = BenchSockets(target: target, loop: loop)
    }

    func run() -> EventLoopFuture<Void> {
      let done = sockets.loop.makePromise(of: Void.self)
      sockets.open(["u0"]).assumeIsolated().whenComplete { [self] result in
        if case .failure(let error) = result { return fail(error, done) }
        let socket = sockets.all[0]
        socket.onClose = { [self] _ in fail(BenchSockets.Failure(description: "the server closed the writer"), done) }
        socket.onMessage = { [self] socket, message in
          guard case .reply(_, let isOK) = message else { return }
          guard isOK else { return fail(BenchSockets.Failure(description: "a write was refused"), done) }
          guard gap.acknowledged() else {
            socket.onClose = { _ in }
            socket.close()
            return done.succeed()
          }
          sockets.loop.after(seconds: 0.001) { [self] in write(socket) }
        }
        write(socket)
      }
      return done.futureResult
    }

    private func fail(_ error: any Error, _ done: EventLoopPromise<Void>) {
      gap.state.withLock { $0.problem = error }
      done.fail(error)
    }

    private func write(_ socket: BenchSocket) {
      socket.send(action: "p", body: "{\"p\":\"/items/gap\",\"d\":\(socket.requestNumber)}")
      socket.flush()
    }
  }
}
