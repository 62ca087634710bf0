import HearthSystem
import NIOCore

/// Opens many sockets with bounded concurrency. A socket counts as open once its user is signed in.
final class BenchSockets {
  struct Failure: Error, CustomStringConvertible { var description: String }

  let target: BenchTarget
  let loop: any EventLoop
  private(set) var all: [BenchSocket] = []
  private var waiting: [(index: Int, uid: String?)] = []
  private var openCount = 0

  init(target: BenchTarget, loop: any EventLoop) {
    self.target = target
    self.loop = loop
  }

  /// The resident memory of the server in bytes; nil when it runs on another machine.
  var serverBytes: Int? { target.process.flatMap { ProcessStatistics.residentBytes(of: $0) } }

  /// Opens one socket for each uid; a nil uid is an administrator.
  func open(_ uids: [String?], concurrency: Int = 64) -> EventLoopFuture<Void> {
    let done = loop.makePromise(of: Void.self)
    openCount = 0
    all.reserveCapacity(all.count + uids.count)
    waiting = uids.enumerated().map { (all.count + $0.offset, $0.element) }.reversed()
    let goal = waiting.count
    if goal == 0 { done.succeed() }
    for _ in 0..<min(concurrency, goal) { openNext(goal: goal, done) }
    return done.futureResult
  }

  func closeAll() {
    for socket in all { socket.close() }
  }

  private func openNext(goal: Int, _ done: EventLoopPromise<Void>) {
    guard let (index, uid) = waiting.popLast() else { return }
    let socket = BenchSocket(index: index, upgradeRequest: target.upgradeRequest)
    all.append(socket)
    socket.onClose = { _ in done.fail(Failure(description: "the server closed socket \(index)")) }
    socket.onMessage = { [unowned self] socket, message in
      switch message {
      case .hello:
        do {
          let credential = try uid.map { try target.token(uid: $0) } ?? target.adminCredential
          socket.send(action: uid == nil ? "gauth" : "auth", body: "{\"cred\":\"\(credential)\"}")
          socket.flush()
        } catch {
          done.fail(error)
        }
      case .reply(_, let isOK):
        guard isOK else { return done.fail(Failure(description: "sign-in was refused")) }
        socket.onMessage = { _, _ in }
        openCount += 1
        openCount == goal ? done.succeed() : openNext(goal: goal, done)
      default: break
      }
    }
    socket.connect(on: loop, host: target.host, port: target.port).cascadeFailure(to: done)
  }
}
