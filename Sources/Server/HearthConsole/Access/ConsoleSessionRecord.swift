import HearthCrypto
import HearthTree

/// A session as it is kept across restarts: the hashes of its secrets, the generation of the credential that opened it,
/// and times in milliseconds since 1970. It opens nothing by itself.
package struct ConsoleSessionRecord: Sendable, Equatable {
  /// The session's id.
  package var id: UInt64
  /// The session's permissions.
  package var role: ConsoleRole
  /// The name of the user or link that opened it.
  package var name: String
  /// The user whose claim opened it; nil for a link.
  package var user: ConsoleUser?
  /// The authority, from `Host`, at which the session is valid.
  package var authority: String
  /// The hash of the cookie.
  package var cookie: Digest
  /// The hash of the page's token.
  package var token: Digest
  /// The time at which the session ends in any case.
  package var endsAt: Int64
  /// The time of the last use.
  package var usedAt: Int64
  /// The time of the last proof that the user is present.
  package var presentAt: Int64
}

/// The sessions of a server as they are kept across restarts.
package struct ConsoleSessionList: Sendable, Equatable {
  /// The format of the text. A list of another format is not read.
  static let formatVersion: Int64 = 1

  /// The hash of the operator's credential, by which links are made. After it was replaced, sessions of links are not
  /// restored.
  package var operatorCredential: Digest
  /// The number of the last session, so that the audit trail has no number twice.
  package var lastID: UInt64
  /// The sessions, the oldest first.
  package var sessions: [ConsoleSessionRecord]

  /// Creates the list of the sessions that are kept.
  package init(operatorCredential: Digest, lastID: UInt64, sessions: [ConsoleSessionRecord]) {
    (self.operatorCredential, self.lastID, self.sessions) = (operatorCredential, lastID, sessions)
  }

  /// The text of the list: a JSON object.
  package var text: [UInt8] {
    let json: JSON = [
      "version": .int(Self.formatVersion), "operator": .string(operatorCredential.hex), "lastID": .int(Int64(lastID)),
      "sessions": .array(sessions.map(\.json)),
    ]
    return json.text() + [UInt8(ascii: "\n")]
  }

  /// Reads a text; nil when it is no list of this format.
  package init?(text: [UInt8]) {
    guard let json = JSON(parsing: text), json["version"]?.int == Self.formatVersion,
      let credential = json["operator"]?.string.flatMap({ Digest(hex: $0) }), let lastID = json["lastID"]?.int,
      let members = json["sessions"]?.array
    else { return nil }
    let sessions = members.compactMap { ConsoleSessionRecord($0) }
    guard lastID >= 0, sessions.count == members.count else { return nil }
    self.init(operatorCredential: credential, lastID: UInt64(lastID), sessions: sessions)
  }
}

extension ConsoleSessionRecord {
  fileprivate init?(_ json: JSON) {
    guard let id = json["id"]?.int, id > 0, let role = json["role"]?.string.flatMap({ ConsoleRole(rawValue: $0) }),
      let name = json["name"]?.string, let authority = json["authority"]?.string,
      let cookie = json["cookie"]?.string.flatMap({ Digest(hex: $0) }),
      let token = json["token"]?.string.flatMap({ Digest(hex: $0) }), let endsAt = json["endsAt"]?.int,
      let usedAt = json["usedAt"]?.int, let presentAt = json["presentAt"]?.int
    else { return nil }
    (self.id, self.role, self.name, self.authority) = (UInt64(id), role, name, authority)
    (self.cookie, self.token) = (cookie, token)
    (self.endsAt, self.usedAt, self.presentAt) = (endsAt, usedAt, presentAt)
    if let uid = json["uid"]?.string {
      guard let generation = json["generation"]?.int else { return nil }
      user = ConsoleUser(uid: uid, generation: generation, keyID: json["key"]?.string)
    }
  }

  fileprivate var json: JSON {
    var members: [JSON.Member] = [
      .init("id", .int(Int64(id))), .init("role", .string(role.rawValue)), .init("name", .string(name)),
      .init("authority", .string(authority)), .init("cookie", .string(cookie.hex)),
      .init("token", .string(token.hex)), .init("endsAt", .int(endsAt)), .init("usedAt", .int(usedAt)),
      .init("presentAt", .int(presentAt)),
    ]
    if let user {
      members += [.init("uid", .string(user.uid)), .init("generation", .int(user.generation))]
      if let keyID = user.keyID { members.append(.init("key", .string(keyID))) }
    }
    return .object(members)
  }
}

extension ConsoleAccess {
  /// Returns the current sessions.
  ///
  /// - Parameter wallNow: milliseconds since 1970, at the monotonic time `now`.
  package func records(operatorCredential: Digest, wallNow: Int64, now: Int64) -> ConsoleSessionList {
    state.withLock { state in
      let offset = wallNow - now
      let current = state.sessions.filter { isCurrent($0.value, now) }.sorted { $0.value.id < $1.value.id }
      return ConsoleSessionList(
        operatorCredential: operatorCredential, lastID: state.lastID,
        sessions: current.map { cookie, session in
          ConsoleSessionRecord(
            id: session.id, role: session.role, name: session.name, user: session.user,
            authority: session.authority, cookie: cookie, token: session.token, endsAt: session.end + offset,
            usedAt: session.usedAt + offset, presentAt: session.presentAt + offset)
        })
    }
  }

  /// Restores the sessions of an earlier process that are still within their times and this server's limits.
  ///
  /// Sessions of links are restored only while the operator's credential is the same. A session whose times are in the
  /// future is not restored: the clock was set back, and the age of the session is unknown.
  ///
  /// - Parameters:
  ///   - isVouchedFor: returns false when the credential of a user no longer counts.
  ///   - wallNow: milliseconds since 1970, at the monotonic time `now`.
  package func restore(
    _ list: ConsoleSessionList, operatorCredential: Digest, wallNow: Int64, now: Int64,
    isVouchedFor: (ConsoleUser) -> Bool = { _ in true }
  ) {
    let isSameOperator = ConstantTime.equal(list.operatorCredential.bytes, operatorCredential.bytes)
    let restored = list.sessions.filter { record in
      guard record.usedAt <= wallNow, record.presentAt <= wallNow, wallNow < record.endsAt,
        record.endsAt - wallNow <= limits.sessionSeconds * 1_000,
        wallNow - record.usedAt < limits.idleSeconds * 1_000
      else { return false }
      return record.user.map(isVouchedFor) ?? isSameOperator
    }
    let newestFirst = restored.sorted { ($0.usedAt, $0.id) > ($1.usedAt, $1.id) }
    state.withLock { state in
      state.lastID = max(state.lastID, list.lastID, list.sessions.map(\.id).max() ?? 0)
      var counts: [ConsolePerson: Int] = [:]
      for record in newestFirst where state.sessions.count < limits.sessionsMax {
        let person = ConsolePerson(uid: record.user?.uid, name: record.name)
        guard counts[person, default: 0] < limits.sessionsPerPersonMax else { continue }
        counts[person, default: 0] += 1
        let offset = now - wallNow
        state.sessions[record.cookie] = Session(
          id: record.id, role: record.role, name: record.name, user: record.user, authority: record.authority,
          token: record.token, end: record.endsAt + offset, usedAt: record.usedAt + offset,
          presentAt: record.presentAt + offset)
      }
    }
  }
}
