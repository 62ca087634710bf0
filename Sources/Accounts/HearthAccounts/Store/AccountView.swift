import HearthCrypto
import HearthTree

/// The lookups in the accounts: in a durable state (``AccountView``), or inside a change (``AccountTransaction``).
///
/// A record that cannot be read is reported to the operator and counts as absent; its names stay taken.
public protocol AccountReading {
  var records: AccountRecords { get }
}

/// A durable state of the accounts. It does not change with later transactions.
public struct AccountView: AccountReading, Sendable {
  /// The records of this state.
  public let records: AccountRecords
}

extension AccountReading {
  /// The blocking functions that were set while the server ran; nil when those of the configuration count.
  ///
  /// Unreadable settings count as unreachable functions, so that no sign-in bypasses them.
  var blockingFunctions: BlockingFunctionSettings? {
    let node = records.root[AccountPath.blockingFunctions]
    guard !node.isEmpty else { return nil }
    if let json = node.withStringUTF8({ JSON(parsing: $0) }) ?? nil,
      let settings = try? BlockingFunctionSettings(json: json, namingAllowsPrivate: true)
    {
      return settings
    }
    records.damage.add(AccountPath.blockingFunctions, "it is not a setting")
    return .unreadable
  }

  /// The changes of the configuration while the server ran: the text of a configuration file; nil for none.
  var configurationChanges: String? { records.text(AccountPath.configurationChanges) }

  // MARK: Users

  /// The user of that id.
  public func user(_ uid: String) -> UserRecord? { records.record(AccountPath.user(uid)) }

  /// Checks that no other account has the record's address, number, identities or passkeys. Changes nothing, so that a
  /// body may continue after a refusal.
  ///
  /// - Throws: `emailExists`, `phoneNumberExists`, `federatedUserAlreadyLinked`, `credentialInUse`.
  func requireFree(_ user: UserRecord) throws(AccountError) {
    if let email = user.email, isTaken(AccountPath.email(email), for: user) { throw AccountError(.emailExists) }
    if let number = user.phoneNumber, isTaken(AccountPath.phone(number), for: user) {
      throw AccountError(.phoneNumberExists)
    }
    for identity in user.identities
    where isTaken(AccountPath.identity(identity.providerID, identity.rawID), for: user) {
      throw AccountError(.federatedUserAlreadyLinked)
    }
    for key in user.passkeys where isTaken(AccountPath.passkey(key.id), for: user) {
      throw AccountError(.credentialInUse)
    }
  }

  /// Returns true when another existing user has the name. Names left by a deleted user with an unreadable record are
  /// free.
  private func isTaken(_ path: Path, for user: UserRecord) -> Bool {
    guard let owner = records.text(path), !owner.isSameText(as: user.uid) else { return false }
    return !records.root[AccountPath.user(owner)].isEmpty
  }

  /// - Parameter email: the address in canonical form.
  public func user(email: String) -> UserRecord? {
    owner(AccountPath.email(email)).flatMap { $0.email?.isSameText(as: email) == true ? $0 : nil }
  }

  /// Users with an identity that has the address, in the order of their uids; their own address may be another, or
  /// none.
  ///
  /// Records of earlier versions are found from their next change on, such as the next sign-in.
  ///
  /// - Parameters:
  ///   - email: the address in canonical form.
  ///   - limit: the number of records to read.
  package func users(identityEmail email: String, limit: Int) -> [UserRecord] {
    let path = AccountPath.identityEmail(email)
    return records.root[path].children.prefix(limit).compactMap { key, _ in
      owner(path.appending(key)).flatMap { user in
        user.identities.contains { $0.email?.isSameText(as: email) == true } ? user : nil
      }
    }
  }

  /// The user with the given phone number, in E.164.
  public func user(phone: String) -> UserRecord? {
    owner(AccountPath.phone(phone)).flatMap { $0.phoneNumber?.isSameText(as: phone) == true ? $0 : nil }
  }

  /// The user with an identity at another provider, by that provider's id of the user.
  public func user(providerID: String, rawID: String) -> UserRecord? {
    owner(AccountPath.identity(providerID, rawID)).flatMap { user in
      let isTheirs = user.identities.contains {
        $0.providerID.isSameText(as: providerID) && $0.rawID.isSameText(as: rawID)
      }
      return isTheirs ? user : nil
    }
  }

  /// The user with the passkey of that id.
  func user(passkey id: String) -> UserRecord? {
    owner(AccountPath.passkey(id)).flatMap { $0.passkey(id) == nil ? nil : $0 }
  }

  /// The token cutoff of the last deleted account with a uid: that account's tokens stay invalid for a later account
  /// with the uid. Nil when none was deleted.
  public func tombstone(_ uid: String) -> TokenCutoff? {
    let path = AccountPath.deleted(uid)
    return records.cutoff(records.root[path], at: path)
  }

