import HearthAccounts
import HearthTree

/// Accounts of back-end programs, for the command line.
struct ServiceAccountEndpoints: EndpointGroup {
  let accounts: Accounts

  func list(_ call: IdentityCall) async throws(AccountError) -> JSON {
    return .object([JSON.Member("serviceAccounts", .array(accounts.store.view.serviceAccounts.map(Self.json)))])
  }

  /// Creates an account, or a further key for an existing one, and returns the file that admin SDKs read.
  func create(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
    let made = try await accounts.administration.serviceAccounts.createKey(
      name: try call.text("name"), by: administrator)
    guard let json = JSON(parsing: made.file.utf8) else { throw AccountError(.internalError) }
    return .object([
      JSON.Member("email", .string(made.email)), JSON.Member("keyID", .string(made.keyID)), JSON.Member("key", json),
    ])
  }

  /// Disables an account, which invalidates its access tokens, or enables it again.
  func disable(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
    guard let email = try call.text("email") else { throw AccountError(.missingEmail) }
    let isDisabled = try call.bool("disabled") ?? true
    return Self.json(
      try await accounts.administration.serviceAccounts.set(email, isDisabled: isDisabled, by: administrator))
  }

  /// Removes a key from an account.
  func removeKey(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
    guard let email = try call.text("email") else { throw AccountError(.missingEmail) }
    guard let keyID = try call.text("keyID") else { throw AccountError(.invalidArgument, "keyID is missing") }
    return Self.json(try await accounts.administration.serviceAccounts.removeKey(keyID, of: email, by: administrator))
  }

  private static func json(_ account: ServiceAccount) -> JSON {
    .object([
      JSON.Member("email", .string(account.email)), JSON.Member("name", .string(account.name)),
      JSON.Member("disabled", .bool(account.isDisabled)),
      JSON.Member("createdAtMilliseconds", .int(account.createdAtMilliseconds)),
      JSON.Member("keyIDs", .array(account.publicKeys.keys.sorted().map { .string($0) })),
      JSON.Member(
        "publicKeys",
        .object(account.publicKeys.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .string($0.value)) })),
    ])
  }
}
