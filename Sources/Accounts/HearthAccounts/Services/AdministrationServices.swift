import HearthCrypto

/// The services behind the endpoints of administrators.
package struct AdministrationServices: Sendable {
  /// Creates, changes and deletes accounts for administrators.
  package let users: UserAdministration
  /// Imports accounts from Firebase and other systems.
  package let imports: UserImport
  /// Checks passwords of accounts, after an import.
  package let passwordChecks: PasswordChecks
  /// Signing keys and database secrets.
  package let keys: KeyAdministration
  /// The providers that are configured while the server runs.
  package let providers: ProviderAdministration
  /// Service accounts: the accounts of back-end programs.
  package let serviceAccounts: ServiceAccounts
  /// Issues access tokens for the signed assertions of service accounts.
  package let accessTokens: AccessTokens
  /// The administration of blocking functions.
  package let functions: FunctionAdministration
  /// Changes the configuration while the server runs.
  package let settings: ConfigurationAdministration

  init(_ context: AccountsContext, passwords: NewPasswords) {
    users = UserAdministration(context: context, passwords: passwords)
    imports = UserImport(context: context)
    passwordChecks = PasswordChecks(context: context)
    keys = KeyAdministration(context: context)
    providers = ProviderAdministration(context: context)
    serviceAccounts = ServiceAccounts(context: context)
    accessTokens = AccessTokens(
      context: context,
      assertions: AssertionVerifier(
        audiences: [context.server.configuration.publicURL + ServiceAccounts.tokenPath]))
    functions = FunctionAdministration(context: context.project ?? context)
    settings = ConfigurationAdministration(context: context)
  }
}
