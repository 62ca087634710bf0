import NIOCore

/// The size of a scenario, within the limits of the command line.
struct BenchSize: Sendable {
  var connections = 8
  var inFlight = 32
  var payloadBytes = 200
  var durationSeconds = 3.0
}

/// A kind of load. It is created and run on one event loop, so nothing in it is shared.
protocol BenchScenario: AnyObject, SendableMetatype {
  init(sockets: BenchSockets, size: BenchSize)
  func run() -> EventLoopFuture<BenchResult>
}

/// The administrator's socket, which sends the set-up writes and waits until all are acknowledged.
final class BenchAdmin {
  let socket: BenchSocket
  let loop: any EventLoop

  init(_ socket: BenchSocket, loop: any EventLoop) {
    self.socket = socket
    self.loop = loop
  }

  func call(_ action: String, _ body: String) -> EventLoopFuture<Void> {
    let done = loop.makePromise(of: Void.self)
    let number = socket.send(action: action, body: body)
    socket.onMessage = { _, message in
      guard case .reply(number, let isOK) = message else { return }
      isOK ? done.succeed() : done.fail(BenchSockets.Failure(description: "\(action) was refused"))
    }
    socket.flush()
    return done.futureResult
  }

  /// Makes each of these users a member of its room.
  func makeMembers(_ members: [(room: String, uid: String)]) -> EventLoopFuture<Void> {
    let pairs = members.map { "\"\($0.room)/\($0.uid)\":true" }.joined(separator: ",")
    return call("m", "{\"p\":\"/members\",\"d\":{\(pairs)}}")
  }
}
