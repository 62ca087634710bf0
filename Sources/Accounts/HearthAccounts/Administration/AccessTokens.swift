import HearthCrypto
import HearthEngine

/// The result of a service account's token request.
package enum AccessTokenOutcome: Sendable {
  /// The token; it is valid for ``HearthCrypto/AdminTokens/lifetimeSecondsMax``.
  case token(String)
  /// The assertion is invalid, with the reason.
  case refused(String)
  /// The assertion requests no scope that this server knows.
  case noKnownScope
  /// The server cannot answer now.
  case unavailable
}

/// Access tokens for back-end programs: a service account signs an assertion, and gets a token for the requested
/// scopes, for at most an hour.
package struct AccessTokens: Sendable {
  let context: AccountsContext
  /// Verifies the assertions of service accounts; each assertion is accepted once.
  let assertions: AssertionVerifier

  /// Verifies an assertion and issues the requested token.
  package func token(
    for assertion: String, client: ClientInfo, now: Instant
  ) async -> AccessTokenOutcome {
    let nowSeconds = now.wallMilliseconds / 1000
    let accounts = context.store.view.serviceAccounts.filter { !$0.isDisabled }
    let asserted: VerifiedAssertion
    do throws(AssertionError) {
      asserted = try assertions.verify(
        assertion, accounts: accounts.map { ($0.email, $0.publicKeys) }, nowSeconds: nowSeconds)
    } catch {
      if error.code == .unavailable { return .unavailable }
      await context.audit.recordRefusal(
        AuditEvent(.signInFailed, client: client, detail: "service account: \(error.reason)"), now: now)
      return .refused(error.message)
    }
    let scopes = AdminScopes(names: asserted.scopes)
    guard !scopes.isEmpty else { return .noKnownScope }
    do {
      let generation = try await context.store.transact { (transaction) throws(AccountError) -> Int64 in
        // Read again: it may have been disabled while the signature was being verified.
        let account = try Self.account(asserted, checkedWith: accounts, in: transaction)
        transaction.audit(AuditEvent(.adminAPI, client: client, detail: "access token for \(asserted.email)"))
        return account.tokenGeneration
      }
      let token = try context.keys.adminTokens.mint(
        nowSeconds: nowSeconds, owner: .init(email: asserted.email, generation: generation), scopes: scopes,
        random: context.secrets.random)
      // Checked once more: a token that was revoked meanwhile is not returned.
      _ = try Self.account(asserted, checkedWith: accounts, in: context.store.view)
      return .token(token)
    } catch let error as AccountError where error.code == .credentialMismatch {
      return .refused("The account is disabled, or the key was removed.")
    } catch {
      return .unavailable
    }
  }

  /// The account that an assertion was verified with.
  ///
  /// - Throws: `credentialMismatch` unless it is unchanged: not disabled, and with all its keys.
  private static func account(
    _ asserted: VerifiedAssertion, checkedWith accounts: [ServiceAccount], in now: some AccountReading
  ) throws(AccountError) -> ServiceAccount {
    guard let checked = accounts.first(where: { $0.email == asserted.email }),
      let current = now.serviceAccount(email: asserted.email), !current.isDisabled,
      checked.publicKeys.allSatisfy({ current.publicKeys[$0.key] == $0.value })
    else { throw AccountError(.credentialMismatch) }
    return current
  }
}
