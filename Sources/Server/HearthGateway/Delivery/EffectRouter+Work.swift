import HearthEngine

extension EffectRouter {
  /// Charges the work of a database's batch to its clients, and pauses each connection that is over its allowance.
  /// Thread-safe.
  package func charge(_ work: [ConnectionWork], of database: String) {
    for wait in quotas.charge(work, in: database) {
      guard case .connection(let connection) = wait.payer else { continue }
      execute(for: connection) { hub in hub.client(connection)?.waitForWork(milliseconds: wait.milliseconds) }
    }
  }
}
