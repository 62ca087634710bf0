import HearthEngine
import HearthSystem
import HearthTree

/// The work that clients of one database have caused, and the resulting waits.
///
/// A connection has an allowance of its own that refills at a rate. An account, and the signed-out clients of one
/// address, have another one, for their requests over HTTP and for the debts of ended connections: a new connection
/// begins with its remainder. Beside these, the work of all clients in a period is a limit that they share, up to which
/// no network waits, since offices and mobile carriers have thousands of clients behind one address: ``WorkWindow``.
/// ``ShareRule`` has the shares.
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
    /// The part of its debt that the owner was charged already.
    var transferred = TokenBucket()
  }

  private let limits: QuotaLimits
  /// The steps that one connection may cause in a second.
  var connectionStepsPerSecond: Int
  /// The steps that all clients may cause in a second before shares apply.
  var stepsPerSecond: Int

  private var connections: [ConnectionID: Connection] = [:]
  /// The number of connections of each owner.
  private var connectionCounts: [AllowanceOwner: Int] = [:]
  /// The clients of ended connections, for work that is charged later: the set that is being filled, and the full one before it.
  private var ended: (last: [ConnectionID: ShareClaimant], before: [ConnectionID: ShareClaimant]) = ([:], [:])
  private var allowances: WorkAllowances
  private var window: WorkWindow

  init(_ limits: QuotaLimits = .standard) {
    self.limits = limits
    (connectionStepsPerSecond, stepsPerSecond) = (limits.connectionWorkPerSecond, limits.workPerSecond)
    allowances = WorkAllowances(countMax: limits.allowancesMax)
    window = WorkWindow(limits)
  }

  /// The number of accounts and addresses with a recorded allowance.
  var allowanceCount: Int { allowances.count }

  /// The number of clients with work in this window.
  var payerCount: Int { window.payerCount }

  /// The number of ended connections that are remembered.
  var endedCount: Int { ended.last.count + ended.before.count }

  // MARK: Connections

  /// Sets the client of a connection, also when it had another one before.
  ///
  /// - Returns: the nanoseconds that it has to wait because of the work of that client's earlier connections.
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
    if let owner = AllowanceOwner(client) {
      entry.allowance.lower(to: allowances[owner])
      entry.transferred = entry.allowance
    }
    connections[connection] = entry
    return client.isAdministrator ? 0 : entry.allowance.wait(at: now)
  }

  /// Records the end of a connection. Its account or address is charged its debt.
  mutating func leave(_ connection: ConnectionID, at now: Int64) {
    guard var entry = connections.removeValue(forKey: connection) else { return }
    settle(&entry, at: now)
    count(entry.client, -1)
    if ended.last.count >= QuotaLimits.endedConnectionsMax { ended = ([:], ended.last) }
    ended.last[connection] = entry.client
  }

  /// Charges a connection's debt to its owner: divided by the owner's connections, so that one of many clients behind an address
  /// leaves the others little to pay.
  private mutating func settle(_ entry: inout Connection, at now: Int64) {
    guard let owner = AllowanceOwner(entry.client) else { return }
    let owed = entry.allowance.timeUntilFull(at: now) - entry.transferred.timeUntilFull(at: now)
    allowances.charge(nanoseconds: owed / Int64(connectionCount(of: owner)), to: owner, at: now)
    entry.transferred = entry.allowance
  }

  private mutating func count(_ client: ShareClaimant, _ change: Int) {
    guard let owner = AllowanceOwner(client) else { return }
    let count = (connectionCounts[owner] ?? 0) + change
    connectionCounts[owner] = count > 0 ? count : nil
  }

  private func connectionCount(of owner: AllowanceOwner) -> Int {
    min(max(1, connectionCounts[owner] ?? 0), QuotaLimits.debtConnectionsMax)
  }

  // MARK: Work

  /// Charges work to its payer, and to the payer's account and networks.
  ///
  /// - Parameter now: nanoseconds on the monotonic clock.
  /// - Returns: the nanoseconds that the payer has to wait; 0 when it may continue.
  mutating func charge(_ amount: WorkAmount, to payer: Payer, at now: Int64) -> Int64 {
    guard amount.steps >= WorkAmount.chargedStepsMin, let client = client(of: payer), !client.isAdministrator else {
      return 0
    }
    if window.advance(to: now, stepsPerSecond: stepsPerSecond) { allowances.sweep(at: now) }
    window.add(amount.steps, of: payer, client)
    switch payer {
    case .connection(let connection) where connections[connection] != nil:
      connections[connection]?.allowance.charge(amount.steps, perSecond: connectionStepsPerSecond, at: now)
    case .connection: charge(amount, to: client, shares: AllowanceOwner(client).map(connectionCount) ?? 1, at: now)
    case .requests: charge(amount, to: client, at: now)
    }
    return wait(of: payer, at: now)
  }

  private mutating func charge(_ amount: WorkAmount, to client: ShareClaimant, shares: Int = 1, at now: Int64) {
    guard let owner = AllowanceOwner(client) else { return }
    allowances.charge(amount, perSecond: connectionStepsPerSecond * shares, to: owner, at: now)
  }

  /// Returns the nanoseconds that a payer still has to wait.
  func wait(of payer: Payer, at now: Int64) -> Int64 {
    guard let client = client(of: payer), !client.isAdministrator else { return 0 }
    let own =
      switch payer {
      case .connection(let connection): connections[connection]?.allowance.wait(at: now) ?? 0
      case .requests: AllowanceOwner(client).map { allowances[$0].wait(at: now) } ?? 0
      }
    guard now < window.end, window.mustWait(payer, client) else { return own }
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
