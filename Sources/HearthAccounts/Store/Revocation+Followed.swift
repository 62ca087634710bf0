import HearthTree

extension Revocation {
  /// What a change of the accounts ended that another node made: whose tokens count less than before. Rather too much is
  /// named: whoever is told looks at each credential.
  static func made(at places: [Path], before: AccountRecords, after: AccountRecords) -> [Revocation] {
    var (uids, emails): (Set<String>, Set<String>) = ([], [])
    for place in places where place.count >= 2 {
      let path = place.prefix(2)
      switch place.prefix(1) {
      case AccountPath.users:
        let (old, new): (UserRecord?, UserRecord?) = (before.record(path), after.record(path))
        guard let old else { continue }
        if new == nil || new?.isDisabled == true || new?.border != old.border { uids.insert(old.uid) }
      case AccountPath.sessions:
        let old: SessionRecord? = before.record(path)
        if let old, old.isLegacy, after.root[path].isEmpty { uids.insert(old.uid) }
      case AccountPath.serviceAccounts:
        let old: ServiceAccount? = before.record(path)
        if let old, before.root[path] != after.root[path] { emails.insert(old.email) }
      default: break
      }
    }
    return uids.sorted().map { .user(uid: $0) } + emails.sorted().map { .serviceAccount(email: $0) }
  }
}
