import HearthAccounts
import HearthTree

/// What clients ask about the project before they sign anybody in.
struct ProjectEndpoints: EndpointArea {
  let accounts: Accounts

  func project(_ call: IdentityCall) async throws(AccountError) -> JSON {
    .object([
      JSON.Member("projectId", .string(accounts.configuration.projectNumber)),
      JSON.Member("authorizedDomains", .array(accounts.configuration.authorizedDomains.map { .string($0) })),
    ])
  }

  func passwordPolicy(_ call: IdentityCall) async throws(AccountError) -> JSON {
    PasswordPolicyInfo(accounts.configuration.passwordPolicy).forClients
  }

  /// No captcha is asked for: there is no service of that kind to ask.
  func captcha(_ call: IdentityCall) async throws(AccountError) -> JSON { .object([]) }
}
