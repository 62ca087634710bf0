import HearthEngine
import HearthPlugin
import HearthTree

extension AccountEvent {
  /// Returns the events of a commit, in the project and in its tenants: see ``AccountEvents``. Deleting a whole
  /// tenant causes no events for its users.
  static func events(of change: CommittedChange, damage: DamageReport) -> [AccountEvent] {
    change.paths.flatMap { path -> [AccountEvent] in
      if path == AccountPath.accountEvents { return events(of: change, at: .root, damage: damage) }
      guard path.count == 3, path.prefix(1) == AccountPath.tenants,
        path == path.prefix(2).appending(AccountPath.accountEvents)
      else { return [] }
      return events(of: change, at: path.prefix(2), damage: damage)
    }
  }

  /// - Parameter base: the path of the accounts' root.
  private static func events(of change: CommittedChange, at base: Path, damage: DamageReport) -> [AccountEvent] {
    func records(_ root: Node) -> AccountRecords {
      AccountRecords(root: base.isRoot ? root : root[base], damage: damage)
    }
    let (old, new) = (records(change.oldRoot), records(change.newRoot))
    // The tenant is determined by the path: when the tenant's record cannot be read, its users must not be reported as the
    // project's.
    let tenant = base.keys.last.flatMap(AccountPath.text)
    guard base.isRoot || tenant != nil else { return [] }
    let accountEvents: AccountEvents? = new.record(AccountPath.accountEvents)
    return (accountEvents?.all ?? []).map { event in
      let path = AccountPath.user(event.uid)
      let record: UserRecord? = event.kind == .created ? new.record(path) : old.record(path)
      var user =
        record.map { HookUser($0) } ?? HookUser(uid: event.uid, createdAtMilliseconds: 0)
      user.tenantID = tenant
      return AccountEvent(
        position: change.position, milliseconds: change.wallMilliseconds, kind: event.kind, uid: event.uid,
        user: user)
    }
  }
}
