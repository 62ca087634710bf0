import HearthEngine
import HearthTree

/// The work of all clients in a period: a limit that they share, and the use by each of them.
///
/// Once most of the limit is used up, a connection or an account over its share waits for the next window, and so do
/// the clients of a network over its share. But such a network gets its share once more, in which its members are
/// served in proportion: a client with little work continues, since it did not fill the window. This is at most the
/// network's share in each window, however many members it has.
struct WorkWindow: Sendable {
  private let milliseconds: Int64
  private var bound = FairShareLimit(max: 0)
  private var claims: [WorkLedger.Payer: FairShareLimit.Claim] = [:]
  private var members: NetworkWorkTable
  /// The work of members of networks over their share that was granted in this window.
  private var granted: [NetworkPrefix: Int] = [:]
  private var number: Int64 = 0
  /// The end of the window, in nanoseconds on the monotonic clock.
  private(set) var end: Int64 = 0

  init(_ limits: QuotaLimits) {
    milliseconds = max(1, limits.workWindowMilliseconds)
    members = NetworkWorkTable(countMax: limits.workMembersMax)
  }

  /// The number of clients with work in this window.
  var payerCount: Int { claims.count }

  /// The number of recorded members of networks.
  var memberCount: Int { members.count }

  /// Begins the next window when the last one is over.
  ///
  /// - Returns: true when one has begun.
  mutating func advance(to now: Int64, stepsPerSecond: Int) -> Bool {
    guard now >= end else { return false }
    number += (now - end) / (milliseconds * 1_000_000) + 1
    end = now + milliseconds * 1_000_000
    bound = FairShareLimit(max: Int(clamping: Int64(clamping: stepsPerSecond) * milliseconds / 1_000))
    (claims, granted) = ([:], [:])
    members.sweep(in: number, of: bound.max)
    return true
  }

  /// Adds a client's work.
  mutating func add(_ steps: Int, of payer: WorkLedger.Payer, _ client: ShareClaimant) {
    if bound.isNearlyUsedUp, !mustWait(payer, client) {
      for network in client.network?.widening ?? [] { granted[network, default: 0] += steps }
    }
    var claim = claims[payer] ?? bound.join(client)
    bound.add(steps, to: &claim)
    claims[payer] = claim
    guard let network = client.network else { return }
    members.add(
      steps, of: NetworkWorkTable.Name(payer, client), in: network.widest, window: number, of: bound.max)
  }

  /// Returns true when a client has to wait for the window's end.
  func mustWait(_ payer: WorkLedger.Payer, _ client: ShareClaimant) -> Bool {
    guard bound.isNearlyUsedUp else { return false }
    let claim = claims[payer]
    func exceedsGuaranteedPart(_ level: ShareRule.Level) -> Bool {
      claim.map { bound.exceedsGuaranteedPart($0, at: level) } ?? bound.exceedsGuaranteedPart(client, at: level)
    }
    if exceedsGuaranteedPart(.connection) || exceedsGuaranteedPart(.account) { return true }
    guard let networks = client.network?.widening else { return false }
    for (level, network) in zip([ShareRule.Level.network, .site, .provider], networks)
    where exceedsGuaranteedPart(level) {
      let free = ShareRule.part(of: bound.max, at: level) - (granted[network] ?? 0)
      let own = members.steps(of: NetworkWorkTable.Name(payer, client), in: number, of: bound.max)
      guard free > 0, own <= free / NetworkWorkTable.divisor else { return true }
    }
    return false
  }
}
