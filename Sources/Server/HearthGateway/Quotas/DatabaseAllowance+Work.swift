import HearthEngine
import HearthTree

/// Work is charged here, and nowhere else.
extension DatabaseAllowance {
  /// A payer that is to wait, and for how long.
  struct Wait: Sendable, Equatable {
    let payer: WorkLedger.Payer
    let nanoseconds: Int64

    /// The time until the payer is asked again, within bounds.
    var milliseconds: Int64 { min(1 + nanoseconds / 1_000_000, QuotaLimits.holdMillisecondsMax) }
  }

  /// Steps that one connection may cause in a second.
  var connectionStepsPerSecond: Int { work.withLock { $0.connectionStepsPerSecond } }

  /// Charges what a batch of the database took.
  ///
  /// - Returns: the clients that are to wait.
  func charge(_ batch: [ConnectionWork], at now: Int64 = DatabaseAllowance.now) -> [Wait] {
    work.withLock { work in
      batch.compactMap { item in
        let payer = item.payer.client.map { WorkLedger.Payer.requests($0) } ?? .connection(item.payer.connection)
        let wait = work.charge(WorkAmount(steps: item.steps), to: payer, at: now)
        return wait > 0 ? Wait(payer: payer, nanoseconds: wait) : nil
      }
    }
  }

  /// Charges what an event loop did for a client.
  ///
  /// - Returns: the client's wait; nil when it may go on.
  func charge(_ amount: WorkAmount, to payer: WorkLedger.Payer, at now: Int64 = DatabaseAllowance.now) -> Wait? {
    guard amount.steps >= WorkAmount.chargedStepsMin else { return nil }
    let wait = work.withLock { $0.charge(amount, to: payer, at: now) }
    return wait > 0 ? Wait(payer: payer, nanoseconds: wait) : nil
  }

  /// The time for which a client is still to wait; nil when it may go on.
  func wait(of payer: WorkLedger.Payer, at now: Int64 = DatabaseAllowance.now) -> Wait? {
    let wait = work.withLock { $0.wait(of: payer, at: now) }
    return wait > 0 ? Wait(payer: payer, nanoseconds: wait) : nil
  }

  /// Knows from now on which client a connection is.
  ///
  /// - Returns: the nanoseconds for which it is to wait for what that client's connections before it have caused.
  func joinWork(_ connection: ConnectionID, as client: ShareClaimant, at now: Int64 = DatabaseAllowance.now) -> Int64 {
    work.withLock { $0.join(connection, as: client, at: now) }
  }

  /// A connection has ended.
  func leaveWork(_ connection: ConnectionID, at now: Int64 = DatabaseAllowance.now) {
    work.withLock { $0.leave(connection, at: now) }
  }
}
