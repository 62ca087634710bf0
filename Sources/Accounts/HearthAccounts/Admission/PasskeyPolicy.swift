import HearthPlugin

/// The selection of the passkey provider, and the rule that accounts with passkeys accept no other sign-in.
package struct PasskeyPolicy: Sendable {
  let context: AccountsContext

  /// The plugin that checks passkeys.
  ///
  /// - Throws: `operationNotAllowed` without one, or where the tenant has disabled it.
  func provider() throws(AccountError) -> any PasskeyProvider {
    guard context.settings.tenant?.allows(.passkey) ?? true, let provider = context.plugins.passkeyProvider else {
      throw AccountError(.operationNotAllowed, "Passkeys are not enabled; see signIn.passkey.")
    }
    return provider
  }

  /// Refuses other sign-ins of an account that has a passkey, where the operator requires passkeys. The same applies
  /// where a second factor is required and the account's only one is a passkey that verifies the user: with the
  /// password alone an attacker could enrol another factor.
  ///
  /// Accounts with an unproven address are exempt: an attacker could otherwise register the address and lock its owner
  /// out.
  ///
  /// - Throws: `passkeyRequired`.
  func check(_ user: UserRecord, signIn: SignInContext) throws(AccountError) {
    guard !user.passkeys.isEmpty, signIn.provider != ProviderID.passkey, user.email == nil || user.isEmailVerified,
      let party = context.plugins.passkeyProvider?.relyingParty
    else { return }
    let isOnlyFactor =
      user.factors.isEmpty && user.hasSecondFactor
      && context.configuration.secondFactors.isRequired(of: user, after: signIn.provider)
    guard party.isRequiredOnceEnrolled || isOnlyFactor else { return }
    throw AccountError(.passkeyRequired, "This account has a passkey; sign in with it.")
  }

  /// Returns true when a session of that provider, as tokens show it, is enough for the account.
  func admits(_ user: UserRecord, after provider: String) -> Bool {
    (try? check(user, signIn: SignInContext(provider))) != nil
  }
}
