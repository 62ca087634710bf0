import HearthSystem
import HearthTree

/// The client that an allowance belongs to beyond one connection.
enum WorkHolder: Hashable, Sendable {
  case account(String)
  /// The signed-out clients of an IPv4 address, or of a /64 of IPv6.
  case address(NetworkPrefix)

  /// The holder of what a client's requests over HTTP, and its connections that have ended, have caused.
  ///
  /// - Returns: `nil` for an administrator, and for a signed-out client whose network is not known.
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

/// The allowances of accounts and addresses that are not full.
struct WorkAllowances: Sendable {
  private var buckets: [WorkHolder: TokenBucket] = [:]
  private let countMax: Int

  /// - Parameter countMax: the most allowances that are kept; beyond it, those that owe least are forgotten.
  init(countMax: Int) { self.countMax = max(2, countMax) }

  /// Allowances that are kept.
  var count: Int { buckets.count }

  /// A holder's allowance; a full one where none is kept.
  subscript(holder: WorkHolder) -> TokenBucket { buckets[holder] ?? TokenBucket() }

  /// Charges work to a holder's allowance.
  mutating func charge(_ amount: WorkAmount, perSecond rate: Int, to holder: WorkHolder, at now: Int64) {
    buckets[holder, default: TokenBucket()].charge(amount.steps, perSecond: rate, at: now)
    trim(at: now)
  }

  /// Charges what comes back in so many nanoseconds.
  mutating func charge(nanoseconds: Int64, to holder: WorkHolder, at now: Int64) {
    guard nanoseconds > 0 else { return }
    buckets[holder, default: TokenBucket()].charge(nanoseconds: nanoseconds, at: now)
    trim(at: now)
  }

  /// Forgets allowances that are full.
  mutating func sweep(at now: Int64) { buckets = buckets.filter { !$0.value.isFull(at: now) } }

  /// Makes room for as many again when there are too many, so that each of them costs little.
  private mutating func trim(at now: Int64) {
    guard buckets.count > countMax else { return }
    sweep(at: now)
    guard buckets.count > countMax / 2 else { return }
    let heaviest = buckets.sorted { $0.value.timeUntilFull(at: now) > $1.value.timeUntilFull(at: now) }.prefix(
      countMax / 2)
    buckets = Dictionary(uniqueKeysWithValues: heaviest.map { ($0.key, $0.value) })
  }
}
