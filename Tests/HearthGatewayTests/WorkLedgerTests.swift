import HearthEngine
import HearthTree
import Testing

@testable import HearthGateway

/// Tests of the charging of work to connections, accounts and networks, with a simulated clock.
@Suite struct WorkLedgerTests {
  private static let second: Int64 = 1_000_000_000
  private static let window = QuotaLimits.standard.workWindowMilliseconds * 1_000_000
  /// The steps that all clients may use in one window.
  private static let windowSteps = QuotaLimits.standard.workPerSecond / 4

  private static func connection(_ number: Int) -> WorkLedger.Payer {
    .connection(ConnectionID(rawValue: UInt64(number)))
  }

  private static func client(_ address: String, _ uid: String? = nil) -> ShareClaimant {
    ShareClaimant(account: uid, network: NetworkPrefix(address: address))
  }

  /// Returns a ledger with connections of clients, numbered from 1.
  private static func ledger(_ clients: [ShareClaimant]) -> WorkLedger {
    var ledger = WorkLedger()
    for (number, client) in clients.enumerated() {
      ledger.join(ConnectionID(rawValue: UInt64(number + 1)), as: client, at: 0)
    }
    return ledger
  }

  @Test func `a connection over its allowance waits until it has refilled, and other connections do not wait`() {
    // A fourth of the total rate: shares are not enforced.
    let rate = QuotaLimits.standard.workPerSecond / 4
    var ledger = Self.ledger([Self.client("192.0.2.1"), Self.client("192.0.2.1")])
    ledger.connectionStepsPerSecond = rate
    var now: Int64 = 0
    var waits: [Int64] = []
    // Twice the connection's rate.
    for _ in 0..<16 {
      waits.append(ledger.charge(WorkAmount(steps: rate / 2), to: Self.connection(1), at: now))
      now += Self.window
    }
    #expect(waits.prefix(3).allSatisfy { $0 == 0 }, "a second's worth may come at once")
    #expect(waits.dropFirst(3).allSatisfy { $0 > 0 })
    let wait = ledger.wait(of: Self.connection(1), at: now)
    #expect(wait == 3 * Self.second)
    #expect(ledger.wait(of: Self.connection(2), at: now) == 0)
    #expect(ledger.charge(WorkAmount(steps: 50_000), to: Self.connection(2), at: now) == 0)
    #expect(ledger.wait(of: Self.connection(1), at: now + wait - 1) > 0)
    #expect(ledger.wait(of: Self.connection(1), at: now + wait) == 0)
  }

  @Test func `one network with its whole allowance of work leaves another network's intact`() {
    var clients = (0..<200).map { Self.client("192.0.2.\($0)", "hog \($0)") }
    clients += (0..<20).map { Self.client("198.51.\($0).1", "guest \($0)") }
    var ledger = Self.ledger(clients)
    var taken = 0
    // Each connection of the network makes requests in turn, and observes its wait.
    while let next = (1...200).first(where: { ledger.wait(of: Self.connection($0), at: 1) == 0 }) {
      _ = ledger.charge(WorkAmount(steps: 20_000), to: Self.connection(next), at: 1)
      taken += 20_000
    }
    // The most work: the amount before shares are enforced, and the network's share for clients with little work.
    let most = Self.windowSteps * 7 / 8 + Self.windowSteps / 16
    #expect(taken > Self.windowSteps * 7 / 8 && taken <= most + 40_000)
    for number in 201...220 {
      #expect(ledger.charge(WorkAmount(steps: 20_000), to: Self.connection(number), at: 2) == 0)
      #expect(ledger.wait(of: Self.connection(number), at: 3) == 0)
    }
    // The network's clients wait no longer than the window.
    #expect((1...200).allSatisfy { ledger.wait(of: Self.connection($0), at: Self.window + 1) == 0 })
  }

  @Test func `a network's share is enforced only while the server is busy`() {
    // A company network: a thousand users behind one address, each with a thousandth of the network's work.
    let clients = (0..<1_000).map { Self.client("192.0.2.1", "user \($0)") }
    var ledger = Self.ledger(clients)
    let each = Self.windowSteps * 3 / 4 / 1_000
    for number in 1...1_000 {
      #expect(ledger.charge(WorkAmount(steps: each), to: Self.connection(number), at: 1) == 0)
    }
    #expect(ledger.wait(of: .requests(Self.client("192.0.2.1")), at: 2) == 0)
    // Now others make the server busy: the address is over its share, from which its clients are served while some is
    // left.
    ledger.join(ConnectionID(rawValue: 2_000), as: Self.client("203.0.113.1"), at: 2)
    _ = ledger.charge(WorkAmount(steps: Self.windowSteps / 4), to: Self.connection(2_000), at: 2)
    let served = (1...1_000).prefix { number in
      ledger.wait(of: Self.connection(number), at: 3) == 0
        && ledger.charge(WorkAmount(steps: each), to: Self.connection(number), at: 3) >= 0
    }
    #expect(served.count == Self.windowSteps / 32 / each - 3, "until a client has a fourth of what is left")
    #expect(ledger.wait(of: Self.connection(1_000), at: 3) > 0)
    #expect(ledger.wait(of: .requests(Self.client("192.0.99.1")), at: 3) == 0)
  }

  @Test func `a publisher with many listeners is limited only when the machine is busy`() {
    var ledger = Self.ledger([Self.client("192.0.2.1", "publisher")])
    // 4,000 writes of 200 bytes in a second to 1,000 listeners: four million deliveries.
    for millisecond in 0..<10_000 {
      let now = Int64(millisecond) * 1_000_000
      for _ in 0..<4 {
        #expect(ledger.charge(WorkAmount(steps: 3 * 1_000), to: Self.connection(1), at: now) == 0)
      }
    }
  }

  @Test func `administrators and small work are not charged, and idle clients are dropped`() {
    var administrator = Self.client("192.0.2.1")
    administrator.isAdministrator = true
    var ledger = Self.ledger([administrator, Self.client("192.0.2.2")])
    #expect(ledger.charge(WorkAmount(steps: .max), to: Self.connection(1), at: 0) == 0)
    #expect(ledger.charge(WorkAmount(steps: 999), to: Self.connection(2), at: 0) == 0)
    #expect(ledger.charge(WorkAmount(steps: .max), to: Self.connection(3), at: 0) == 0, "nobody knows it")
    #expect(ledger.payerCount == 0 && ledger.allowanceCount == 0)
    for number in 0..<100 {
      _ = ledger.charge(WorkAmount(steps: 5_000), to: .requests(Self.client("192.0.2.2", "\(number)")), at: 0)
    }
    #expect(ledger.payerCount == 100 && ledger.allowanceCount == 100)
    _ = ledger.charge(WorkAmount(steps: 5_000), to: Self.connection(2), at: 10 * Self.second)
    #expect(ledger.payerCount == 1 && ledger.allowanceCount == 0)
  }

  @Test(arguments: [Int.max, Int.min, 1 << 40])
  func `no amount overflows, and no wait is endless`(steps: Int) {
    var ledger = Self.ledger([Self.client("192.0.2.1")])
    for now in [0, Self.window, 2 * Self.window] {
      _ = ledger.charge(WorkAmount(steps: steps), to: Self.connection(1), at: now)
    }
    let bound = Int64(QuotaLimits.debtSecondsMax) * Self.second
    #expect(ledger.wait(of: Self.connection(1), at: 3 * Self.window) <= bound)
    #expect(ledger.wait(of: Self.connection(1), at: 3 * Self.window + bound) == 0)
  }
}
