import HearthEngine
import HearthTree

/// A change of the accounts, made by the body of ``AccountStore/transact(_:)``: all of it becomes durable together.
///
/// Reading shows the newest state with the changes so far.
public struct AccountTransaction: AccountReading {
  var draft: AccountDraft
  /// The audit records of this change.
  var audited: [AuditRecord] = []
  let damage: DamageReport
  let limits: AccountStoreLimits
  let projectID: String?
  /// The latest second since 1970 that this process has read on the clock outside of changes.
  let seenSeconds: Int64
  /// The value of ``AccountStore/isSpaceLow``.
  private let isSpaceLow: Bool
  let rates: AuditRates
  /// The events of this change for subscribers; nil while there are none.
  var accountEvents: AccountEvents?

  init(
    _ draft: AccountDraft, damage: DamageReport, limits: AccountStoreLimits, projectID: String?, seenSeconds: Int64,
    isSpaceLow: Bool = false, rates: AuditRates = AuditRates()
  ) {
    self.rates = rates
    self.isSpaceLow = isSpaceLow
    self.draft = draft
    self.damage = damage
    self.limits = limits
    self.projectID = projectID
    self.seenSeconds = seenSeconds
  }

  /// The newest records, with the changes so far.
  public var records: AccountRecords { AccountRecords(root: draft.root, damage: damage) }

  /// The time of the transaction.
  public var now: Instant { draft.now }

  var nowSeconds: Int64 { draft.now.wallMilliseconds / 1000 }

  // MARK: Users

  /// Adds a user. Tokens of a deleted account with the same uid stay invalid by the new one's cutoff.
  ///
  /// - Throws: `duplicateLocalID` when the uid is taken; `emailExists`, `phoneNumberExists`,
  ///   `federatedUserAlreadyLinked` for the names of another account; `invalidEmail` for an address that is not in
  ///   canonical form; `invalidArgument` for a uid or a record that cannot be stored; `unavailable` while there is
  ///   little room on the disk.
  public mutating func insert(_ user: UserRecord) throws(AccountError) { _ = try add(user) }

  /// Adds a user as ``insert(_:)`` does, and returns the stored record, with its token cutoff.
  mutating func add(_ user: UserRecord) throws(AccountError) -> UserRecord {
    guard !isSpaceLow else { throw AccountError(.unavailable) }
    guard draft.root[AccountPath.user(user.uid)].isEmpty else { throw AccountError(.duplicateLocalID) }
    var user = user
    user.cutoff = firstCutoff(of: user.uid)
    let text = try storable(user)
    try requireFree(user)
    draft.replace(AccountPath.user(user.uid), with: text)
    link(user)
    return user
  }

  /// Replaces a user's record. Its token cutoff never decreases, whatever the record says.
  ///
  /// - Parameter changes: the changes of credentials that were made by ``CredentialChange/terms``.
  /// - Throws: `userNotFound`, and the errors of ``insert(_:)``; `internalError` when a credential differs that none of the changes
  ///   covers.
  package mutating func update(_ user: UserRecord, as changes: [CredentialChange] = []) throws(AccountError) {
    guard let old = self.user(user.uid) else { throw AccountError(.userNotFound) }
    let declared = changes.reduce(into: Set<CredentialChange.Aspect>()) { $0.formUnion($1.terms.touches) }
    guard user.proofs(changedSince: old).isSubset(of: declared) else {
      throw AccountError(.internalError, "a credential was changed without its conditions")
    }
    var user = user
    user.cutoff.advance(to: old.cutoff)
    // Set at the first change of address, and kept from then on.
    if let email = old.email, user.email?.isSameText(as: email) != true {
      user.initialEmail = user.initialEmail ?? email
    }
    let text = try storable(user)
    try requireFree(user)
    unlink(old)
    noteMigration(from: old, to: user)
    draft.replace(AccountPath.user(user.uid), with: text)
    link(user)
  }

  /// Deletes a user with all their records, if they exist.
  public mutating func delete(_ uid: String) {
    let path = AccountPath.user(uid)
    guard !draft.root[path].isEmpty else { return }
    let user = user(uid)
    if let user {
      unlink(user)
      noteMigration(from: user, to: nil)
    }
    removeSessions(of: uid)
    removeTickets(of: uid)
    if let number = user?.phoneNumber { removeTickets(phone: number) }
    draft.replace(path, with: .empty)
    putTombstone(uid, last: user?.cutoff)
  }

  /// Deletes all users, without tombstones, events or audit records. For emulators.
  public mutating func deleteAllUsers() {
    draft.replace(AccountPath.generationFloor, with: Node(.int(highestGeneration)))
    let subtrees = [
      AccountPath.users, AccountPath.deleted, AccountPath.emails, AccountPath.phones, AccountPath.identities,
      AccountPath.identityEmails, AccountPath.passkeys, AccountPath.sessions, AccountPath.userSessions,
      AccountPath.tickets, AccountPath.userTickets, AccountPath.emailTickets, AccountPath.phoneTickets,
      AccountPath.locks, AccountPath.expiries, AccountPath.migrated,
    ]
    for path in subtrees { draft.replace(path, with: .empty) }
  }

  private func storable(_ user: UserRecord) throws(AccountError) -> Node {
    guard (1...128).contains(user.uid.utf16.count) else {
      throw AccountError(.invalidArgument, "A localId has 1 to 128 characters")
    }
    if let email = user.email, EmailAddress.canonical(email)?.isSameText(as: email) != true {
      throw AccountError(.invalidEmail)
    }
    guard user.identities.count <= limits.identitiesPerUserMax, user.factors.count <= limits.identitiesPerUserMax,
      user.passkeys.count <= limits.identitiesPerUserMax
    else {
      throw AccountError(.invalidArgument, "Too many providers, second factors or passkeys")
    }
    let text = text(of: user)
    guard text.withStringUTF8({ $0.count }) ?? 0 <= limits.userSizeBytesMax else {
      throw AccountError(.invalidArgument, "The user's record is too large")
    }
    return text
  }

  func text(of record: some StoredRecord) -> Node {
    Node(.string(String(decoding: RecordWriter(record).json.text(), as: UTF8.self)))
  }

  private mutating func link(_ user: UserRecord) {
    for path in names(of: user) + sharedNames(of: user) { draft.replace(path, with: Node(.string(user.uid))) }
  }

  private mutating func unlink(_ user: UserRecord) {
    for path in names(of: user) + sharedNames(of: user)
    where records.text(path)?.isSameText(as: user.uid) == true {
      draft.replace(path, with: .empty)
    }
  }

  /// Returns the paths of the user's unique names.
  private func names(of user: UserRecord) -> [Path] {
    var paths = user.identities.map { AccountPath.identity($0.providerID, $0.rawID) }
    paths += user.passkeys.map { AccountPath.passkey($0.id) }
    if let email = user.email { paths.append(AccountPath.email(email)) }
    if let number = user.phoneNumber { paths.append(AccountPath.phone(number)) }
    return paths
  }

  /// Returns the paths of names that several users may share.
  private func sharedNames(of user: UserRecord) -> [Path] {
    user.identities.compactMap(\.email).map { AccountPath.identityEmail($0).appending(AccountPath.key(user.uid)) }
  }
}
