/// The rule by which clients share a limited amount that one of them could use up alone.
///
/// Below seven eighths of the limit, clients are not restricted, because offices and mobile carriers have thousands of
/// users behind one address. Above that, a client gets more only while its connection, its account and each of its
/// networks hold at most a fixed part of the free amount. A client that holds nothing gets its first unit as long as
/// one is free. The last part is reserved for administrators. Amounts that a client holds are not taken away; clients
/// that hold most are refused more.
///
/// The smaller the free amount, the smaller the shares, so that a network that holds most of the limit leaves a share
/// to each of many others (dynamic thresholds: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998).
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

    /// The divisor of the free amount that gives the most that a client may hold at this level.
    var divisor: Int {
      switch self {
      case .connection, .account: 64
      case .network: 32
      case .site, .provider: 16
      }
    }

    /// The weight of this level when clients take turns: the number of turns that all connections of, for example, one
    /// network have together.
    var turns: Int {
      switch self {
      case .connection, .account, .network: 1
      case .site: 2
      case .provider: 4
      }
    }
  }

  /// Returns the part of a limit below which clients are not restricted.
  package static func unrestrictedPart(of max: Int) -> Int { max - max / 8 }

  /// Returns the part of a limit that clients other than administrators may hold together.
  package static func clientPart(of max: Int) -> Int { max - max / 64 }

  /// Returns true when the limit is nearly used up, so that clients are restricted.
  package static func isNearlyUsedUp(_ used: Int, of max: Int) -> Bool { used > unrestrictedPart(of: max) }

  /// Returns the fixed part of a limit that counts as the fair share of a client at a level.
  package static func part(of max: Int, at level: Level) -> Int { max / level.divisor }

  /// Returns true when a client may get `amount` more.
  ///
  /// - Parameters:
  /// - used: The amount that all clients hold together.
  /// - unit: The amount that a client that holds nothing gets while it is free.
  /// - held: Returns the amount that the client holds at a level; nil when it does not have the level.
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
