import HearthAccounts
import HearthTree

/// The other issuers whose ID tokens open databases, for the console and the operator's tools.
struct TrustEndpoints: EndpointGroup {
  let accounts: Accounts

  /// Returns the issuers, and the states of the lookups of their users.
  func list(_ call: IdentityCall) async throws(AccountError) -> JSON { list }

  /// Replaces the lists of the body, in the form of the member `trust` of the configuration file; `null` returns to the
  /// list of the file.
  func set(_ call: IdentityCall) async throws(AccountError) -> JSON {
    try await accounts.changeTrust(call.body, by: try call.administrator())
    return list
  }

  private var list: JSON {
    let lookups = accounts.sessions.foreignTokens.lookupStatuses.map { issuer, status in
      var json: JSON = ["issuer": .string(issuer), "users": .int(Int64(status.users))]
      json["succeededAt"] = status.succeededAtSeconds.map { .int($0) }
      json["problem"] = status.problem.map { .string($0) }
      return json
    }
    return accounts.configuration.trust.json.appending(["userLookups": .array(lookups)])
  }
}
