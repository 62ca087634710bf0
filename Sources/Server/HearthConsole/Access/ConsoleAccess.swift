import HearthBytes
import HearthCrypto
import Synchronization

/// The access control of the console: keys of printed links, sessions, and the credentials that sessions get for the
/// socket.
///
/// Only hashes of secrets are kept, and in memory alone: a restart ends every session. Times are milliseconds on the
/// monotonic clock, which cannot be set back.
package final class ConsoleAccess: Sendable {
  private struct LinkKey {
    var digest: Digest
    var role: ConsoleRole
    var name: String
    var end: Int64
  }

  private struct Session {
    let id: UInt64
    let role: ConsoleRole
    let name: String
    let uid: String?
    /// The authority, from `Host`, at which its cookie and its token are valid.
    let authority: String
    let token: Digest
    let end: Int64
    var usedAt: Int64
    /// The time of the last proof that the user is present.
    var presentAt: Int64
    /// The hashes of its credentials, the oldest first.
    var credentials: [Digest] = []
    /// The databases that it got a credential for.
    var databases: Set<String> = []
  }

  private struct State {
    var lastID: UInt64 = 0
    /// The unused keys, the oldest first.
    var keys: [LinkKey] = []
    /// The sessions by the cookie's hash.
    var sessions: [Digest: Session] = [:]
    /// The credentials by their hash, so that the time of a lookup reveals nothing about other credentials.
    var credentials: [Digest: (cookie: Digest, end: Int64)] = [:]

    mutating func remove(_ cookie: Digest) -> UInt64? {
      guard let session = sessions.removeValue(forKey: cookie) else { return nil }
      for digest in session.credentials { credentials[digest] = nil }
      return session.id
    }
  }

  private let state = Mutex(State())
  private let limits: ConsoleLimits
  private let random: RandomBytes
  private let ended = Mutex<(@Sendable ([UInt64]) -> Void)?>(nil)

  /// The prefix of a credential for the socket, by which secret scanners recognise it.
  package static let credentialPrefix = "hearth_console_"

  private static let secretBytes = 32
  /// The maximum size of a key, cookie or token; longer input is not hashed.
  private static let presentedBytesMax = 128

  /// Creates an access control without keys and sessions.
  package init(limits: ConsoleLimits = .standard, random: RandomBytes = .system) {
    (self.limits, self.random) = (limits, random)
  }

  /// Sets the handler of ended sessions, whose credentials are no longer valid.
  ///
  /// - Parameter ended: called from any thread, without a lock held.
  package func whenEnded(_ ended: @escaping @Sendable ([UInt64]) -> Void) { self.ended.withLock { $0 = ended } }

  private func secret() throws(RandomnessError) -> String { Base64URL.encode(try random.bytes(Self.secretBytes)) }

  private static func digest(_ secret: String) -> Digest? {
    (1...presentedBytesMax).contains(secret.utf8.count) ? Digest(sha256: secret.utf8) : nil
  }
}

// MARK: - Links

extension ConsoleAccess {
  /// Makes the key of a new link, valid once.
  ///
  /// - Parameter name: the name of the administrator that requested it.
  package func makeKey(
    _ role: ConsoleRole, name: String, now: Int64
  ) throws(RandomnessError) -> String {
    let key = try secret()
    let made = LinkKey(
      digest: Digest(sha256: key.utf8), role: role, name: name, end: now + limits.keySeconds * 1_000)
    state.withLock { state in
      state.keys.removeAll { $0.end <= now }
      if state.keys.count >= limits.keysMax { state.keys.removeFirst(state.keys.count - limits.keysMax + 1) }
      state.keys.append(made)
    }
    return key
  }

  /// Uses a key up.
  ///
  /// - Returns: the role and name that it was made for; nil for a key that is unknown, expired or used.
  package func redeem(_ key: String, now: Int64) -> (role: ConsoleRole, name: String)? {
    guard let digest = Self.digest(key) else { return nil }
    return state.withLock { state in
      state.keys.removeAll { $0.end <= now }
      // Every key is compared, so that the time reveals nothing.
      var found: Int?
      for index in state.keys.indices where ConstantTime.equal(state.keys[index].digest.bytes, digest.bytes) {
        found = index
      }
      return found.map { index in
        let key = state.keys.remove(at: index)
        return (key.role, key.name)
      }
    }
  }
}

// MARK: - Sessions

extension ConsoleAccess {
  /// Begins a session.
  ///
  /// - Parameters:
  ///   - uid: the user whose claim opens it; nil for a link.
  ///   - authority: the browser's `Host`, at which alone the session is valid.
  package func open(
    _ role: ConsoleRole, name: String, uid: String? = nil, at authority: String, now: Int64
  ) throws(RandomnessError) -> (session: ConsoleSession, secrets: ConsoleSecrets) {
    let secrets = ConsoleSecrets(cookie: try secret(), token: try secret())
    var endedIDs: [UInt64] = []
    let session = state.withLock { state in
      endedIDs = removeExpired(in: &state, now: now)
      // One person's sessions give way to each other, so that no viewer ends an administrator's.
      let own = state.sessions.filter { $0.value.uid == uid && $0.value.name == name }
      let crowd = own.count >= limits.sessionsPerPersonMax ? own : state.sessions
      let isFull = own.count >= limits.sessionsPerPersonMax || state.sessions.count >= limits.sessionsMax
      if isFull, let oldest = crowd.min(by: { ($0.value.usedAt, $0.value.id) < ($1.value.usedAt, $1.value.id) }) {
        endedIDs += [state.remove(oldest.key)].compactMap(\.self)
      }
      state.lastID += 1
      let session = Session(
        id: state.lastID, role: role, name: name, uid: uid, authority: authority.lowercased(),
        token: Digest(sha256: secrets.token.utf8), end: now + limits.sessionSeconds * 1_000, usedAt: now, presentAt: now
      )
      state.sessions[Digest(sha256: secrets.cookie.utf8)] = session
      return consoleSession(session, now: now)
    }
    notifyEnded(endedIDs)
    return (session, secrets)
  }

