import HearthCrypto
import HearthEngine

extension Sessions {
  /// Returns new tokens for a refresh token.
  ///
  /// A token that once was valid is answered with `tokenExpired`, on which clients sign out; `invalidRefreshToken` is
  /// for all others.
  package func refresh(
    _ text: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple) {
    let hash = Digest(sha256: text.utf8)
    guard let known = context.store.view.session(hash), !known.isLegacy else {
      throw try await refusedRefresh(text, client: client, now: now)
    }
    guard let owner = context.store.view.user(known.uid) else { throw AccountError(.userNotFound) }
    let added: [ClaimValue.Member]
    do throws(AccountError) {
      added = try await tokens.claims.added(to: owner, in: known, .refresh, client: client)
    } catch {
      // Clients would treat any other error as a decision about their session.
      throw error.isUndecided ? AccountError(.unavailable) : error
    }
    let policy = context.configuration.refresh
    let successor: RefreshToken? =
      if policy.rotates {
        try context.secrets.draw { (random) throws(RandomnessError) in
          try RefreshToken(
            uid: known.uid, family: known.family, generation: known.generation + 1, keys: context.keys, random: random)
        }
      } else { nil }
    let outcome = try await context.store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> RefreshOutcome in
      try transaction.refresh(hash, successor: successor?.hash, policy: policy, client: client, now: now)
    }
    switch outcome {
    case .good(let user, let session):
      // A user who has a second factor by now must show it, where it is required.
      let hasShown = user.hasShownPasskey(in: session) || user.factors.contains { $0.id == session.secondFactor }
      let mustShow = context.configuration.secondFactors.isRequired(of: user, after: session.signInProvider)
      guard !mustShow || hasShown || !user.hasSecondFactor else { throw AccountError(.tokenExpired) }
      return (
        user,
        try tokens.tokens(
          of: user, session: session, refreshToken: successor?.text ?? text, adding: added,
          nowSeconds: now.wallMilliseconds / 1000)
      )
    case .refused(let code): throw AccountError(code)
    }
  }

  /// Returns the error for a refresh token without a session.
  private func refusedRefresh(
    _ text: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> AccountError {
    guard let origin = RefreshToken.origin(of: text, keys: context.keys) else {
      return AccountError(.invalidRefreshToken)
    }
    let view = context.store.view
    guard let user = view.user(origin.uid) else { return AccountError(.userNotFound) }
    if user.isDisabled { return AccountError(.userDisabled) }
    let isAlive = view.sessions(of: user.uid).contains { $0.session.family == origin.family }
    if context.configuration.refresh.rotates, isAlive {
      // The record of this old generation is gone already.
      try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
        transaction.endReusedFamily(origin.family, of: user, client: client)
      }
    }
    return AccountError(.tokenExpired)
  }
}

/// The result of a refresh. A refusal may change the store as well, so it is not thrown.
private enum RefreshOutcome: Sendable {
  case good(UserRecord, SessionRecord)
  case refused(AccountError.Code)
}

extension AccountTransaction {
  fileprivate mutating func refresh(
    _ hash: Digest, successor: Digest?, policy: AccountsConfiguration.RefreshPolicy, client: ClientInfo, now: Instant
  ) throws(AccountError) -> RefreshOutcome {
    let nowSeconds = now.wallMilliseconds / 1000
    guard var session = session(hash) else { return .refused(.tokenExpired) }
    guard var user = user(session.uid) else { return .refused(.userNotFound) }
    if session.replacedAtSeconds != nil, !acceptsReplacedToken(session, policy: policy, nowSeconds: nowSeconds) {
      endReusedFamily(session.family, of: user, client: client)
      return .refused(.tokenExpired)
    }
    if policy.lifetimeSecondsMax.map({ nowSeconds - session.authTimeSeconds > $0 }) == true
      || policy.idleSecondsMax.map({ nowSeconds - session.lastUsedAtSeconds > $0 }) == true
    {
      removeFamily(session.family, of: user.uid)
      audit(AuditEvent(.refreshFailed, uid: user.uid, client: client, detail: "session ended"))
      return .refused(.tokenExpired)
    }
    guard !user.isDisabled else { return .refused(.userDisabled) }
    guard
      user.cutoff.admits(generation: session.userGeneration, issuedAtSeconds: session.createdAtSeconds)
    else { return .refused(.tokenExpired) }
    user.noteIssue(atSeconds: nowSeconds)
    user.lastRefreshAtMilliseconds = now.wallMilliseconds
    try update(user)
    session.lastUsedAtSeconds = nowSeconds
    guard let successor else {
      putSession(hash, session)
      return .good(user, session)
    }
    var next = session
    next.generation = session.generation.plus(1)
    next.replacedAtSeconds = nil
    // The previous generation stays accepted, because the client may have lost the response. When that generation is used again,
    // the successor in the lost response becomes invalid: otherwise a thief who has that response would continue beside the owner.
    let isLost = session.replacedAtSeconds.map { nowSeconds - $0 > policy.graceSeconds } ?? false
    for (other, record) in sessions(of: user.uid)
    where record.family == session.family
      && (record.generation < session.generation || isLost && record.generation > session.generation)
    {
      removeSession(other)
    }
    session.replacedAtSeconds = session.replacedAtSeconds ?? nowSeconds
    putSession(hash, session)
    putSession(successor, next)
    return .good(user, next)
  }

  /// Returns true when a replaced token is accepted once more: shortly after, or while its successor is unused.
  private func acceptsReplacedToken(
    _ session: SessionRecord, policy: AccountsConfiguration.RefreshPolicy, nowSeconds: Int64
  ) -> Bool {
    if let replacedAt = session.replacedAtSeconds, nowSeconds - replacedAt <= policy.graceSeconds { return true }
    return !sessions(of: session.uid).contains { _, other in
      other.family == session.family && other.generation > session.generation && other.replacedAtSeconds != nil
    }
  }

  /// Ends the session family of a token that was replaced long ago: its reuse shows that two clients have it.
  fileprivate mutating func endReusedFamily(_ family: String, of user: UserRecord, client: ClientInfo) {
    removeFamily(family, of: user.uid)
    audit(AuditEvent(.refreshReused, uid: user.uid, client: client, detail: "the session was ended"))
  }
}
