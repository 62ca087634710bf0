import HearthEngine
import HearthPlugin
import HearthTree

extension AccountEvent {
  /// What a commit says that happened: see ``AccountHappenings``.
  static func events(of change: CommittedChange, damage: DamageReport) -> [AccountEvent] {
    guard change.paths.contains(AccountPath.happenings) else { return [] }
    let (old, new) = (
      AccountRecords(root: change.oldRoot, damage: damage), AccountRecords(root: change.newRoot, damage: damage)
    )
    let happenings: AccountHappenings? = new.record(AccountPath.happenings)
    return (happenings?.all ?? []).map { happening in
      let path = AccountPath.user(happening.uid)
      let record: UserRecord? = happening.kind == .created ? new.record(path) : old.record(path)
      return AccountEvent(
        position: change.position, milliseconds: change.wallMilliseconds, kind: happening.kind, uid: happening.uid,
        user: record.map { HookUser($0) } ?? HookUser(uid: happening.uid, createdAtMilliseconds: 0))
    }
  }
}
