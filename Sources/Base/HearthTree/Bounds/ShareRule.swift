/// The rule by which clients share a bound that any of them could use up alone.
///
/// Below seven eighths of the bound, shares do not bind: offices and mobile carriers put thousands of users behind one
/// address. Of the rest, a client gets more only while it holds little: its connection, its account and each of its
/// networks at most a fixed part of the free amount. A client that holds nothing yet gets its first unit while one is
/// free. The last part is for administrators alone. Held amounts are never taken away: the heaviest clients are refused
/// more.
///
/// The smaller the free amount, the smaller the shares, so that a network with most of the bound leaves a share to each
/// of many others (dynamic thresholds: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998).
package enum ShareRule {
  /// The levels at which a client is counted.
  package enum Level: Int, Sendable, CaseIterable {
    case connection, account
    /// An IPv4 address, or a /64 of IPv6.
    case network
    /// A /24 of IPv4, or a /56 of IPv6.
    case site
    /// A /48 of IPv6.
    case provider

    /// The divisor of the free amount that gives the most a client of this level may hold.
    var divisor: Int {
      switch self {
      case .connection, .account: 64
      case .network: 32
      case .site, .provider: 16
      }
    }

    /// The number of turns that the clients of this level have together.
    var turns: Int {
      switch self {
      case .connection, .account, .network: 1
      case .site: 2
      case .provider: 4
      }
    }
  }

  /// The part up to which shares do not bind.
  package static func unrestrictedPart(of max: Int) -> Int { max - max / 8 }

  /// The part that clients other than administrators may have together.
  package static func clientPart(of max: Int) -> Int { max - max / 64 }

  /// Returns true when the bound is nearly used up, so that shares bind.
  package static func isNearlyUsedUp(_ used: Int, of max: Int) -> Bool { used > unrestrictedPart(of: max) }

  /// The fixed part of a bound that a client of a level may hold while shares bind.
  package static func part(of max: Int, at level: Level) -> Int { max / level.divisor }

  /// Returns true when a client gets `amount` more.
  ///
  /// - Parameters:
  ///   - used: the amount that all clients hold.
  ///   - unit: the amount that a client without any gets while it is free.
  ///   - held: the client's amount at each level that it has.
  package static func admits(
    _ amount: Int, used: Int, of max: Int, unit: Int = 1, isAdministrator: Bool = false,
    held: (Level) -> Int?
  ) -> Bool {
    guard amount >= 0, used >= 0 else { return false }
    if isAdministrator { return amount <= max - used }
    if amount <= unrestrictedPart(of: max) - used { return true }
    let free = clientPart(of: max) - used
    guard amount <= free else { return false }
    return Level.allCases.allSatisfy { level in
      guard let held = held(level) else { return true }
      return (held == 0 && amount <= unit) || amount <= free / level.divisor - held
    }
  }
}
