import HearthCrypto

/// Checks passwords for an administrator: after an import, a sample shows that users can sign in with their old ones. A
/// check signs no user in, counts no failed attempt, and replaces no hash.
package struct PasswordChecks: Sendable {
  let context: AccountsContext
  /// The result of a check.
  package enum Verdict: String, Sendable {
    case right, wrong
    /// The account does not exist.
    case unknown
    /// The account has no password, or was imported without its hash.
    case missing
    /// The password is right, and the account is disabled.
    case disabled
  }

  /// The account to check.
  package enum Account: Sendable {
    case uid(String)
    /// The account with this address, in canonical form.
    case email(String)
  }

  /// Checks passwords, one after the other: each costs as much as a sign-in. The audit trail records the number of
  /// right ones.
  ///
  /// - Throws: `unavailable` when the queue of sign-ins is full.
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
