import HearthCrypto

/// Says for an administrator whether passwords are those of accounts: after an import, a sample shows that people will come
/// in with what they know. Nobody is signed in, no attempt is counted against anybody, and no hash is replaced.
package struct PasswordChecks: Sendable {
  let context: AccountsContext
  /// What became of a check.
  package enum Verdict: String, Sendable {
    case right, wrong
    /// There is no such account.
    case unknown
    /// The account has no password, or one that no hash came with.
    case missing
    /// The password is right, and the account is disabled.
    case disabled
  }

  /// Whose password it is to be.
  package enum Account: Sendable {
    case uid(String)
    /// In canonical form.
    case email(String)
  }

  /// Checks passwords, one after the other: each costs what a sign-in does. The trail notes how many were right.
  ///
  /// - Throws: `unavailable` when too many sign-ins wait already.
  package func check(
    _ passwords: [(account: Account, password: String)], by administrator: Administrator
  ) async throws(AccountError) -> [Verdict] {
    var verdicts: [Verdict] = []
    for (account, password) in passwords { verdicts.append(try await verdict(account, password, administrator)) }
    let rightCount = verdicts.count { $0 == .right || $0 == .disabled }
    let detail = "passwords checked: \(verdicts.count), right: \(rightCount)"
    try await context.store.transact { (transaction) throws(AccountError) in
      transaction.audit(administrator.event(.adminAPI, detail: detail))
    }
    return verdicts
  }

  private func verdict(
    _ account: Account, _ password: String, _ administrator: Administrator
  ) async throws(AccountError) -> Verdict {
    let user =
      switch account {
      case .uid(let uid): context.store.view.user(uid)
      case .email(let email): context.store.view.user(email: email)
      }
    guard let user else { return .unknown }
    guard let hash = user.password?.hash else { return .missing }
    guard try await context.pool.isRight(password, against: hash, for: administrator.client.address) else {
      return .wrong
    }
    return user.isDisabled ? .disabled : .right
  }
}
