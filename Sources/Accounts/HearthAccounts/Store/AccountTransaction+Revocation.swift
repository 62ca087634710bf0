import HearthTree

/// The revocation state: cutoffs of users' tokens, and of deleted accounts.
extension AccountTransaction {
  /// The latest second that the accounts have seen on the clock, which may have been set back since.
  var latestSeconds: Int64 { max(nowSeconds, seenSeconds, records.integer(AccountPath.latest) ?? 0) }

  /// Stores ``latestSeconds``. Does nothing in a transaction without changes.
  mutating func noteTime() {
    guard !draft.isEmpty, nowSeconds > records.integer(AccountPath.latest) ?? 0 else { return }
    draft.replace(AccountPath.latest, with: Node(.int(nowSeconds)))
  }

  /// Ends every token, session and pending step of the user so far. The caller stores the record.
  ///
  /// - Parameter shownSeconds: the second that an administrator wants shown; nil shows this one.
  mutating func endTokens(of user: inout UserRecord, shownSeconds: Int64? = nil) {
    user.cutoff.raise(latestSeconds: latestSeconds)
    // It never decreases, or application servers would accept revoked tokens; it is never in the future, or they would
    // refuse new sign-ins.
    user.validSinceSeconds = shownSeconds.map { min(nowSeconds, max($0, user.validSinceSeconds)) } ?? nowSeconds
    removeSessions(of: user.uid)
    removeTickets(of: user.uid, purposes: .endedByRevocation)
  }

  /// Returns the first cutoff of a new account: above those of all earlier accounts with its uid.
  func firstCutoff(of uid: String) -> TokenCutoff {
    let last = tombstone(uid)
    let floor = records.integer(AccountPath.generationFloor) ?? 0
    return TokenCutoff(generation: max(last?.generation ?? 0, floor).plus(1), seconds: last?.seconds ?? 0)
  }

  /// Stores the cutoff of a deleted user.
  ///
  /// - Parameter last: nil when their record is unreadable.
  mutating func putTombstone(_ uid: String, last: TokenCutoff?) {
    var cutoff =
      last ?? TokenCutoff(generation: (tombstone(uid)?.generation ?? 0).plus(TokenCutoff.unreadable), seconds: 0)
    cutoff.raise(latestSeconds: latestSeconds)
    draft.replace(AccountPath.deleted(uid), with: text(of: cutoff))
  }

  /// The highest token generation of any existing or deleted account, for the time when the deleted accounts' tombstones are
  /// removed.
  var highestGeneration: Int64 {
    let present = users(limit: .max).map(\.cutoff.generation)
    let deleted = draft.root[AccountPath.deleted].children.compactMap { key, node in
      records.cutoff(node, at: AccountPath.deleted.appending(key))?.generation
    }
    return max(present.max() ?? 0, deleted.max() ?? 0, records.integer(AccountPath.generationFloor) ?? 0)
  }
}

extension UserRecord {
  /// Keeps the shown second from being later than a token that is about to be issued. Application servers compare the
  /// two, and after the clock was set back they would refuse every new token; revoked tokens stay invalid here in any
  /// case.
  mutating func noteIssue(atSeconds seconds: Int64) { validSinceSeconds = min(validSinceSeconds, seconds) }
}
