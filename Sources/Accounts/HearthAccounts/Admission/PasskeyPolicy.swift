import HearthPlugin

/// Which provider checks passkeys, and who is let in by nothing else.
package struct PasskeyPolicy: Sendable {
  let context: AccountsContext

  /// The plugin that checks passkeys.
  ///
  /// - Throws: `operationNotAllowed` when there is none, or the tenant does not have it.
  func provider() throws(AccountError) -> any PasskeyProvider {
    guard context.settings.tenant?.allows(.passkey) ?? true, let provider = context.plugins.passkeyProvider else {
      throw AccountError(.operationNotAllowed, "Passkeys are not switched on; see signIn.passkey.")
    }
    return provider
  }

  /// Who has a passkey comes in by it, where the operator wants it so; and where a second factor is required of who has
  /// none but a passkey that verifies them: by a password alone somebody else could enrol another.
  ///
  /// An unproven address excepts: whoever made an account with it could lock its owner out.
  ///
  /// - Throws: `passkeyRequired`.
  func check(_ user: UserRecord, way: SignInWay) throws(AccountError) {
    guard !user.passkeys.isEmpty, way.provider != ProviderID.passkey, user.email == nil || user.isEmailVerified,
      let party = context.plugins.passkeyProvider?.relyingParty
    else { return }
    let isOnlyFactor =
      user.factors.isEmpty && user.hasSecondFactor
      && context.configuration.secondFactors.isRequired(of: user, after: way.provider)
    guard party.isRequiredOnceEnrolled || isOnlyFactor else { return }
    throw AccountError(.passkeyRequired, "This account has a passkey; sign in with it.")
  }

  /// Returns true when a session of that provider, as tokens show it, is enough for the account.
  func admits(_ user: UserRecord, after provider: String) -> Bool {
    (try? check(user, way: SignInWay(provider))) != nil
  }
}
