import NIOCore

/// How large a scenario is. All bounded by what the command line admits.
struct BenchSize: Sendable {
  var connections = 8
  var inFlight = 32
  var payloadBytes = 200
  var durationSeconds = 3.0
}

/// One kind of load. Made and run on one event loop, so nothing in it is shared.
protocol BenchScenario: AnyObject, SendableMetatype {
  init(sockets: BenchSockets, size: BenchSize)
  func run() -> EventLoopFuture<BenchResult>
}

extension BenchScenario {
  /// A value of about that many bytes, as a chat message would be.
  static func payload(_ sizeBytes: Int, _ number: Int) -> String {
    let text = "{\"n\":\(number),\"text\":\""
    return text + String(repeating: "x", count: max(0, sizeBytes - text.utf8.count - 2)) + "\"}"
  }
}

/// Calls back on the same loop without crossing threads.
extension EventLoop {
  func after(seconds: Double, _ body: @escaping () -> Void) {
    assumeIsolated().scheduleTask(in: .nanoseconds(Int64(seconds * 1e9)), body)
  }
}

/// Sends the administrator's set-up writes and waits until all are acknowledged.
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
