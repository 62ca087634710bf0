/// A limit that clients share, with the amounts that are held by connection, account and network. ``ShareRule`` decides
/// on requests for more.
///
/// A claim is created once for a connection; admitting and releasing amounts then read a few numbers. A claim needs at
/// most four counters, however much it holds. The type reads no clock, takes no lock and does not block.
package struct FairShareLimit: Sendable {
  /// The account or network to which a tally belongs.
  private enum Holder: Hashable, Sendable {
    case account(String)
    case network(NetworkPrefix)
  }

  private struct Tally: Sendable {
    var holder: Holder
    var held = 0
    var claimCount = 0
  }

  /// A connection's part of the limit. It can be used only with the limit that created it, until
  /// ``FairShareLimit/leave(_:)``.
  package struct Claim: Sendable {
    /// Indexes of the tallies by level, except for the connection's, which is ``held``; -1 for none.
    fileprivate var places = SIMD4<Int32>(repeating: -1)
    fileprivate var isAdministrator = false
    /// The amount that the claim holds itself.
    package fileprivate(set) var held = 0

    /// Creates the claim of a client that holds nothing and is not counted yet.
    package init() {}
  }

  /// The amount that all clients may hold together. Lowering it does not take amounts away.
  package var max: Int
  /// The amount that a client that holds nothing gets while it is free.
  package let unit: Int
  /// The amount that all clients hold together.
  package private(set) var used = 0

  private var tallies: [Tally] = []
  /// The indexes of unused elements of ``tallies``.
  private var empty: [Int32] = []
  private var places: [Holder: Int32] = [:]

  /// Creates a limit of which nothing is held.
  package init(max: Int, unit: Int = 1) { (self.max, self.unit) = (Swift.max(0, max), unit) }

  /// The number of tallies.
  package var tallyCount: Int { places.count }

  /// True when the limit is nearly used up, so that clients are restricted.
  package var isNearlyUsedUp: Bool { ShareRule.isNearlyUsedUp(used, of: max) }

  // MARK: Claims

  /// The index of the account's tally in a claim; those of its networks follow, the narrowest first.
  private static let accountIndex = 0

  /// Begins to count a client.
  package mutating func join(_ claimant: ShareClaimant) -> Claim {
    var claim = Claim()
    claim.isAdministrator = claimant.isAdministrator
    for (lane, holder) in Self.holders(of: claimant).enumerated() {
      if let holder { claim.places[lane] = enter(holder) }
    }
    return claim
  }

  /// Returns the holders of a client's tallies, in the order of a claim's indexes; nil for the account of a signed-out
  /// client.
  private static func holders(of claimant: ShareClaimant) -> [Holder?] {
    [claimant.account.map { .account($0) }] + (claimant.network?.widening ?? []).map { .network($0) }
  }

  /// Moves a claim with its amount to another user, or to none.
  package mutating func move(_ claim: inout Claim, to account: String?, isAdministrator: Bool = false) {
    claim.isAdministrator = isAdministrator
    let before = claim.places[Self.accountIndex]
    claim.places[Self.accountIndex] = account.map { enter(.account($0)) } ?? -1
    let place = Int(claim.places[Self.accountIndex])
    if place >= 0 { tallies[place].held += claim.held }
    withdraw(claim.held, from: before)
  }

  /// Releases the claim's whole amount, and ends it.
  package mutating func leave(_ claim: inout Claim) {
    used -= claim.held
    for lane in claim.places.indices { withdraw(claim.held, from: claim.places[lane]) }
    claim = Claim()
  }

  private mutating func enter(_ holder: Holder) -> Int32 {
    if let place = places[holder] {
      tallies[Int(place)].claimCount += 1
      return place
    }
    let tally = Tally(holder: holder, claimCount: 1)
    let place: Int32
    if let empty = empty.popLast() {
      place = empty
      tallies[Int(place)] = tally
    } else {
      place = Int32(tallies.count)
      tallies.append(tally)
    }
    places[holder] = place
    return place
  }

  private mutating func withdraw(_ held: Int, from place: Int32) {
    guard place >= 0 else { return }
    tallies[Int(place)].held -= held
    tallies[Int(place)].claimCount -= 1
    guard tallies[Int(place)].claimCount == 0 else { return }
    places[tallies[Int(place)].holder] = nil
    empty.append(place)
    if places.isEmpty { (tallies, empty) = ([], []) }
  }

  // MARK: Amounts

  /// Returns true when the claim may hold `amount` more.
  package func admits(_ amount: Int = 1, to claim: Claim) -> Bool {
    ShareRule.admits(amount, used: used, of: max, unit: unit, isAdministrator: claim.isAdministrator) {
      held(claim, $0)
    }
  }

  /// Returns true when the claim, its account or its network, by the level, holds more than its fair share of the
  /// limit.
  package func exceedsGuaranteedPart(_ claim: Claim, at level: ShareRule.Level) -> Bool {
    held(claim, level).map { $0 > ShareRule.part(of: max, at: level) } ?? false
  }

  /// Returns true when the account or a network of a client without a claim holds more than its fair share of the
  /// limit.
  package func exceedsGuaranteedPart(_ claimant: ShareClaimant, at level: ShareRule.Level) -> Bool {
    let (holders, lane) = (Self.holders(of: claimant), level.rawValue - 1)
    guard holders.indices.contains(lane), let holder = holders[lane], let place = places[holder] else { return false }
    return tallies[Int(place)].held > ShareRule.part(of: max, at: level)
  }

  /// Returns the largest of the amounts of the claim itself, its account and its networks, each divided by its
  /// ``ShareRule/Level/turns``. Among clients that take turns, the one with the lowest result is next.
  package func heaviest(of claim: Claim) -> Int {
    ShareRule.Level.allCases.reduce(0) { Swift.max($0, (held(claim, $1) ?? 0) / $1.turns) }
  }

  private func held(_ claim: Claim, _ level: ShareRule.Level) -> Int? {
    guard level != .connection else { return claim.held }
    let place = Int(claim.places[level.rawValue - 1])
    return place < 0 ? nil : tallies[place].held
  }

  /// Adds `amount` to the claim if it may hold that much more. Returns false otherwise.
  package mutating func admit(_ amount: Int = 1, to claim: inout Claim) -> Bool {
    guard admits(amount, to: claim) else { return false }
    add(amount, to: &claim)
    return true
  }

  /// Adds `amount` to the claim without a check, for an amount that is held already.
  package mutating func add(_ amount: Int, to claim: inout Claim) {
    used += amount
    claim.held += amount
    for lane in claim.places.indices where claim.places[lane] >= 0 { tallies[Int(claim.places[lane])].held += amount }
  }

  /// Releases `amount` of the claim.
  package mutating func release(_ amount: Int = 1, of claim: inout Claim) { add(-amount, to: &claim) }
}
