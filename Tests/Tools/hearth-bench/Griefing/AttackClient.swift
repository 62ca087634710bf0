import HearthProgram
import NIOCore

/// One client of an attack. It belongs to one event loop.
protocol AttackClient: AnyObject {
  /// The traffic since ``begin()``.
  var traffic: AttackTraffic { get }
  /// Connects and performs the attack's set-up.
  func prepare() -> EventLoopFuture<Void>
  func begin()
  /// Closes all connections.
  func end()
}

/// The clients of an attack. They belong to one event loop.
final class AttackGroup {
  /// Seconds after which an attack begins although its set-up is incomplete, because a server may slow down clients
  /// with many requests.
  private static let setUpSecondsMax = 20.0

  private let loop: any EventLoop
  private let clients: [any AttackClient]

  init(_ attack: Attack, clients: [AttackerIdentity], target: BenchTarget, loop: any EventLoop) {
    self.loop = loop
    self.clients = clients.map { identity -> any AttackClient in
      switch attack.load {
      case .messages, .frames: SocketAttacker(attack, identity, target, loop)
      case .requests(let connections, let request):
        RequestAttacker(attack, identity, target, loop, connections: connections, request)
      }
    }
  }

  var traffic: AttackTraffic { clients.reduce(AttackTraffic()) { $0 + $1.traffic } }

  func prepare() -> EventLoopFuture<Void> {
    let prepared = loop.makePromise(of: Void.self)
    loop.after(seconds: Self.setUpSecondsMax) { prepared.succeed() }
    EventLoopFuture.andAllSucceed(clients.map { $0.prepare() }, on: loop).cascade(to: prepared)
    return prepared.futureResult
  }

  func begin() {
    for client in clients { client.begin() }
  }

  func end() {
    for client in clients { client.end() }
  }
}

/// A rate limit for the messages of a load.
struct AttackPace {
  private let perSecond: Double?
  private let started = WallClock.monotonicNanoseconds
  private var count = 0

  /// Creates a pace.
  ///
  /// - Parameter perSecond: Messages a second; nil for no limit.
  init(perSecond: Double?) { self.perSecond = perSecond }

  /// Counts a message as sent when one is due.
  ///
  /// - Returns: True when it was due.
  mutating func take() -> Bool {
    if let perSecond, Double(count) >= perSecond * WallClock.seconds(since: started) { return false }
    count += 1
    return true
  }
}
