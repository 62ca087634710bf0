import HearthEngine
import HearthTree
import Synchronization

/// The quotas of all databases that are in use, and what their clients have taken.
package final class QuotaRegistry: Sendable {
  private let limits: QuotaLimits
  private let meters: GatewayMeters
  /// A database whose name is here exists, so there are no more of them than databases.
  private let allowances = Mutex<[String: DatabaseAllowance]>([:])

  init(meters: GatewayMeters = .none, limits: QuotaLimits = .standard) { (self.meters, self.limits) = (meters, limits) }

  /// - Parameter database: one that there is.
  func allowance(of database: String) -> DatabaseAllowance {
    allowances.withLock { allowances in
      if let known = allowances[database] { return known }
      let allowance = DatabaseAllowance(limits: limits)
      allowances[database] = allowance
      return allowance
    }
  }

  /// nil for a database that nobody uses, whoever thought up its name.
  private func known(_ database: String) -> DatabaseAllowance? { allowances.withLock { $0[database] } }

  /// A place for one more connection.
  ///
  /// - Parameters:
  ///   - client: nil for an administrator's.
  ///   - network: of the client; nil where that is not known.
  ///   - connection: which work is charged by.
  func seat(
    in database: String, of client: QuotaClientName?, from network: NetworkPrefix? = nil,
    connection: ConnectionID? = nil
  ) -> Result<QuotaSlot, QuotaRefusal> {
    let allowance = allowance(of: database)
    let entered = allowance.enter(as: client, from: network, at: DatabaseAllowance.now)
    if case .failure(let refusal) = entered { note(refusal, in: database) }
    return entered.map { QuotaSlot(allowance, $0, of: connection, from: network) }
  }

  /// Counts a request over HTTP.
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
  /// - Returns: the clients that are to wait.
  func charge(_ work: [ConnectionWork], in database: String) -> [DatabaseAllowance.Wait] {
    known(database)?.charge(work) ?? []
  }

  /// Charges what an event loop did for a request over HTTP.
  func charge(_ amount: WorkAmount, to client: @autoclosure () -> ShareClaimant, in database: String) {
    guard amount.steps >= WorkAmount.chargedStepsMin else { return }
    _ = known(database)?.charge(amount, to: .requests(client()))
  }

  /// The time for which a client's request over HTTP is to wait; nil when it may go on.
  func wait(of client: ShareClaimant, in database: String) -> DatabaseAllowance.Wait? {
    client.isAdministrator ? nil : known(database)?.wait(of: .requests(client))
  }

  /// Counts a client that begins to wait.
  func noteWait(in database: String) { meters.waitedForWork(database: database) }

  /// Returns the reason why nothing more is stored; nil while there is room.
  func storageRefusal(in database: String) -> QuotaRefusal? {
    let refusal = known(database)?.storageRefusal
    if let refusal { note(refusal, in: database) }
    return refusal
  }

  /// Bytes that an answer over HTTP may have.
  func answerBytesMax(in database: String, for principal: Principal) -> Int {
    guard !principal.isAdministrator, let allowance = known(database) else { return DataLimits.readSizeBytesMax }
    return allowance.answerBytesMax
  }

  /// Counts what was refused.
  func note(_ refusal: QuotaRefusal, in database: String) {
    meters.refusedByQuota(refusal.kind.rawValue, database: database)
  }

  // MARK: For administrators

  /// Connections that the database has now.
  package func connectionCount(of database: String) -> Int { known(database)?.connectionCount ?? 0 }

  /// What is in force; of a database that nobody uses, nothing is.
  package func quotas(of database: String) -> DatabaseQuotas { known(database)?.quotas ?? .none }

  /// Puts quotas in force, for what is open too.
  package func set(_ quotas: DatabaseQuotas, of database: String) { allowance(of: database).set(quotas) }

  /// The database is no more.
  func forget(_ database: String) { _ = allowances.withLock { $0.removeValue(forKey: database) } }

  /// How often ``reviewStorage(_:)`` is to be called.
  package static let storageLookSeconds = QuotaLimits.storageLookSeconds

  /// True when stored bytes are limited anywhere.
  package var limitsStorage: Bool { allowances.withLock { $0 }.values.contains(where: \.limitsStorage) }

  /// Counts what is stored where that is limited. Takes as long as there is data: not on an event loop.
  ///
  /// - Parameter state: of a database, the last durable state; nil when it is not open.
  package func reviewStorage(_ state: (_ database: String) -> Published?) {
    for (name, allowance) in allowances.withLock({ $0 }) where allowance.limitsStorage {
      if let state = state(name) { allowance.review(state.root, position: state.position) }
    }
  }
}
