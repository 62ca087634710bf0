import HearthCrypto
import HearthEngine

/// A session that is about to be kept: its refresh token and its record, whose times are not known yet.
struct NewSession: Sendable, Redacted {
  var token: RefreshToken
  var record: SessionRecord
  /// What plugins add to its first token.
  var added: [ClaimValue.Member] = []
}

extension AccountTransaction {
  /// Keeps a session. The user's record is the caller's to store.
  ///
  /// The session begins at the moment of the change, not at that of the request: a revocation that came before it shows a
  /// second that is not later.
  ///
  /// - Parameters:
  ///   - now: of the request.
  ///   - authTimeSeconds: of the sign-in that goes on; nil for one that is just now.
  mutating func begin(
    _ session: NewSession, of user: inout UserRecord, now: Instant, authTimeSeconds: Int64? = nil
  ) -> SessionRecord {
    var record = session.record
    record.authTimeSeconds = authTimeSeconds ?? nowSeconds
    record.createdAtSeconds = nowSeconds
    record.lastUsedAtSeconds = nowSeconds
    record.userGeneration = user.border.generation
    user.noteIssue(atSeconds: nowSeconds)
    user.lastSignInAtMilliseconds = now.wallMilliseconds
    user.lastRefreshAtMilliseconds = now.wallMilliseconds
    putSession(session.token.hash, record)
    return record
  }
}

extension UserRecord {
  /// Returns true when nothing happened to the account that ends what was proven about it before.
  func hasSameCredentials(as checked: UserRecord) -> Bool {
    border.generation == checked.border.generation
      && password?.updatedAtMilliseconds == checked.password?.updatedAtMilliseconds
      && factors.map(\.id) == checked.factors.map(\.id)
      && passkeys.map(\.id) == checked.passkeys.map(\.id)
  }

  /// A credential was checked, and work was put into what it allows; meanwhile the account may have got another
  /// credential, and then the old one must not open a session.
  ///
  /// - Parameter proven: the account as it was when the credential was checked.
  /// - Throws: `userDisabled`, `tokenExpired`.
  func requireCredentials(of proven: UserRecord) throws(AccountError) {
    guard !isDisabled else { throw AccountError(.userDisabled) }
    guard hasSameCredentials(as: proven) else { throw AccountError(.tokenExpired) }
  }
}
