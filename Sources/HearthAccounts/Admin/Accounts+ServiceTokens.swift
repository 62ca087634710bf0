import HearthCrypto
import HearthTree

/// Access tokens for back-end programs: a service account signs an assertion, and gets a token that opens what it asked
/// for, for at most an hour.
extension Accounts {
  private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"

  /// RFC 7523, section 2.1. Answers everything itself: its errors have a form of their own.
  func serviceAccountToken(_ call: IdentityCall) async -> IdentityResponse {
    do throws(AccountError) {
      guard try call.text("grantType") == Self.grantType else {
        return Self.refusal("unsupported_grant_type", "grant_type must be \(Self.grantType).")
      }
      guard let assertion = try call.text("assertion", sizeBytesMax: TokenLimits.tokenBytesMax) else {
        return Self.refusal("invalid_request", "assertion is missing.")
      }
      return await answer(assertion, call)
    } catch {
      return Self.refusal("invalid_request", "A field is too long or of another kind.")
    }
  }

  private func answer(_ assertion: String, _ call: IdentityCall) async -> IdentityResponse {
    let accounts = store.view.serviceAccounts.filter { !$0.isDisabled }
    let asserted: VerifiedAssertion
    do throws(AssertionError) {
      asserted = try assertions.verify(
        assertion, accounts: accounts.map { ($0.email, $0.publicKeys) }, nowSeconds: call.nowSeconds)
    } catch {
      if error.code == .unavailable { return Self.tryAgain }
      await auditRefusal(
        AuditEvent(.signInFailed, client: call.client, detail: "service account: \(error.reason)"), now: call.now)
      return Self.refusal("invalid_grant", error.message)
    }
    let scopes = AdminScopes(names: asserted.scopes)
    guard !scopes.isEmpty else {
      return Self.refusal("invalid_scope", "None of the scopes means anything to this server.")
    }
    do {
      try await store.transact { (transaction) throws(AccountError) in
        // Read again: it may have been disabled while the signature was being checked.
        guard Self.counts(asserted, by: accounts, in: transaction) else { throw AccountError(.credentialMismatch) }
        transaction.audit(AuditEvent(.adminAPI, client: call.client, detail: "access token for \(asserted.email)"))
      }
      let token = try keys.adminTokens.mint(
        nowSeconds: call.nowSeconds, owner: asserted.email, scopes: scopes, random: environment.random)
      // Once more: who disables the account forgets the tokens that are there, and this one may have come later.
      guard Self.counts(asserted, by: accounts, in: store.view) else {
        keys.adminTokens.revoke(token)
        throw AccountError(.credentialMismatch)
      }
      return IdentityResponse(
        .object([
          JSON.Member("access_token", .string(token)),
          JSON.Member("expires_in", .int(AdminTokens.lifetimeSecondsMax)),
          JSON.Member("token_type", .string("Bearer")),
        ]))
    } catch let error as AccountError where error.code == .credentialMismatch {
      return Self.refusal("invalid_grant", "The account is disabled, or the key was removed.")
    } catch {
      return Self.tryAgain
    }
  }

  private static var tryAgain: IdentityResponse {
    IdentityResponse(status: 503, contentType: "text/plain; charset=utf-8", body: Array("Try again.\n".utf8))
  }

  private static func refusal(_ error: String, _ description: String) -> IdentityResponse {
    IdentityResponse(
      .object([JSON.Member("error", .string(error)), JSON.Member("error_description", .string(description))]),
      status: 400)
  }

  /// Whether the account that an assertion was checked with is there as it was: not disabled, and with all its keys.
  private static func counts(
    _ asserted: VerifiedAssertion, by accounts: [ServiceAccount], in now: some AccountReading
  ) -> Bool {
    guard let checked = accounts.first(where: { $0.email == asserted.email }),
      let current = now.serviceAccount(email: asserted.email), !current.isDisabled
    else { return false }
    return checked.publicKeys.allSatisfy { current.publicKeys[$0.key] == $0.value }
  }
}
