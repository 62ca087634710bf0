import RandomTestKit
import Testing

@testable import HearthTree

@Suite struct NetworkPrefixTests {
  @Test(
    arguments: [
      ([192, 0, 2, 1], ["192.0.2.1", "192.0.2.0/24"]),
      (
        [0x20, 1, 0xD, 0xB8, 1, 2, 3, 0x44, 1, 2, 3, 4, 5, 6, 7, 8],
        ["2001:db8:102:344::/64", "2001:db8:102:300::/56", "2001:db8:102:0::/48"]
      ),
      ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, 9], ["192.0.2.9", "192.0.2.0/24"]),
      ([], [""]), ([1, 2, 3], [""]), (Array(repeating: 7, count: 17), [""]),
    ] as [([UInt8], [String])])
  func `an address gives its network and the larger ones that contain it`(bytes: [UInt8], texts: [String]) {
    let network = NetworkPrefix(addressBytes: bytes)
    #expect(network.widening.map(\.text) == texts)
    #expect(network.widest == network.widening.last)
    #expect((network == .unknown) == (texts == [""]))
  }
}

@Suite struct FairShareLimitTests {
  private static func network(_ third: UInt8, _ last: UInt8 = 1) -> NetworkPrefix {
    NetworkPrefix(addressBytes: [10, 0, third, last])
  }

  /// Returns a /64 network prefix of provider, site and network.
  private static func ipv6Network(_ provider: UInt8, _ site: UInt8 = 0, _ network: UInt8 = 0) -> NetworkPrefix {
    NetworkPrefix(addressBytes: [0x20, 1, 0xD, 0xB8, 0, provider, site, network] + Array(repeating: 1, count: 8))
  }

  /// Takes as much as a claimant can get, in one claim or in one for each unit, and returns the amount.
  private static func takeAll(_ bound: inout FairShareLimit, inOneClaim: Bool, _ claimant: (Int) -> ShareClaimant)
    -> Int
  {
    var taken = 0
    var claim = bound.join(claimant(0))
    while bound.admit(to: &claim) {
      taken += 1
      if !inOneClaim { claim = bound.join(claimant(taken)) }
    }
    return taken
  }

  @Test func `a single client gets the whole amount until shares apply`() {
    var bound = FairShareLimit(max: 1_024)
    #expect(Self.takeAll(&bound, inOneClaim: true) { _ in ShareClaimant(network: Self.network(1)) } == 896)
    #expect(bound.isNearlyUsedUp == false && bound.used == 896)
  }

