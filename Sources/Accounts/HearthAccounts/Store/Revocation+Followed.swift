import HearthTree

extension Revocation {
  /// Returns the revocations in another node's change of the accounts, with the reason as far as it is visible. The
  /// result may name too many: its receiver checks each credential.
  static func made(
    at places: [Path], before: AccountRecords, after: AccountRecords
  ) -> [(revocation: Revocation, event: AuditEvent.Kind)] {
    var (uids, emails): ([String: AuditEvent.Kind], Set<String>) = ([:], [])
    var ofTenants: [Path: [Path]] = [:]
    for place in places where place.count >= 2 {
      let path = place.prefix(2)
      switch place.prefix(1) {
      case AccountPath.users:
        let (old, new): (UserRecord?, UserRecord?) = (before.record(path), after.record(path))
        guard let old else { continue }
        if let new {
          if new.isDisabled || new.cutoff != old.cutoff {
            uids[old.uid] = new.isDisabled && !old.isDisabled ? .userDisabled : .revoked
          }
        } else {
          uids[old.uid] = .userDeleted
        }
      case AccountPath.sessions:
        let old: SessionRecord? = before.record(path)
        if let old, old.isLegacy, after.root[path].isEmpty { uids[old.uid] = uids[old.uid] ?? .revoked }
      case AccountPath.serviceAccounts:
        let old: ServiceAccount? = before.record(path)
        if let old, before.root[path] != after.root[path] { emails.insert(old.email) }
      case AccountPath.tenants: ofTenants[path, default: []].append(Path(Array(place.keys.dropFirst(2))))
      default: break
      }
    }
    let further = ofTenants.sorted { $0.key.description < $1.key.description }.flatMap { path, places in
      made(at: places, ofTenantAt: path, before: before, after: after)
    }
    return further + uids.sorted { $0.key < $1.key }.map { (.user(uid: $0), $1) }
      + emails.sorted().map { (.serviceAccount(email: $0), .revoked) }
  }

  /// Returns the revocations within a tenant, which may be deleted or disabled as a whole.
  private static func made(
    at places: [Path], ofTenantAt path: Path, before: AccountRecords, after: AccountRecords
  ) -> [(revocation: Revocation, event: AuditEvent.Kind)] {
    let settings: TenantRecord? = before.record(path.appending(AccountPath.settings))
    if after.root[path].isEmpty { return settings.map { [(.tenant(id: $0.id), .userDeleted)] } ?? [] }
    let current: TenantRecord? = after.record(path.appending(AccountPath.settings))
    if let settings, let current, current.isDisabled, !settings.isDisabled {
      return [(.tenant(id: settings.id), .userDisabled)]
    }
    return made(
      at: places, before: AccountRecords(root: before.root[path], damage: before.damage),
      after: AccountRecords(root: after.root[path], damage: after.damage))
  }
}
