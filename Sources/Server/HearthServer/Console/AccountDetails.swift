import HearthAccounts
import HearthTree

/// The details of an account, `GET api/people/one?uid=UID&tenant=ID`: the account, its sessions, and its records in the
/// audit trail.
///
/// The response is `{"person": {…}, "sessions": [{"provider", "began", "used", "address", "agent", "secondFactor"}],
/// "audit": [{…record…}], "auditIsWhole": bool}`, times in milliseconds since 1970, the newest first. The newest
/// ``examinedMax`` records of the trail are examined; `auditIsWhole` is true when these are all.
enum AccountDetails {
  static let examinedMax = 20_000
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
    let records = view.auditTail(limit: examinedMax)
    let auditFields = records.reversed().lazy.filter { $0.isAbout(name) }.prefix(auditMax).map(\.fields)
    let isWhole = records.first.map { $0.sequence <= (view.auditHead?.firstSequence ?? 1) } ?? true
    return [
      "person": AccountSearch.json(user, in: view, nowSeconds: nowSeconds), "sessions": .array(sessions),
      "audit": .array(Array(auditFields)), "auditIsWhole": .bool(isWhole),
    ]
  }

  /// Returns the sessions that can continue, the newest first.
  static func current(of user: UserRecord, in view: AccountView, nowSeconds: Int64) -> [SessionRecord] {
    view.sessions(of: user.uid).map(\.session).filter { session in
      session.replacedAtSeconds == nil && session.expiresAtSeconds.map { $0 > nowSeconds } ?? true
    }.sorted { $0.lastUsedAtSeconds > $1.lastUsedAtSeconds }
  }
}