  /// Users in the order of their uids.
  ///
  /// - Parameter uid: the last one of the page before; nil begins with the first.
  public func users(after uid: String? = nil, limit: Int) -> [UserRecord] {
    let users = records.root[AccountPath.users]
    let children = uid.map { users.children(from: AccountPath.key($0), isInclusive: false) } ?? users.children
    var page: [UserRecord] = []
    for (key, node) in children {
      guard page.count < limit else { break }
      if let user: UserRecord = records.record(node, at: AccountPath.users.appending(key)) { page.append(user) }
    }
    return page
  }

  /// The number of users that there are, unreadable ones included.
  public var userCount: Int { records.root[AccountPath.users].childCount }

  private func owner(_ path: Path) -> UserRecord? { records.text(path).flatMap { user($0) } }

  // MARK: Sessions and tickets

  /// The session with the given token hash.
  public func session(_ tokenHash: Digest) -> SessionRecord? { records.record(AccountPath.session(tokenHash)) }

  /// The sessions of a user, with the hashes of their tokens.
  public func sessions(of uid: String) -> [(hash: Digest, session: SessionRecord)] {
    hashes(AccountPath.userSessions.appending(AccountPath.key(uid))).compactMap { hash in
      session(hash).map { (hash, $0) }
    }
  }

  /// The ticket with the given hash.
  public func ticket(_ hash: Digest) -> Ticket? { records.record(AccountPath.ticket(hash)) }

  /// The tickets of a user, with the hashes of their texts.
  public func tickets(of uid: String) -> [(hash: Digest, ticket: Ticket)] {
    tickets(in: AccountPath.userTickets.appending(AccountPath.key(uid)))
  }

  /// Tickets of an address, in canonical form, that had no user at their creation.
  public func tickets(email: String) -> [(hash: Digest, ticket: Ticket)] {
    tickets(in: AccountPath.emailTickets.appending(AccountPath.key(email)))
  }

  /// Tickets of all users, in no particular order.
  public func allTickets(limit: Int) -> [Ticket] {
    var tickets: [Ticket] = []
    for (key, node) in records.root[AccountPath.tickets].children {
      guard tickets.count < limit else { break }
      if let ticket: Ticket = records.record(node, at: AccountPath.tickets.appending(key)) { tickets.append(ticket) }
    }
    return tickets
  }

  private func tickets(in path: Path) -> [(hash: Digest, ticket: Ticket)] {
    hashes(path).compactMap { hash in ticket(hash).map { (hash, $0) } }
  }

  func hashes(_ path: Path) -> [Digest] { records.root[path].children.compactMap { Digest(hex: $0.key.text) } }

  // MARK: Everything else

  /// The service account of that address.
  public func serviceAccount(email: String) -> ServiceAccount? { records.record(AccountPath.serviceAccount(email)) }

  /// All service accounts, by address.
  public var serviceAccounts: [ServiceAccount] {
    records.root[AccountPath.serviceAccounts].children.compactMap { key, node in
      records.record(node, at: AccountPath.serviceAccounts.appending(key))
    }
  }

  /// The sealed signer key of an import.
  public func importKey(_ id: String) -> String? { records.text(AccountPath.importKey(id)) }

  /// All locks of accounts, by their names.
  public var locks: [String: AccountLock] {
    var locks: [String: AccountLock] = [:]
    for (key, node) in records.root[AccountPath.locks].children {
      guard let name = AccountPath.text(key) else { continue }
      locks[name] = records.record(node, at: AccountPath.locks.appending(key))
    }
    return locks
  }

  // MARK: The audit trail

  /// Records of the trail, oldest first.
  public func audit(from sequence: Int64 = 0, limit: Int) -> [AuditRecord] {
    let trail = records.root[AccountPath.audit]
    var found: [AuditRecord] = []
    for (key, node) in trail.children(from: Key(AccountPath.hexadecimal(sequence))) {
      guard found.count < limit else { break }
      if let record = auditRecord(key, node) { found.append(record) }
    }
    return found
  }

  /// The last records of the trail, oldest first.
  public func auditTail(limit: Int) -> [AuditRecord] {
    var found: [AuditRecord] = []
    for (key, node) in records.root[AccountPath.audit].childrenReversed {
      guard found.count < limit else { break }
      if let record = auditRecord(key, node) { found.append(record) }
    }
    return found.reversed()
  }

  /// The ends of the audit trail; nil before the first record.
  public var auditHead: AuditHead? { records.record(AccountPath.auditHead) }

  private func auditRecord(_ key: Key, _ node: Node) -> AuditRecord? {
    let record = node.withStringUTF8 { AuditRecord(stored: $0) } ?? nil
    if record == nil { records.damage.add(AccountPath.audit.appending(key), "it is not an audit record") }
    return record
  }
}

extension String {
  /// Compares by code units, unlike Swift's `==`.
  package func isSameText(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
