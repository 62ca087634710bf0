import HearthCrypto
import HearthEngine

/// Writes audit records that belong to no change of an account. What changes an account is on record in the change's
/// own transaction; see ``AccountTransaction/audit(_:)``.
package struct AuditLog: Sendable {
  private let store: AccountStore
  private let throttle: Throttle
  private let notice: @Sendable (AccountsNotice) -> Void
  private let secretUses = SecretUses()

  init(store: AccountStore, throttle: Throttle, notice: @escaping @Sendable (AccountsNotice) -> Void) {
    self.store = store
    self.throttle = throttle
    self.notice = notice
  }

  /// Writes one record, or two in one step. The operator is told when it cannot be written; nothing is undone by that.
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

  /// The record of a credential that was refused, unless there were many from that network just now: it costs its sender
  /// nothing, and would push older records out of the trail.
  package func recordRefusal(_ event: AuditEvent, now: Instant) async {
    let countMax = store.limits.refusalRecordsPerMinute
    guard throttle.admitRefusalRecord(address: event.clientAddress, countMax: countMax, now: now) else { return }
    await record(event)
  }

  /// Puts it on record that a database secret, or a token signed with one as an administrator's, opened the data: once an
  /// hour for each secret and client. Returns at once.
  ///
  /// - Parameter id: the secret's id, as `hearth secrets list` shows it.
  package func secretWasUsed(_ id: String, from address: String, now: Instant) {
    guard secretUses.note(secret: id, address: address, nowMilliseconds: now.monotonicMilliseconds) else { return }
    let client = ClientInfo(address: address, userAgent: "", requestID: "")
    Task(executorPreference: AccountsExecutor.shared) {
      await record(AuditEvent(.secretUsed, client: client, detail: "secret \(id)"))
    }
  }

  /// Puts the server's start on record: how people can sign in from now on, and whether it is a developer's server.
  ///
  /// - Parameter providerIDs: of the sign-in providers that are switched on, sorted.
  package func recordStart(providerIDs: [String], isEmulator: Bool) async {
    let ways = providerIDs.isEmpty ? "none" : providerIDs.joined(separator: " ")
    await record(AuditEvent(.configurationChanged, client: .server, detail: "started; sign-in: \(ways)"))
    if isEmulator { await record(AuditEvent(.developerMode, client: .server, detail: "emulator mode")) }
  }
}
