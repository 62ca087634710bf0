import HearthRules
import HearthTree
import Testing

@testable import HearthEngine

/// Tests of the limits of all listens and of all on-disconnect writes: one network cannot exhaust them.
@Suite struct ListenShareTests {
  private static let now = Instant(wallMilliseconds: 1, monotonicMilliseconds: 1)

  /// An engine that keeps the last answer to each connection.
  private struct Host {
    var engine: Engine
    var lastConnection: UInt64 = 0

    init(_ change: (inout EngineLimits) -> Void) throws {
      var limits = EngineLimits()
      change(&limits)
      let rules = try RuleSet.compile(#"{"rules": {".read": true, ".write": true}}"#)
      engine = Engine(state: DatabaseState(root: .empty, rules: rules, position: 0), limits: limits)
    }

    mutating func ask(_ connection: ConnectionID, _ action: Command.Action, from network: NetworkPrefix? = nil)
      -> Reply?
    {
      let batch = engine.decide(
        [Command(connection: connection, request: 1, network: network, action: action)], at: ListenShareTests.now)
      for case .reply(_, _, let reply) in batch.effects { return reply }
      return nil
    }

    mutating func connect(from network: NetworkPrefix) -> ConnectionID {
      lastConnection += 1
      let id = ConnectionID(rawValue: lastConnection)
      _ = ask(id, .connect, from: network)
      return id
    }

    /// Starts listens until one is refused, and returns their number.
    mutating func listenAll(_ connection: ConnectionID, max: Int = .max) -> Int {
      for count in 0..<max {
        guard case .listening? = ask(connection, .listen(ListenRequest(Path("\(connection.rawValue)/\(count)")))) else {
          return count
        }
      }
      return max
    }
  }

  private static func network(_ third: UInt8, _ last: Int = 1) -> NetworkPrefix {
    NetworkPrefix(addressBytes: [10, 0, third, UInt8(truncatingIfNeeded: last)])
  }

  @Test func `a network that has reached its limit of listens leaves another network its share`() throws {
    var host = try Host { limits in
      limits.listensPerConnectionMax = 100
      limits.listensBytesMax = 4_000 * EngineLimits.bytes(ofListenAt: Path("1/1"), nil)
    }
    var taken = 0
    for number in 0..<101 { taken += host.listenAll(host.connect(from: Self.network(1, number)), max: 1_000) }
    #expect(taken > 3_000 && taken < 3_600)
    let standing = host.engine.listens.count
    let other = host.connect(from: Self.network(2))
    let listens = host.listenAll(other, max: 5)
    #expect(listens == 5)
    #expect(host.engine.listens.count == standing + 5)
    // An administrator in the network with the largest share is not refused either.
    let administrator = host.connect(from: Self.network(1))
    _ = host.ask(administrator, .authenticate(.administrator))
    let administered = host.listenAll(administrator, max: 20)
    #expect(administered == 20)
  }

  @Test func `a listen counts for its path and its query, and releases the same amount`() throws {
    var host = try Host { $0.listensBytesMax = 100_000 }
    let id = host.connect(from: Self.network(1))
    let deep = Path((0..<30).map { Key("\($0)" + String(repeating: "k", count: 700)) })
    let bound = Query.Bound(value: .string(String(repeating: "v", count: 5_000)))
    let query = Query(start: bound)
    for round in 0..<50 {
      _ = host.ask(id, .listen(ListenRequest(deep)))
      let reply = host.ask(id, .listen(ListenRequest(Path("q"), query: query, tag: 7)))
      guard case .listening? = reply else {
        Issue.record("round \(round): \(String(describing: reply))")
        return
      }
      _ = host.ask(id, .unlisten(deep))
      _ = host.ask(id, .unlisten(Path("q"), query: query, tag: 7))
    }
    // Deep paths take more memory than shallow ones, so fewer of them fit.
    let shallow = host.listenAll(id)
    _ = host.ask(id, .disconnect)
    let next = host.connect(from: Self.network(1))
    var count = 0
    while case .listening? = host.ask(next, .listen(ListenRequest(deep.appending(Key("\(count)"))))) { count += 1 }
    #expect(shallow > 40 && count < 4)
  }

  @Test func `a network that has reached its limit of onDisconnect writes leaves another network its share`() throws {
    var host = try Host { limits in
      limits.onDisconnectBytesPerConnectionMax = 8 << 10
      limits.onDisconnectBytesMax = 1 << 20
    }
    let text = WriteValue(Node(.string(String(repeating: "x", count: 3_000))))
    func ask(_ host: inout Host, _ id: ConnectionID) -> Bool {
      let reply = host.ask(id, .onDisconnect(.put(Location(path: Path("p/\(id.rawValue)")), text)))
      if case .failure? = reply { return false }
      return true
    }
    var hogs: [ConnectionID] = []
    for number in 0..<500 {
      let id = host.connect(from: Self.network(1, number))
      guard ask(&host, id) else { break }
      hogs.append(id)
    }
    #expect(hogs.count > 200 && hogs.count < 350)
    let other = host.connect(from: Self.network(2))
    let isOthersTaken = ask(&host, other)
    #expect(isOthersTaken)
    // Disconnects release their share.
    for id in hogs { _ = host.ask(id, .disconnect) }
    let next = host.connect(from: Self.network(1))
    let isNextTaken = ask(&host, next)
    #expect(isNextTaken)
  }
}
