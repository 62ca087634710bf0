import NIOCore

enum BenchListeners {
  /// Starts a listen on each socket; completes when all are acknowledged.
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