  @Test(arguments: [false, true])
  func `a network that takes all it can leaves each of many others a share`(isIPv6: Bool) {
    func claimant(_ network: UInt8, _ number: Int) -> ShareClaimant {
      // Like an attacker with a whole /24 or /48, with another address each time.
      let (low, high) = (UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8))
      return ShareClaimant(network: isIPv6 ? Self.ipv6Network(network, high, low) : Self.network(network, low))
    }
    var bound = FairShareLimit(max: 100_000)
    #expect(Self.takeAll(&bound, inOneClaim: false) { claimant(0, $0) } == 87_500)
    var shares: [Int] = []
    for network in 1...20 { shares.append(Self.takeAll(&bound, inOneClaim: false) { claimant(UInt8(network), $0) }) }
    #expect(shares[0] > 600 && shares[19] > 150, "\(shares)")
    // Beside twenty such networks a new one still has its share, and so has one of its connections.
    var claim = bound.join(claimant(200, 0))
    let admitted = (0..<30).count { _ in bound.admit(to: &claim) }
    #expect(admitted == 30)
  }

  @Test func `a connection and an account get less than an address, and an address less than its /24`() {
    let hog = ShareClaimant(network: Self.network(0))
    func takes(inOneClaim: Bool, _ claimant: (Int) -> ShareClaimant) -> Int {
      var bound = FairShareLimit(max: 100_000)
      _ = Self.takeAll(&bound, inOneClaim: true) { _ in hog }
      return Self.takeAll(&bound, inOneClaim: inOneClaim, claimant)
    }
    let connection = takes(inOneClaim: true) { _ in ShareClaimant(network: Self.network(1)) }
    let account = takes(inOneClaim: false) { ShareClaimant(account: "ann", network: Self.network(UInt8($0 % 200 + 1))) }
    let address = takes(inOneClaim: false) { _ in ShareClaimant(network: Self.network(1)) }
    let block = takes(inOneClaim: false) { ShareClaimant(network: Self.network(1, UInt8($0 % 256))) }
    #expect(connection < address && account < address && address < block)
  }

  @Test func `the last part of the total is for administrators`() {
    var bound = FairShareLimit(max: 6_400)
    for network in 1...250 {
      _ = Self.takeAll(&bound, inOneClaim: false) { _ in ShareClaimant(network: Self.network(UInt8(network))) }
    }
    #expect(bound.used <= 6_300)
    var administrator = bound.join(ShareClaimant(network: Self.network(1), isAdministrator: true))
    let isAdmitted = bound.admit(6_400 - bound.used, to: &administrator)
    #expect(isAdmitted && bound.used == 6_400 && !bound.admits(to: administrator))
  }

  @Test func `a client that has nothing gets its first unit, also of a small total`() {
    for max in 1...20 {
      var bound = FairShareLimit(max: max)
      var taken = 0
      for network in 1...40 {
        var claim = bound.join(ShareClaimant(network: Self.network(UInt8(network))))
        if bound.admit(to: &claim) { taken += 1 }
      }
      #expect(taken == max)
    }
    var bytes = FairShareLimit(max: 8_000, unit: 100)
    var hog = bytes.join(ShareClaimant(network: Self.network(1)))
    while bytes.admit(50, to: &hog) {}
    var other = bytes.join(ShareClaimant(network: Self.network(2)))
    let isAdmitted = bytes.admit(100, to: &other)
    #expect(isAdmitted && !bytes.admits(100, to: other))
  }

  @Test func `arbitrary numbers never trap`() {
    var bound = FairShareLimit(max: .max)
    var claim = bound.join(ShareClaimant(account: "", network: .unknown))
    let isAdmitted = bound.admit(.max / 2, to: &claim)
    #expect(isAdmitted && !bound.admits(.max, to: claim) && !bound.admits(-1, to: claim))
    var none = FairShareLimit(max: -1)
    let nothing = none.join(ShareClaimant(isAdministrator: true))
    #expect(!none.admits(to: nothing))
  }

  /// Compares the shares with the simplest equivalent: a list of claims that is summed up each time.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `the shares agree with a list of claims`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let max = [7, 64, 500][Int(random.next() % 3)]
    var bound = FairShareLimit(max: max, unit: 2)
    var claims: [(claimant: ShareClaimant, claim: FairShareLimit.Claim, held: Int)] = []
    func held(_ isCounted: (ShareClaimant) -> Bool) -> Int {
      claims.reduce(0) { isCounted($1.claimant) ? $0 + $1.held : $0 }
    }
    for _ in 0..<2_000 {
      let roll = random.next() % 10
      if roll == 0 || claims.isEmpty {
        let network = Self.ipv6Network(
          UInt8(random.next() % 3), UInt8(random.next() % 2), UInt8(random.next() % 2))
        let claimant = ShareClaimant(
          account: random.next() % 2 == 0 ? nil : "\(random.next() % 3)",
          network: random.next() % 5 == 0 ? nil : network, isAdministrator: random.next() % 9 == 0)
        claims.append((claimant, bound.join(claimant), 0))
        continue
      }
      let index = Int(random.next() % UInt64(claims.count))
      let (claimant, _, own) = claims[index]
      switch roll {
      case 1:
        bound.leave(&claims[index].claim)
        claims.remove(at: index)
      case 2:
        let account: String? = random.next() % 2 == 0 ? nil : "\(random.next() % 3)"
        claims[index].claimant.account = account
        bound.move(&claims[index].claim, to: account, isAdministrator: claimant.isAdministrator)
      case 3 where own > 0:
        let amount = Int(random.next() % UInt64(own)) + 1
        claims[index].held -= amount
        bound.release(amount, of: &claims[index].claim)
      default:
        let amount = Int(random.next() % 5) + 1
        let networks = claimant.network?.widening
        let expected = ShareRule.admits(
          amount, used: held { _ in true }, of: max, unit: 2, isAdministrator: claimant.isAdministrator
        ) { level in
          switch level {
          case .connection: return own
          case .account: return claimant.account.map { name in held { $0.account == name } }
          default:
            let wanted = networks?[level.rawValue - ShareRule.Level.network.rawValue]
            return wanted.map { wanted in held { $0.network?.widening.contains(wanted) == true } }
          }
        }
        let isAdmitted = bound.admit(amount, to: &claims[index].claim)
        #expect(isAdmitted == expected)
        if expected { claims[index].held += amount }
      }
      #expect(bound.used == held { _ in true } && bound.used <= max)
    }
    for index in claims.indices { bound.leave(&claims[index].claim) }
    #expect(bound.used == 0 && bound.tallyCount == 0)
  }
}
