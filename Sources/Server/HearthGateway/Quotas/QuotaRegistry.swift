import HearthEngine
import HearthTree
import Synchronization

/// The quotas of all databases in use, and their use by clients.
package final class QuotaRegistry: Sendable {
  private let limits: QuotaLimits
  private let meters: GatewayMeters
  /// The allowances by database. Only existing databases have an entry, so there are no more of them than databases.
  private let allowances = Mutex<[String: DatabaseAllowance]>([:])

  init(meters: GatewayMeters = .none, limits: QuotaLimits = .standard) { (self.meters, self.limits) = (meters, limits) }

  /// Returns the allowance of a database.
  ///
  /// - Parameter database: an existing one.
  func allowance(of database: String) -> DatabaseAllowance {
    allowances.withLock { allowances in
      if let known = allowances[database] { return known }
      let allowance = DatabaseAllowance(limits: limits)
      allowances[database] = allowance
      return allowance
    }
  }

  /// Returns the allowance of a database; nil for one that is not in use, whose name a client may have made up.
  private func known(_ database: String) -> DatabaseAllowance? { allowances.withLock { $0[database] } }

  /// Takes a slot for one more connection.
  ///
  /// - Parameters:
  ///   - client: the client's name; nil for an administrator's connection.
  ///   - network: the client's network; nil when it is not known.
  ///   - connection: the connection that work is charged to.
  func takeSlot(
    in database: String, of client: QuotaClientName?, from network: NetworkPrefix? = nil,
    connection: ConnectionID? = nil
  ) -> Result<QuotaSlot, QuotaRefusal> {
    let allowance = allowance(of: database)
    let entered = allowance.enter(as: client, from: network, at: DatabaseAllowance.now)
    if case .failure(let refusal) = entered { note(refusal, in: database) }
    return entered.map { QuotaSlot(allowance, $0, of: connection, from: network) }
  }

  /// Counts a request over HTTP; returns a refusal when the quota is used up.
  func refusal(ofRequest bytes: Int, in database: String, as principal: Principal, from address: String)
    -> QuotaRefusal?
  {
    guard !principal.isAdministrator else { return nil }
    let refusal = known(database)?.refusal(
      ofRequest: bytes,
      from: (QuotaClientName(uid: principal.uid, address: address), NetworkPrefix(address: address)))
    if let refusal { note(refusal, in: database) }
    return refusal
  }

  // MARK: Work

  /// Charges the work of a database's batch.
  ///
  /// - Returns: the clients that have to wait.
  func charge(_ work: [ConnectionWork], in database: String) -> [DatabaseAllowance.Wait] {
    known(database)?.charge(work) ?? []
  }

  /// Charges an event loop's work for a request over HTTP.
  func charge(_ amount: WorkAmount, to client: @autoclosure () -> ShareClaimant, in database: String) {
    guard amount.steps >= WorkAmount.chargedStepsMin else { return }
    _ = known(database)?.charge(amount, to: .requests(client()))
  }

  /// Returns the time for which a client's request over HTTP has to wait; nil when it may continue.
  func wait(of client: ShareClaimant, in database: String) -> DatabaseAllowance.Wait? {
    client.isAdministrator ? nil : known(database)?.wait(of: .requests(client))
  }

  /// Counts a client that begins to wait.
  func noteWait(in database: String) { meters.waitedForWork(database: database) }

  /// Returns the reason why no more data is stored; nil while there is room.
  func storageRefusal(in database: String) -> QuotaRefusal? {
    let refusal = known(database)?.storageRefusal
    if let refusal { note(refusal, in: database) }
    return refusal
  }

  /// Returns the maximum bytes of a response over HTTP.
  func answerBytesMax(in database: String, for principal: Principal) -> Int {
    guard !principal.isAdministrator, let allowance = known(database) else { return DataLimits.readSizeBytesMax }
    return allowance.answerBytesMax
  }

  /// Counts a refusal.
  func note(_ refusal: QuotaRefusal, in database: String) {
    meters.refusedByQuota(refusal.kind.rawValue, database: database)
  }

  // MARK: For administrators

  /// Returns the number of the database's connections.
  package func connectionCount(of database: String) -> Int { known(database)?.connectionCount ?? 0 }

  /// Returns the quotas in force; empty for a database that is not in use.
  package func quotas(of database: String) -> DatabaseQuotas { known(database)?.quotas ?? .none }

  /// Puts quotas in force, also for open connections.
  package func set(_ quotas: DatabaseQuotas, of database: String) { allowance(of: database).set(quotas) }

  /// Drops the allowance of a deleted database.
  func forget(_ database: String) { _ = allowances.withLock { $0.removeValue(forKey: database) } }

  /// The interval at which ``reviewStorage(_:)`` is to be called, in seconds.
  package static let storageCheckSeconds = QuotaLimits.storageCheckSeconds

  /// True when any database has a limit on stored bytes.
  package var limitsStorage: Bool { allowances.withLock { $0 }.values.contains(where: \.limitsStorage) }

  /// Compares stored bytes with their limits.
  ///
  /// - Parameter state: returns a database's last durable state; nil when it is not open.
  package func reviewStorage(_ state: (_ database: String) -> DatabaseState?) {
    for (name, allowance) in allowances.withLock({ $0 }) where allowance.limitsStorage {
      if let state = state(name) { allowance.review(state.root) }
    }
  }
}
