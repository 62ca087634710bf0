import HearthEngine
import HearthTree

/// The work that clients of one database have caused, and for how long each of them waits because of it.
///
/// A connection, and the requests over HTTP of one user, have an allowance of their own that refills at a rate. Beside it, the
/// work of all clients in a window of time is a bound that they share: once most of it is used up, connections, accounts and
/// networks that have caused more than their part of it wait for the next window. Until then no network waits, since
/// offices and mobile carriers have thousands of clients behind one address. ``ShareRule`` has the parts.
///
/// The type reads no clock and takes no lock.
struct WorkLedger: Sendable {
  /// A connection, or the requests over HTTP of one client.
  enum Payer: Hashable, Sendable {
    case connection(ConnectionID)
    case requests(ShareClaimant)
  }

  private let limits: QuotaLimits
  /// Steps that one connection may cause in a second.
  var connectionStepsPerSecond: Int
  /// Steps that all clients may cause in a second before shares bind.
  var stepsPerSecond: Int

  private var connections: [ConnectionID: ShareClaimant] = [:]
  /// Own allowances that are not full.
  private var buckets: [Payer: TokenBucket] = [:]
  private var window: SharedBound
  private var claims: [Payer: SharedBound.Claim] = [:]
  private var windowEnd: Int64 = 0

  init(_ limits: QuotaLimits = .standard) {
    self.limits = limits
    (connectionStepsPerSecond, stepsPerSecond) = (limits.connectionWorkPerSecond, limits.workPerSecond)
    window = SharedBound(max: 0)
  }

  /// Clients of whom something is kept, beside connections.
  var payerCount: Int { Set(buckets.keys).union(claims.keys).count }

  // MARK: Connections

  /// Knows from now on which client a connection is, also when it was another one before.
  mutating func join(_ connection: ConnectionID, as client: ShareClaimant) { connections[connection] = client }

  /// A connection has ended. Its account and network keep what it caused in this window.
  mutating func leave(_ connection: ConnectionID) {
    connections[connection] = nil
    buckets[.connection(connection)] = nil
  }

  // MARK: Work

  /// Charges work to its payer, and to the payer's account and networks.
  ///
  /// - Parameter now: nanoseconds on the monotonic clock.
  /// - Returns: for how many nanoseconds the payer is to wait; 0 when it may go on.
  mutating func charge(_ amount: WorkAmount, to payer: Payer, at now: Int64) -> Int64 {
    guard amount.steps >= WorkAmount.chargedStepsMin, let client = client(of: payer), !client.isAdministrator else {
      return 0
    }
    beginWindow(at: now)
    var claim = claims[payer] ?? window.join(client)
    window.add(amount.steps, to: &claim)
    claims[payer] = claim
    if hasAllowance(payer) {
      buckets[payer, default: TokenBucket()].charge(amount.steps, perSecond: connectionStepsPerSecond, at: now)
    }
    return wait(of: payer, at: now)
  }

  /// For how many nanoseconds a payer is still to wait.
  func wait(of payer: Payer, at now: Int64) -> Int64 {
    let own = buckets[payer]?.wait(at: now) ?? 0
    guard now < windowEnd, window.isNearlyUsedUp else { return own }
    // A client without work in this window waits for what its account and networks have caused.
    let isOver = claims[payer].map { window.isOverPart($0) } ?? client(of: payer).map { window.isOverPart($0) }
    return isOver == true ? max(own, windowEnd - now) : own
  }

  private func client(of payer: Payer) -> ShareClaimant? {
    switch payer {
    case .connection(let connection): connections[connection]
    case .requests(let client): client
    }
  }

  /// Requests of signed-out clients are known by their network only, which has no allowance of its own.
  private func hasAllowance(_ payer: Payer) -> Bool {
    if case .requests(let client) = payer { client.account != nil } else { true }
  }

  private mutating func beginWindow(at now: Int64) {
    guard now >= windowEnd else { return }
    let milliseconds = limits.workWindowMilliseconds
    windowEnd = now + milliseconds * 1_000_000
    window = SharedBound(max: Int(clamping: Int64(clamping: stepsPerSecond) * milliseconds / 1_000))
    claims = [:]
    buckets = buckets.filter { !$0.value.isFull(at: now) }
  }
}
