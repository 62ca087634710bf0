import HearthCrypto
import HearthEngine

/// A session that is not stored yet: its refresh token and its record, whose times are not set.
struct NewSession: Sendable, Redacted {
  var token: RefreshToken
  var record: SessionRecord
  /// The claims that plugins add to its first token.
  var added: [ClaimValue.Member] = []
}

extension AccountTransaction {
  /// Stores a session. The caller stores the user's record.
  ///
  /// The session begins at the time of the transaction, not of the request: so that its time is not before that of an earlier
  /// revocation.
  ///
  /// - Parameters:
  ///   - now: the time of the request.
  ///   - authTimeSeconds: the time of the continued sign-in; nil for one that is just now.
  mutating func begin(
    _ session: NewSession, of user: inout UserRecord, now: Instant, authTimeSeconds: Int64? = nil
  ) -> SessionRecord {
    var record = session.record
    record.authTimeSeconds = authTimeSeconds ?? nowSeconds
    record.createdAtSeconds = nowSeconds
    record.lastUsedAtSeconds = nowSeconds
    record.userGeneration = user.cutoff.generation
    user.noteIssue(atSeconds: nowSeconds)
    user.lastSignInAtMilliseconds = now.wallMilliseconds
    user.lastRefreshAtMilliseconds = now.wallMilliseconds
    putSession(session.token.hash, record)
    return record
  }
}

extension UserRecord {
  /// Returns true when no change of the account has invalidated an earlier proof.
  func hasSameCredentials(as checked: UserRecord) -> Bool {
    cutoff.generation == checked.cutoff.generation
      && password?.updatedAtMilliseconds == checked.password?.updatedAtMilliseconds
      && factors.map(\.id) == checked.factors.map(\.id)
      && passkeys.map(\.id) == checked.passkeys.map(\.id)
  }

  /// Checks that the account has not changed since a credential was checked: a replaced credential must not open a
  /// session.
  ///
  /// - Parameter authenticated: the account as it was when the credential was checked.
  /// - Throws: `userDisabled`, `tokenExpired`.
  func requireCredentials(of authenticated: UserRecord) throws(AccountError) {
    guard !isDisabled else { throw AccountError(.userDisabled) }
    guard hasSameCredentials(as: authenticated) else { throw AccountError(.tokenExpired) }
  }
}
