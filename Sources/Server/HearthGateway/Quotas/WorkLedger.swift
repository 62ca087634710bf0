import HearthEngine
import HearthSystem
import HearthTree

/// The work that clients of one database have caused, and for how long each of them waits because of it.
///
/// A connection has an allowance of its own that refills at a rate. An account, and the signed-out clients of one address,
/// have another one, for their requests over HTTP and for what connections that ended had not paid yet: a new
/// connection begins with as much as is left of it. Beside these, the work of all clients in a window of time is a bound
/// that they share, until which no network waits, since offices and mobile carriers have thousands of clients behind one
/// address: ``WorkWindow``. ``ShareRule`` has the parts.
///
/// The type reads no clock and takes no lock.
struct WorkLedger: Sendable {
  /// A connection, or the requests over HTTP of one client.
  enum Payer: Hashable, Sendable {
    case connection(ConnectionID)
    case requests(ShareClaimant)
  }

  private struct Connection {
    var client: ShareClaimant
    var allowance = TokenBucket()
    /// The part of it that its holder answers for already.
    var carried = TokenBucket()
  }

  private let limits: QuotaLimits
  /// Steps that one connection may cause in a second.
  var connectionStepsPerSecond: Int
  /// Steps that all clients may cause in a second before shares bind.
  var stepsPerSecond: Int

  private var connections: [ConnectionID: Connection] = [:]
  /// Connections of each holder.
  private var connectionCounts: [WorkHolder: Int] = [:]
  /// Clients whose connections have ended, for the work that is charged later: the last ones, and those before.
  private var ended: (last: [ConnectionID: ShareClaimant], before: [ConnectionID: ShareClaimant]) = ([:], [:])
  private var allowances: WorkAllowances
  private var window: WorkWindow

  init(_ limits: QuotaLimits = .standard) {
    self.limits = limits
    (connectionStepsPerSecond, stepsPerSecond) = (limits.connectionWorkPerSecond, limits.workPerSecond)
    allowances = WorkAllowances(countMax: limits.allowancesMax)
    window = WorkWindow(limits)
  }

  /// Accounts and addresses of whom something is kept, beside connections.
  var allowanceCount: Int { allowances.count }

  /// Clients with work in this window.
  var payerCount: Int { window.payerCount }

  /// Connections that have ended and are still known.
  var endedCount: Int { ended.last.count + ended.before.count }

  // MARK: Connections

  /// Knows from now on which client a connection is, also when it was another one before.
  ///
  /// - Returns: the nanoseconds for which it is to wait for what that client's connections before it have caused.
  @discardableResult
  mutating func join(_ connection: ConnectionID, as client: ShareClaimant, at now: Int64) -> Int64 {
    var entry = connections[connection] ?? Connection(client: client)
    if connections[connection] != nil {
      guard entry.client != client else { return entry.allowance.wait(at: now) }
      settle(&entry, at: now)
      count(entry.client, -1)
    }
    entry.client = client
    count(client, 1)
    if let holder = WorkHolder(client) {
      entry.allowance.lower(to: allowances[holder])
      entry.carried = entry.allowance
    }
    connections[connection] = entry
    return client.isAdministrator ? 0 : entry.allowance.wait(at: now)
  }

  /// A connection has ended. Its account or address answers for what it has not paid.
  mutating func leave(_ connection: ConnectionID, at now: Int64) {
    guard var entry = connections.removeValue(forKey: connection) else { return }
    settle(&entry, at: now)
    count(entry.client, -1)
    if ended.last.count >= QuotaLimits.endedConnectionsMax { ended = ([:], ended.last) }
    ended.last[connection] = entry.client
  }

  /// Has a connection's holder answer for what it owes: divided by the holder's connections, so that one of many clients
  /// behind an address leaves the others little to pay.
  private mutating func settle(_ entry: inout Connection, at now: Int64) {
    guard let holder = WorkHolder(entry.client) else { return }
    let owed = entry.allowance.timeUntilFull(at: now) - entry.carried.timeUntilFull(at: now)
    allowances.charge(nanoseconds: owed / Int64(connectionCount(of: holder)), to: holder, at: now)
    entry.carried = entry.allowance
  }

  private mutating func count(_ client: ShareClaimant, _ change: Int) {
    guard let holder = WorkHolder(client) else { return }
    let count = (connectionCounts[holder] ?? 0) + change
    connectionCounts[holder] = count > 0 ? count : nil
  }

  private func connectionCount(of holder: WorkHolder) -> Int {
    min(max(1, connectionCounts[holder] ?? 0), QuotaLimits.carryingConnectionsMax)
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
    if window.advance(to: now, stepsPerSecond: stepsPerSecond) { allowances.sweep(at: now) }
    window.add(amount.steps, of: payer, client)
    switch payer {
    case .connection(let connection) where connections[connection] != nil:
      connections[connection]?.allowance.charge(amount.steps, perSecond: connectionStepsPerSecond, at: now)
    case .connection: charge(amount, to: client, shares: WorkHolder(client).map(connectionCount) ?? 1, at: now)
    case .requests: charge(amount, to: client, at: now)
    }
    return wait(of: payer, at: now)
  }

  private mutating func charge(_ amount: WorkAmount, to client: ShareClaimant, shares: Int = 1, at now: Int64) {
    guard let holder = WorkHolder(client) else { return }
    allowances.charge(amount, perSecond: connectionStepsPerSecond * shares, to: holder, at: now)
  }

  /// For how many nanoseconds a payer is still to wait.
  func wait(of payer: Payer, at now: Int64) -> Int64 {
    guard let client = client(of: payer), !client.isAdministrator else { return 0 }
    let own =
      switch payer {
      case .connection(let connection): connections[connection]?.allowance.wait(at: now) ?? 0
      case .requests: WorkHolder(client).map { allowances[$0].wait(at: now) } ?? 0
      }
    guard now < window.end, window.binds(payer, client) else { return own }
    return max(own, window.end - now)
  }

  private func client(of payer: Payer) -> ShareClaimant? {
    switch payer {
    case .connection(let connection):
      connections[connection]?.client ?? ended.last[connection] ?? ended.before[connection]
    case .requests(let client): client
    }
  }
}
