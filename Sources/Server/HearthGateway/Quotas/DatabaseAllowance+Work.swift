import HearthEngine
import HearthTree

/// Charging of work.
extension DatabaseAllowance {
  /// A payer that has to wait, with the time.
  struct Wait: Sendable, Equatable {
    let payer: WorkLedger.Payer
    let nanoseconds: Int64

    /// The milliseconds until the payer is checked again, within bounds.
    var milliseconds: Int64 { min(1 + nanoseconds / 1_000_000, QuotaLimits.pauseMillisecondsMax) }
  }

  /// The steps that one connection may cause in a second.
  var connectionStepsPerSecond: Int { work.withLock { $0.connectionStepsPerSecond } }

  /// Charges the work of a batch of the database.
  ///
  /// - Returns: the clients that have to wait.
  func charge(_ batch: [ConnectionWork], at now: Int64 = DatabaseAllowance.now) -> [Wait] {
    work.withLock { work in
      batch.compactMap { item in
        let payer = item.payer.client.map { WorkLedger.Payer.requests($0) } ?? .connection(item.payer.connection)
        let wait = work.charge(WorkAmount(steps: item.steps), to: payer, at: now)
        return wait > 0 ? Wait(payer: payer, nanoseconds: wait) : nil
      }
    }
  }

  /// Charges an event loop's work for a client.
  ///
  /// - Returns: the client's wait; nil when it may continue.
  func charge(_ amount: WorkAmount, to payer: WorkLedger.Payer, at now: Int64 = DatabaseAllowance.now) -> Wait? {
    guard amount.steps >= WorkAmount.chargedStepsMin else { return nil }
    let wait = work.withLock { $0.charge(amount, to: payer, at: now) }
    return wait > 0 ? Wait(payer: payer, nanoseconds: wait) : nil
  }

  /// Returns the client's remaining wait; nil when it may continue.
  func wait(of payer: WorkLedger.Payer, at now: Int64 = DatabaseAllowance.now) -> Wait? {
    let wait = work.withLock { $0.wait(of: payer, at: now) }
    return wait > 0 ? Wait(payer: payer, nanoseconds: wait) : nil
  }

  /// Sets the client of a connection.
  ///
  /// - Returns: the nanoseconds that it has to wait because of the work of that client's earlier connections.
  func joinWork(_ connection: ConnectionID, as client: ShareClaimant, at now: Int64 = DatabaseAllowance.now) -> Int64 {
    work.withLock { $0.join(connection, as: client, at: now) }
  }

  /// Records the end of a connection.
  func leaveWork(_ connection: ConnectionID, at now: Int64 = DatabaseAllowance.now) {
    work.withLock { $0.leave(connection, at: now) }
  }
}