  /// Returns the session that both halves belong to.
  ///
  /// - Parameters:
  ///   - authority: the request's `Host`.
  ///   - isUse: true for a user's action, which postpones the idle timeout.
  package func session(
    cookie: String, token: String, at authority: String, now: Int64, isUse: Bool
  ) -> ConsoleSession? {
    guard let key = Self.digest(cookie), let token = Self.digest(token) else { return nil }
    var endedIDs: [UInt64] = []
    let found: ConsoleSession? = state.withLock { state in
      endedIDs = removeExpired(in: &state, now: now)
      guard var session = state.sessions[key], ConstantTime.equal(session.token.bytes, token.bytes),
        session.authority == authority.lowercased()
      else { return nil }
      if isUse {
        session.usedAt = now
        state.sessions[key] = session
      }
      return consoleSession(session, now: now)
    }
    notifyEnded(endedIDs)
    return found
  }

  /// Records a new proof that the session's user is present.
  package func recordPresence(in id: UInt64, now: Int64) {
    state.withLock { state in
      guard let key = state.sessions.first(where: { $0.value.id == id })?.key else { return }
      state.sessions[key]?.presentAt = now
    }
  }

  /// Returns true when a session is still valid; does not postpone its timeout.
  package func isOpen(_ id: UInt64, now: Int64) -> Bool {
    state.withLock { state in state.sessions.values.contains { $0.id == id && isCurrent($0, now) } }
  }

  /// Ends a session, and its credentials.
  package func end(_ id: UInt64) { end { $0.id == id } }

  /// Ends every session that a user's claim opened.
  package func end(ofUser uid: String) { end { $0.uid?.utf8.elementsEqual(uid.utf8) == true } }

  /// Ends sessions that users' claims opened.
  ///
  /// - Parameter isLapsed: returns true when the user may no longer have that role. Called with the lock held.
  package func endLapsed(_ isLapsed: (_ uid: String, _ role: ConsoleRole) -> Bool) {
    end { session in session.uid.map { isLapsed($0, session.role) } ?? false }
  }

  private func end(_ shouldEnd: (Session) -> Bool) {
    let endedIDs = state.withLock { state in
      let keys = state.sessions.filter { shouldEnd($0.value) }.map(\.key)
      return keys.compactMap { state.remove($0) }
    }
    notifyEnded(endedIDs)
  }

  private func isCurrent(_ session: Session, _ now: Int64) -> Bool {
    now < session.end && now < session.usedAt + limits.idleSeconds * 1_000
  }

  /// Removes the sessions that have expired. Their credentials expired before them.
  private func removeExpired(in state: inout State, now: Int64) -> [UInt64] {
    let expired = state.sessions.filter { !isCurrent($0.value, now) }.map(\.key)
    return expired.compactMap { state.remove($0) }
  }

  private func notifyEnded(_ endedIDs: [UInt64]) {
    guard !endedIDs.isEmpty, let ended = ended.withLock({ $0 }) else { return }
    ended(endedIDs)
  }

  private func consoleSession(_ session: Session, now: Int64) -> ConsoleSession {
    ConsoleSession(
      id: session.id, role: session.role, name: session.name, uid: session.uid,
      endsInSeconds: (session.end - now) / 1_000,
      idleSeconds: (min(session.end, session.usedAt + limits.idleSeconds * 1_000) - now) / 1_000,
      isPresent: now < session.presentAt + limits.presenceSeconds * 1_000)
  }
}

// MARK: - Credentials

extension ConsoleAccess {
  /// Makes a credential for the socket. It expires before its session does.
  ///
  /// - Returns: nil when the session has ended; `isFirst` is true for the first credential for that database.
  package func makeCredential(
    of id: UInt64, for database: String, now: Int64
  ) throws(RandomnessError) -> (text: String, endsInSeconds: Int64, isFirst: Bool)? {
    let text = Self.credentialPrefix + (try secret())
    let digest = Digest(sha256: text.utf8)
    return state.withLock { state in
      guard let (key, found) = state.sessions.first(where: { $0.value.id == id && isCurrent($0.value, now) }) else {
        return nil
      }
      var session = found
      let idleEnd = session.usedAt + limits.idleSeconds * 1_000
      let end = min(now + limits.credentialSeconds * 1_000, session.end, idleEnd)
      for old in session.credentials where state.credentials[old].map({ $0.end <= now }) ?? true {
        state.credentials[old] = nil
      }
      session.credentials.removeAll { state.credentials[$0] == nil }
      if session.credentials.count >= limits.credentialsPerSessionMax {
        state.credentials[session.credentials.removeFirst()] = nil
      }
      session.credentials.append(digest)
      state.credentials[digest] = (key, end)
      let isFirst =
        session.databases.count < limits.credentialsPerSessionMax && session.databases.insert(database).inserted
      state.sessions[key] = session
      return (text, (end - now) / 1_000, isFirst)
    }
  }

  /// Returns the owner of a credential; nil when it is not valid.
  package func credential(_ text: String, now: Int64) -> ConsoleCredential? {
    guard text.utf8.starts(with: Self.credentialPrefix.utf8), let digest = Self.digest(text) else { return nil }
    return state.withLock { state in
      guard let found = state.credentials[digest], now < found.end, let session = state.sessions[found.cookie],
        isCurrent(session, now)
      else { return nil }
      return ConsoleCredential(
        session: session.id, role: session.role, endsInSeconds: (found.end - now) / 1_000)
    }
  }
}
