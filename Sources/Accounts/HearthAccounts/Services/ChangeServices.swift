/// The services by which users change their accounts.
package struct ChangeServices: Sendable {
  /// Checks new passwords against the policy, and hashes them.
  package let passwords: NewPasswords
  /// Makes and mails the codes of action links.
  package let codes: ActionCodes
  /// Redeems mailed codes.
  package let redemption: CodeRedemption
  /// Adds and removes credentials: passwords, provider identities.
  package let credentials: CredentialChangeService
  /// Changes of an account's e-mail address.
  package let addresses: AddressChanges
  /// Changes of users to their own accounts.
  package let profiles: Profiles
  /// Deletes accounts.
  package let deletion: AccountDeletion
  /// Erases users from all records that mention them.
  package let erasure: AccountErasure
  /// Recovery codes for a lost second factor.
  package let recoveryCodes: RecoveryCodes

  init(_ context: AccountsContext, sessions: Sessions, providers: SignInProviders) {
    passwords = NewPasswords(context: context, providers: providers)
    codes = ActionCodes(context: context)
    credentials = CredentialChangeService(context: context, sessions: sessions)
    recoveryCodes = RecoveryCodes(context: context, changes: credentials)
    let reversal = ChangeReversal(context: context, changes: credentials, recovery: recoveryCodes)
    redemption = CodeRedemption(
      context: context, changes: credentials,
      revert: { ticket, hash, factorCode, client, now throws(AccountError) in
        try await reversal.revert(ticket, hash, factorCode: factorCode, client: client, now: now)
      }, passwords: passwords, providers: providers)
    addresses = AddressChanges(changes: credentials)
    profiles = Profiles(context: context, providers: providers, passwords: passwords, changes: credentials)
    deletion = AccountDeletion(context: context)
    erasure = AccountErasure(context: context)
  }
}
