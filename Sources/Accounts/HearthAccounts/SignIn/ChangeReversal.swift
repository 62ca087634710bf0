import HearthCrypto
import HearthEngine

/// Reverts changes of credentials, by the code that was mailed to the address that the account had before.
struct ChangeReversal: Sendable {
  let context: AccountsContext
  let changes: CredentialChangeService
  let recovery: RecoveryCodes
  private var tries: FactorAttemptLimiter { FactorAttemptLimiter(context: context) }

  /// Reverts a change; all existing sessions and tokens become invalid.
  ///
  /// - Parameter factorCode: the code of the authenticator that the account had before the change, or one of its recovery codes.
  /// - Throws: `missingCode`, `invalidCode`, `tooManyAttempts`; `invalidOOBCode`, `userDisabled`, `emailExists`.
  func revert(
    _ ticket: Ticket, _ hash: Digest, factorCode: String?, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> UserRecord {
    guard let uid = ticket.uid, let user = context.store.view.user(uid) else { throw AccountError(.invalidOOBCode) }
    var proof: FactorProof?
    if ticket.requiresFactor, let before = ticket.before {
      guard let factorCode, !factorCode.isEmpty else { throw AccountError(.missingCode) }
      _ = try await tries.count(hash, uid: uid, otherwise: .invalidOOBCode, now: now)
      proof = try factor(shownBy: factorCode, before: before, user, now: now)
      guard proof != nil else {
        await context.audit.record(AuditEvent(.factorFailed, uid: uid, email: ticket.email, client: client))
        throw AccountError(.invalidCode)
      }
    }
    return try await changes.change(
      [.changeReverted], of: uid, by: .mailedCode, detail: ticket.purpose.rawValue, client: client, now: now
    ) { [proof] (transaction, user) throws(AccountError) in
      guard !user.isDisabled else { throw AccountError(.userDisabled) }
      try transaction.revert(hash, of: &user)
      switch proof {
      case .recoveryCode(let hash): user.recoveryCodes.removeAll { $0.isSameText(as: hash) }
      case .step(let step, let id): user.noteStep(step, of: id)
      case nil: break
      }
    }.user
  }

  private enum FactorProof: Sendable {
    case recoveryCode(String)
    case step(Int64, of: String)
  }

  private func factor(
    shownBy code: String, before: UserRecord, _ user: UserRecord, now: Instant
  ) throws(AccountError) -> FactorProof? {
    if let hash = try recovery.hash(ofShown: code, before.uid) {
      guard before.recoveryCodes.contains(hash) else { return nil }
      // A recovery code that the account lacks now was used since the change, unless all of them were replaced, or were removed
      // with the last factor.
      let isReplaced = !Set(user.recoveryCodes).isSubset(of: before.recoveryCodes)
      let counts = user.recoveryCodes.contains(hash) || isReplaced || user.hasLostRecoveryCodes(of: before)
      return counts ? .recoveryCode(hash) : nil
    }
    for factor in before.factors {
      let current = user.factors.first { $0.id == factor.id } ?? factor
      guard case .totp(let sealed, let last) = current.kind, let secret = context.keys.unseal(sealed) else { continue }
      let step = TOTP.matchingStep(
        secret: secret, code: code, nowSeconds: now.wallMilliseconds / 1000,
        window: context.configuration.secondFactors.totpAdjacentIntervals, after: last)
      if let step { return .step(step, of: factor.id) }
    }
    return nil
  }
}

extension UserRecord {
  fileprivate mutating func noteStep(_ step: Int64, of id: String) {
    guard let index = factors.firstIndex(where: { $0.id == id }),
      case .totp(let sealed, let last) = factors[index].kind
    else { return }
    factors[index].kind = .totp(sealedSecret: sealed, lastAcceptedStep: max(step, last))
  }
}
