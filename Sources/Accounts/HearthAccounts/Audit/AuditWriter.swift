import HearthCrypto
import HearthEngine

/// Writes audit records without a change of an account. A change of an account is recorded in its own transaction; see
/// ``AccountTransaction/audit(_:)``.
package struct AuditWriter: Sendable {
  private let store: AccountStore
  private let throttle: Throttle
  private let notice: @Sendable (AccountsNotice) -> Void
  private let secretUses = SecretUses()

  init(store: AccountStore, throttle: Throttle, notice: @escaping @Sendable (AccountsNotice) -> Void) {
    self.store = store
    self.throttle = throttle
    self.notice = notice
  }

  /// Writes one record, or two in one transaction. A failure is reported to the operator; it undoes nothing.
  package func record(_ event: AuditEvent, _ second: AuditEvent? = nil) async {
    do throws(AccountError) {
      try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
        transaction.audit(event)
        if let second { transaction.audit(second) }
      }
    } catch {
      notice(AccountsNotice(.error, "an audit record (\(event.kind.rawValue)) could not be written"))
    }
  }

  /// Records a refused credential, within a limit for each network: it costs its sender nothing, and could evict older
  /// records from the trail.
  package func recordRefusal(_ event: AuditEvent, now: Instant) async {
    let countMax = store.limits.refusalRecordsPerMinute
    guard throttle.admitRefusalRecord(address: event.clientAddress, countMax: countMax, now: now) else { return }
    await record(event)
  }

  /// Records the use of a database secret, or of an administrator's token signed with one, once an hour for each secret
  /// and client. Returns at once.
  ///
  /// - Parameter id: the secret's id, as `hearth secrets list` shows it.
  package func secretWasUsed(_ id: String, from address: String, now: Instant) {
    guard secretUses.note(secret: id, address: address, nowMilliseconds: now.monotonicMilliseconds) else { return }
    let client = ClientInfo(address: address, userAgent: "", requestID: "")
    Task(executorPreference: AccountsExecutor.shared) {
      await record(AuditEvent(.secretUsed, client: client, detail: "secret \(id)"))
    }
  }

  /// Records the server's start: the available ways of signing in, and whether it is an emulator.
  ///
  /// - Parameter providerIDs: the ids of the active sign-in providers, sorted.
  package func recordStart(providerIDs: [String], isEmulator: Bool) async {
    let ways = providerIDs.isEmpty ? "none" : providerIDs.joined(separator: " ")
    await record(AuditEvent(.configurationChanged, client: .server, detail: "started; sign-in: \(ways)"))
    if isEmulator { await record(AuditEvent(.developerMode, client: .server, detail: "emulator mode")) }
  }
}
