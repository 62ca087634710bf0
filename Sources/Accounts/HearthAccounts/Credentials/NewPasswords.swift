import HearthEngine
import HearthPlugin

/// Accepts new passwords: checks the policy, and hashes them.
package struct NewPasswords: Sendable {
  let context: AccountsContext
  let providers: SignInProviders

  /// Checks a new password against the policy and hashes it.
  ///
  /// - Parameter email: the account's, in canonical form, when it has one.
  /// - Throws: the errors of ``accepted(_:email:_:client:now:)`` and ``hash(_:client:now:)``.
  package func checkAndHash(
    _ password: String, email: String?, _ operation: SignInRequest.Operation, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> StoredPassword {
    try await hash(
      try await accepted(password, email: email, operation, client: client, now: now), client: client, now: now)
  }

  /// Returns the password, when the policy and the password plugin accept it.
  ///
  /// - Throws: `missingPassword`, `weakPassword`, `passwordRequirements`; the plugin's refusal.
  func accepted(
    _ password: String, email: String?, _ operation: SignInRequest.Operation, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> String {
    let policy = context.configuration.passwordPolicy
    guard !password.isEmpty else { throw AccountError(.missingPassword) }
    if let refusal = policy.refusal(of: password) { throw AccountError(refusal) }
    guard let email, providers.serves(.password) else { return password }
    return try await proof(operation, email: email, password: password, client: client, now: now).password
  }

  /// Hashes an accepted password.
  ///
  /// - Throws: `unavailable` when the queue is full.
  func hash(_ password: String, client: ClientInfo, now: Instant) async throws(AccountError) -> StoredPassword {
    StoredPassword(
      hash: try await context.pool.hash(password, for: client.address), updatedAtMilliseconds: now.wallMilliseconds)
  }

  /// Returns the password plugin's proof of an address and a password.
  ///
  /// - Throws: `passwordLoginDisabled` without such a plugin; the plugin's refusal; `unavailable` when it fails.
  func proof(
    _ operation: SignInRequest.Operation, email: String, password: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> PasswordProof {
    let answer = try await providers.ask(
      .password, operation, parameters: ["email": email, "password": password], otherwise: .passwordLoginDisabled,
      client: client, now: now)
    guard case .password(let proof) = answer, EmailAddress.canonical(proof.email) == proof.email else {
      context.notice(AccountsNotice(.error, "the password provider returned an unexpected response"))
      throw AccountError(.unavailable)
    }
    return proof
  }
}
