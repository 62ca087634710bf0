import HearthEngine
import HearthTree
import Testing

@testable import HearthGateway

/// Tests of the shares within a network: which clients wait after others have used it up, with a simulated clock.
@Suite struct WorkWindowTests {
  private static let window = QuotaLimits.standard.workWindowMilliseconds * 1_000_000
  /// The steps that all clients may use in one window.
  private static let windowSteps =
    QuotaLimits.standard.workPerSecond * Int(QuotaLimits.standard.workWindowMilliseconds) / 1_000

  private static func payer(_ number: Int) -> WorkLedger.Payer { .connection(ConnectionID(rawValue: UInt64(number))) }

  private static func ledger(_ clients: [ShareClaimant]) -> WorkLedger {
    var limits = QuotaLimits.standard
    // Only shared limits matter here.
    limits.connectionWorkPerSecond = 1 << 40
    var ledger = WorkLedger(limits)
    for (number, client) in clients.enumerated() {
      ledger.join(ConnectionID(rawValue: UInt64(number + 1)), as: client, at: 0)
    }
    return ledger
  }

  private static func client(_ address: String, _ uid: String? = nil) -> ShareClaimant {
    ShareClaimant(account: uid, network: NetworkPrefix(address: address))
  }

  @Test(arguments: ["192.0.2.1", "192.0.2.77"])
  func `a client that causes little does not wait for a neighbour that fills the window`(address: String) {
    var ledger = Self.ledger([
      Self.client("192.0.2.1", "hog"), Self.client(address, "ann"), Self.client(address), Self.client(address),
    ])
    for number in 0..<40 {
      let now = Int64(number) * Self.window
      while ledger.wait(of: Self.payer(1), at: now) == 0 {
        _ = ledger.charge(WorkAmount(steps: 50_000), to: Self.payer(1), at: now)
      }
      for small in 2...4 {
        #expect(ledger.wait(of: Self.payer(small), at: now) == 0)
        #expect(ledger.charge(WorkAmount(steps: 5_000), to: Self.payer(small), at: now) == 0)
      }
      let requests = WorkLedger.Payer.requests(Self.client("192.0.2.99"))
      #expect(ledger.wait(of: requests, at: now) == 0)
    }
  }

  @Test(arguments: [false, true])
  func `ten thousand sockets of one network get no more than its share while the total is nearly used up`(
    areSignedIn: Bool
  ) {
    let clients = (0..<10_000).map { Self.client("192.0.2.\($0 % 250)", areSignedIn ? "user \($0)" : nil) }
    var ledger = Self.ledger(clients)
    let steps = 5_000
    for number in 0..<5 {
      let now = Int64(number) * Self.window
      var taken = 0
      for round in 0..<3 {
        for socket in 1...clients.count where ledger.wait(of: Self.payer(socket), at: now + Int64(round)) == 0 {
          _ = ledger.charge(WorkAmount(steps: steps), to: Self.payer(socket), at: now + Int64(round))
          taken += steps
        }
      }
      #expect(taken >= Self.windowSteps * 7 / 8)
      #expect(taken <= Self.windowSteps * 7 / 8 + Self.windowSteps / 16 + 2 * steps)
    }
  }

  @Test func `a socket that used its share waits for one that did not`() {
    let hogs = (0..<100).map { Self.client("192.0.2.1", "hog \($0)") }
    var ledger = Self.ledger(hogs + [Self.client("192.0.2.1", "ann")])
    let ann = Self.payer(hogs.count + 1)
    for number in 0..<20 {
      let now = Int64(number) * Self.window
      for socket in 1...hogs.count where ledger.wait(of: Self.payer(socket), at: now) == 0 {
        _ = ledger.charge(WorkAmount(steps: 40_000), to: Self.payer(socket), at: now)
      }
      guard number >= 10 else { continue }
      // By now each has caused so much work that the rest of the network's share is for others.
      #expect(ledger.wait(of: ann, at: now) == 0)
    }
  }

  @Test func `records of a network's clients are limited, and end when their debt is paid`() {
    var limits = QuotaLimits.standard
    limits.workMembersMax = 1_000
    var window = WorkWindow(limits)
    _ = window.advance(to: 0, stepsPerSecond: 16_000_000)
    for number in 0..<5_000 {
      let client = Self.client("192.0.2.1", "\(number)")
      window.add(5_000, of: .requests(client), client)
      #expect(window.memberCount <= 1_000)
    }
    #expect(window.memberCount >= 500)
    // A client pays off a share of 250,000 steps in a window; there are as many windows as clients.
    _ = window.advance(to: 10 * Self.window, stepsPerSecond: 16_000_000)
    #expect(window.memberCount >= 500)
    _ = window.advance(to: 40 * Self.window, stepsPerSecond: 16_000_000)
    #expect(window.memberCount == 0)
  }
}
