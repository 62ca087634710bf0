import HearthSystem
import HearthTree

/// The client that an allowance belongs to beyond one connection.
enum AllowanceOwner: Hashable, Sendable {
  case account(String)
  /// The signed-out clients of an IPv4 address, or of a /64 of IPv6.
  case address(NetworkPrefix)

  /// Creates the owner for a client's requests over HTTP, and its ended connections.
  ///
  /// - Returns: nil for an administrator, and for a signed-out client whose network is not known.
  init?(_ client: ShareClaimant) {
    guard !client.isAdministrator else { return nil }
    if let account = client.account {
      self = .account(account)
    } else if let network = client.network {
      self = .address(network)
    } else {
      return nil
    }
  }
}

/// The allowances of accounts and addresses that are not full. A connection's own is in ``WorkLedger``.
struct WorkAllowances: Sendable {
  private var buckets: [AllowanceOwner: TokenBucket] = [:]
  private let countMax: Int

  /// - Parameter countMax: the maximum number of recorded allowances; beyond it, those with the least debt are dropped.
  init(countMax: Int) { self.countMax = max(2, countMax) }

  /// The number of recorded allowances.
  var count: Int { buckets.count }

  /// The owner's allowance; a full one when none is recorded.
  subscript(owner: AllowanceOwner) -> TokenBucket { buckets[owner] ?? TokenBucket() }

  /// Charges work to an owner's allowance.
  mutating func charge(_ amount: WorkAmount, perSecond rate: Int, to owner: AllowanceOwner, at now: Int64) {
    buckets[owner, default: TokenBucket()].charge(amount.steps, perSecond: rate, at: now)
    trim(at: now)
  }

  /// Charges the amount that refills in so many nanoseconds.
  mutating func charge(nanoseconds: Int64, to owner: AllowanceOwner, at now: Int64) {
    guard nanoseconds > 0 else { return }
    buckets[owner, default: TokenBucket()].charge(nanoseconds: nanoseconds, at: now)
    trim(at: now)
  }

  /// Removes allowances that are full.
  mutating func sweep(at now: Int64) { buckets = buckets.filter { !$0.value.isFull(at: now) } }

  /// Drops many allowances at once when there are too many, so that the average cost is low.
  private mutating func trim(at now: Int64) {
    guard buckets.count > countMax else { return }
    sweep(at: now)
    guard buckets.count > countMax / 2 else { return }
    let heaviest = buckets.sorted { $0.value.timeUntilFull(at: now) > $1.value.timeUntilFull(at: now) }.prefix(
      countMax / 2)
    buckets = Dictionary(uniqueKeysWithValues: heaviest.map { ($0.key, $0.value) })
  }
}
