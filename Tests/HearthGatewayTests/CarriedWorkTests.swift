import HearthEngine
import HearthTree
import Testing

@testable import HearthGateway

/// Tests of charging work to accounts and addresses beyond one connection, with a simulated clock.
@Suite struct CarriedWorkTests {
  private static let second: Int64 = 1_000_000_000
  private static let rate = QuotaLimits.standard.connectionWorkPerSecond

  private static func id(_ number: Int) -> ConnectionID { ConnectionID(rawValue: UInt64(number)) }

  private static func client(_ address: String, _ uid: String? = nil) -> ShareClaimant {
    ShareClaimant(account: uid, network: NetworkPrefix(address: address))
  }

  private static func seconds(_ count: Int) -> WorkAmount { WorkAmount(steps: count * rate) }

  @Test(arguments: [nil, "ann"])
  func `a connection's debt at its end delays the next one of its account or address`(uid: String?) {
    let client = Self.client("192.0.2.1", uid)
    var ledger = WorkLedger()
    #expect(ledger.join(Self.id(1), as: client, at: 0) == 0)
    _ = ledger.charge(Self.seconds(10), to: .connection(Self.id(1)), at: 0)
    ledger.leave(Self.id(1), at: Self.second)
    #expect(ledger.join(Self.id(2), as: client, at: Self.second) == 8 * Self.second)
    #expect(ledger.wait(of: .requests(client), at: Self.second) == 8 * Self.second, "and by requests over HTTP")
    #expect(ledger.join(Self.id(3), as: Self.client("192.0.2.2"), at: Self.second) == 0)
    #expect(ledger.join(Self.id(4), as: Self.client("192.0.2.1", "bob"), at: Self.second) == 0)
    // The debt is charged once, regardless of reconnects, and only until it is paid.
    ledger.leave(Self.id(2), at: 2 * Self.second)
    #expect(ledger.join(Self.id(5), as: client, at: 2 * Self.second) == 7 * Self.second)
    ledger.leave(Self.id(5), at: 9 * Self.second)
    #expect(ledger.join(Self.id(6), as: client, at: 9 * Self.second) == 0)
  }

  @Test(arguments: [nil, "ann"])
  func `a client that reconnects after each second's allowance gets no more than one that stays`(uid: String?) {
    let client = Self.client("192.0.2.1", uid)
    var ledger = WorkLedger()
    var (taken, now) = (0, Int64(0))
    for number in 1...1_000 {
      let wait = ledger.join(Self.id(number), as: client, at: now)
      now += wait
      guard now < 10 * Self.second else { break }
      _ = ledger.charge(Self.seconds(1), to: .connection(Self.id(number)), at: now)
      taken += 1
      ledger.leave(Self.id(number), at: now)
    }
    #expect(taken <= 12, "ten seconds, and a second's worth at once at the beginning and the end")
  }

  @Test func `the debt of one of many clients behind an address delays the others little`() {
    let office = Self.client("192.0.2.1")
    var ledger = WorkLedger()
    for number in 1...100 { ledger.join(Self.id(number), as: office, at: 0) }
    _ = ledger.charge(Self.seconds(60), to: .connection(Self.id(1)), at: 0)
    ledger.leave(Self.id(1), at: 0)
    #expect(ledger.join(Self.id(200), as: office, at: 0) == 0)
    #expect((2...100).allSatisfy { ledger.wait(of: .connection(Self.id($0)), at: 0) == 0 })
    // All clients reconnect at once, each after as much work as an app's start takes.
    var storm = WorkLedger()
    for number in 1...1_000 {
      storm.join(Self.id(number), as: office, at: 0)
      _ = storm.charge(WorkAmount(steps: Self.rate / 250), to: .connection(Self.id(number)), at: 0)
    }
    for number in 1...1_000 { storm.leave(Self.id(number), at: 0) }
    #expect((1_001...2_000).allSatisfy { storm.join(Self.id($0), as: office, at: 0) == 0 })
  }

  @Test func `signing in or out on a connection charges each identity for its own work, once`() {
    let (nobody, ann) = (Self.client("192.0.2.1"), Self.client("192.0.2.1", "ann"))
    var ledger = WorkLedger()
    ledger.join(Self.id(1), as: nobody, at: 0)
    _ = ledger.charge(Self.seconds(5), to: .connection(Self.id(1)), at: 0)
    for _ in 0..<50 {
      ledger.join(Self.id(1), as: ann, at: 0)
      ledger.join(Self.id(1), as: nobody, at: 0)
    }
    #expect(ledger.wait(of: .connection(Self.id(1)), at: 0) == 4 * Self.second, "the connection owes it still")
    #expect(ledger.wait(of: .requests(nobody), at: 0) == 4 * Self.second)
    #expect(ledger.wait(of: .requests(ann), at: 0) == 0)
    ledger.leave(Self.id(1), at: 0)
    #expect(ledger.wait(of: .requests(nobody), at: 0) == 4 * Self.second)
  }

  @Test func `work that is charged after the connection's end is charged to its client`() {
    let ann = Self.client("192.0.2.1", "ann")
    var ledger = WorkLedger()
    ledger.join(Self.id(1), as: ann, at: 0)
    ledger.leave(Self.id(1), at: 0)
    _ = ledger.charge(Self.seconds(5), to: .connection(Self.id(1)), at: 0)
    #expect(ledger.join(Self.id(2), as: ann, at: 0) == 4 * Self.second)
    for number in 3..<30_000 {
      ledger.join(Self.id(number), as: ann, at: 0)
      ledger.leave(Self.id(number), at: 0)
    }
    #expect(ledger.endedCount <= 2 * QuotaLimits.endedConnectionsMax)
    #expect(ledger.charge(Self.seconds(5), to: .connection(Self.id(1)), at: 0) == 0, "it is not known any more")
  }

  @Test func `HTTP requests of a user, and of an address without a user, have an allowance each`() {
    var ledger = WorkLedger()
    let clients = [Self.client("192.0.2.1", "u"), Self.client("192.0.2.2")]
    let quiet = [Self.client("192.0.2.1"), Self.client("192.0.2.2", "v"), Self.client("192.0.2.3")]
    for client in clients { _ = ledger.charge(Self.seconds(3), to: .requests(client), at: 0) }
    for client in clients { #expect(ledger.wait(of: .requests(client), at: Self.second) == Self.second) }
    for client in quiet { #expect(ledger.wait(of: .requests(client), at: Self.second) == 0) }
    #expect(
      ledger.wait(of: .requests(Self.client("198.51.100.1", "u")), at: Self.second) == Self.second,
      "a user has one allowance, wherever from")
  }

  @Test func `the number of recorded debts is limited, and the greatest ones stay`() {
    var allowances = WorkAllowances(countMax: 100)
    for number in 0..<1_000 {
      let amount = WorkAmount(steps: 1_000 * (number % 100 == 7 ? 1_000 : 1 + number % 10))
      allowances.charge(amount, perSecond: 1_000, to: .account("\(number)"), at: 0)
      #expect(allowances.count <= 100)
    }
    #expect((0..<10).allSatisfy { allowances[.account("\(100 * $0 + 7)")].wait(at: 0) > 0 })
    allowances.sweep(at: 61 * Self.second)
    #expect(allowances.count == 0)
  }
}
