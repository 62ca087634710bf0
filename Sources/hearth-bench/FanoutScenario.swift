import NIOCore

/// One writer, many plain listeners of one path; a write is over when every listener has it.
final class FanoutScenario: BenchScenario {
  private let sockets: BenchSockets
  private let size: BenchSize
  private let meter: FanoutMeter

  init(sockets: BenchSockets, size: BenchSize) {
    self.sockets = sockets
    self.size = size
    meter = FanoutMeter(size, on: sockets.loop)
  }

  func run() -> EventLoopFuture<BenchResult> {
    let uids = (0..<size.connections).map { "u\($0)" }
    return sockets.open([nil] + uids).assumeIsolated().flatMap { [self] in
      BenchAdmin(sockets.all[0], loop: sockets.loop).makeMembers(uids.map { ("r0", $0) })
    }.flatMap { [self] in
      BenchListeners.listen(Array(sockets.all.dropFirst()), path: "/rooms/r0", loop: sockets.loop)
    }.flatMap { [self] in load() }.nonisolated()
  }

  private func load() -> EventLoopFuture<BenchResult> {
    let done = sockets.loop.makePromise(of: BenchResult.self)
    let writer = sockets.all[0]
    writer.onMessage = { _, _ in }
    for socket in sockets.all.dropFirst() {
      socket.onClose = { _ in done.fail(BenchSockets.Failure(description: "the server closed a listener")) }
      socket.onMessage = { [meter] socket, message in
        if case .push = message { meter.delivered(to: socket.index - 1) }
      }
    }
    let setup = "1 writer → \(size.connections) listeners, \(size.inFlight) in flight"
    meter.run("fan-out", setup, load: ServerLoad(sockets.target)) { [size] number in
      let body = "{\"p\":\"/rooms/r0/m\",\"d\":\(Self.payload(size.payloadBytes, number))}"
      writer.send(action: "p", body: body)
      writer.flush()
    }.cascade(to: done)
    return done.futureResult
  }
}

enum BenchListeners {
  /// Listens with each socket; done when all are acknowledged.
  static func listen(_ sockets: [BenchSocket], path: String, loop: any EventLoop) -> EventLoopFuture<Void> {
    let done = loop.makePromise(of: Void.self)
    let count = Countdown(sockets.count)
    if sockets.isEmpty { done.succeed() }
    for socket in sockets {
      socket.onMessage = { _, message in
        guard case .reply(_, let isOK) = message else { return }
        guard isOK else { return done.fail(BenchSockets.Failure(description: "a listen was refused")) }
        if count.isLast() { done.succeed() }
      }
      socket.send(action: "q", body: "{\"p\":\"\(path)\",\"h\":\"\"}")
      socket.flush()
    }
    return done.futureResult
  }
}

/// Counts down to zero on one loop.
final class Countdown {
  private var rest: Int
  init(_ count: Int) { rest = count }

  func isLast() -> Bool {
    rest -= 1
    return rest == 0
  }
}
