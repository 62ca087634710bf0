import HearthCrypto
import HearthTree

@testable import HearthAccounts

extension AccountReading {
  /// Returns all inconsistencies of the tree; empty for a sound store.
  func problems(limits: AccountStoreLimits = AccountStoreLimits()) -> [String] {
    var problems: [String] = []
    var expected: [String: String] = [:]
    for user in users(limit: .max) {
      if let email = user.email { expected[AccountPath.email(email).description] = user.uid }
      if let number = user.phoneNumber { expected[AccountPath.phone(number).description] = user.uid }
      for identity in user.identities {
        expected[AccountPath.identity(identity.providerID, identity.rawID).description] = user.uid
        guard let email = identity.email else { continue }
        expected[AccountPath.identityEmail(email).appending(AccountPath.key(user.uid)).description] = user.uid
      }
      if let last = tombstone(user.uid), last.generation >= user.cutoff.generation {
        problems.append("\(user.uid) is not past the account that was deleted")
      }
    }
    for (path, hash, session) in all(AccountPath.sessions, SessionRecord.self) {
      let owned = AccountPath.userSessions.appending(AccountPath.key(session.uid)).appending(hash)
      expected[owned.description] = "\(session.lastUsedAtSeconds)"
      if let end = session.expiresAtSeconds { expected[AccountPath.expiry(.sessions, end, hash).description] = "true" }
      if user(session.uid) == nil { problems.append("\(path) is nobody's") }
    }
    for (_, hash, ticket) in all(AccountPath.tickets, Ticket.self) {
      let end = ticket.expiresAtSeconds + limits.ticketKeptSeconds
      expected[AccountPath.expiry(.tickets, end, hash).description] = "true"
      let owner =
        ticket.uid.map { AccountPath.userTickets.appending(AccountPath.key($0)) }
        ?? ticket.email.map { AccountPath.emailTickets.appending(AccountPath.key($0)) }
        ?? ticket.phoneNumber.map { AccountPath.phoneTickets.appending(AccountPath.key($0)) }
      if let owner { expected[owner.appending(hash).description] = "\(ticket.createdAtSeconds)" }
    }
    for (_, name, lock) in all(AccountPath.locks, AccountLock.self) {
      let end = max(lock.lockedUntilSeconds, lock.lastFailureSeconds + limits.lockKeptSeconds)
      expected[AccountPath.expiry(.locks, end, name).description] = "true"
    }
    let indexes = [
      AccountPath.emails, AccountPath.phones, AccountPath.identities, AccountPath.identityEmails,
      AccountPath.userSessions,
      AccountPath.userTickets, AccountPath.emailTickets, AccountPath.phoneTickets, AccountPath.expiries,
    ]
    for index in indexes {
      Self.leaves(of: records.root[index], at: index) { path, value in
        let wanted = expected.removeValue(forKey: path)
        if wanted != value { problems.append("\(path) is \(value) and should be \(wanted ?? "nothing")") }
      }
    }
    for (path, value) in expected { problems.append("\(path) is missing: \(value)") }
    if AuditTrailVerifier.verify(AccountView(records: records)) != .intact(records: auditCount, head: auditHead) {
      problems.append("the audit trail is broken")
    }
    return problems
  }

  var auditCount: Int { records.root[AccountPath.audit].childCount }

  private func all<Record: StoredRecord>(_ path: Path, _ type: Record.Type) -> [(path: Path, key: Key, Record)] {
    records.root[path].children.compactMap { key, node in
      let record: Record? = records.record(node, at: path.appending(key))
      return record.map { (path.appending(key), key, $0) }
    }
  }

  private static func leaves(of node: Node, at path: Path, _ body: (String, String) -> Void) {
    switch node.scalar {
    case .string(let text)?: body(path.description, text)
    case .int(let number)?: body(path.description, "\(number)")
    case .bool(let bool)?: body(path.description, "\(bool)")
    case .double(let number)?: body(path.description, "\(number)")
    case nil: for (key, child) in node.children { leaves(of: child, at: path.appending(key), body) }
    }
  }
}
