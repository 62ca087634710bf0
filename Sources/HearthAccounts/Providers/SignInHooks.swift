import HearthCrypto
import HearthPlugin
import HearthTree

/// The operator's plugins that decide who gets an account and who comes in. One that fails or is late has denied.
package struct SignInHooks: Sendable {
  private let hooks: [any DecidingHook]
  private let notice: @Sendable (AccountsNotice) -> Void

  init(_ hooks: [any DecidingHook], notice: @escaping @Sendable (AccountsNotice) -> Void) {
    self.hooks = hooks
    self.notice = notice
  }

  /// Asks the hooks about an account that is about to be made.
  ///
  /// - Parameter provider: as tokens show it.
  /// - Throws: `blockingFunctionError` when one denies.
  func decideCreation(_ user: UserRecord, provider: String, client: ClientInfo) async throws(AccountError) {
    _ = try await decide(.beforeCreate, user, provider: provider, client: client)
  }

  /// Asks the hooks about somebody who is about to come in.
  ///
  /// - Returns: the claims that they add to the session's tokens.
  /// - Throws: `blockingFunctionError` when one denies; what ``SessionClaims/read(_:)`` throws.
  func decideSignIn(
    _ user: UserRecord, provider: String, client: ClientInfo
  ) async throws(AccountError) -> [ClaimValue.Member] {
    try await decide(.beforeSignIn, user, provider: provider, client: client)
  }

  private func decide(
    _ moment: HookEvent.Moment, _ user: UserRecord, provider: String, client: ClientInfo
  ) async throws(AccountError) -> [ClaimValue.Member] {
    var claims: [ClaimValue.Member] = []
    for hook in hooks {
      let event = HookEvent(
        moment: moment, uid: user.uid, email: user.email, isEmailVerified: user.isEmailVerified,
        displayName: user.displayName, signInProvider: provider, clientAddress: client.address)
      let verdict = await Deadline.run(milliseconds: ProviderDirectory.timeoutMilliseconds) {
        try await hook.decide(event)
      }
      switch verdict {
      case nil:
        notice(AccountsNotice(.warning, "hook \(hook.name) failed or did not answer in time: denied"))
        throw AccountError(.blockingFunctionError, "The sign-in could not be checked.")
      case .deny(let message)?: throw AccountError(.blockingFunctionError, PlainText.line(message, lengthMax: 256))
      case .allow(let added)?:
        if let added { claims += try SessionClaims.read(added) }
      }
    }
    return claims
  }
}
