import HearthAccounts
import HearthTree

/// `GET api/people/one?uid=UID&tenant=ID`: an account, its sessions, and what the audit trail has of it.
///
/// The answer is `{"person": {…}, "sessions": [{"provider", "began", "used", "address", "agent", "secondFactor"}],
/// "audit": [{…record…}], "auditIsWhole": bool}`, times in milliseconds since 1970, the newest first. Of the trail the newest
/// ``lookedMax`` records are looked at; `auditIsWhole` says whether these are all.
enum PersonSessions {
  static let lookedMax = 20_000
  static let auditMax = 200

  static func answer(_ user: UserRecord, in view: AccountView, nowSeconds: Int64) -> JSON {
    let sessions = current(of: user, in: view, nowSeconds: nowSeconds).map { session in
      [
        "provider": .string(session.signInProvider), "began": .int(session.createdAtSeconds * 1_000),
        "used": .int(session.lastUsedAtSeconds * 1_000), "address": .string(session.clientAddress),
        "agent": .string(session.userAgent), "secondFactor": .bool(session.secondFactor != nil),
      ] as JSON
    }
    let name = AuditRecord.name(of: user.uid)
    let records = view.auditTail(limit: lookedMax)
    let told = records.reversed().lazy.filter { $0.isAbout(name) }.prefix(auditMax).map(\.fields)
    let isWhole = records.first.map { $0.sequence <= (view.auditHead?.firstSequence ?? 1) } ?? true
    return [
      "person": PeopleSearch.json(user, in: view, nowSeconds: nowSeconds), "sessions": .array(sessions),
      "audit": .array(Array(told)), "auditIsWhole": .bool(isWhole),
    ]
  }

  /// Sessions that can go on, the newest first.
  static func current(of user: UserRecord, in view: AccountView, nowSeconds: Int64) -> [SessionRecord] {
    view.sessions(of: user.uid).map(\.session).filter { session in
      session.replacedAtSeconds == nil && session.expiresAtSeconds.map { $0 > nowSeconds } ?? true
    }.sorted { $0.lastUsedAtSeconds > $1.lastUsedAtSeconds }
  }
}
