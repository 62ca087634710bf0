import HearthAccounts
import HearthCrypto
import HearthTree

/// Signing keys and database secrets, for the command line. No response contains a secret.
struct KeyEndpoints: EndpointGroup {
  let accounts: Accounts

  func list(_ call: IdentityCall) async throws(AccountError) -> JSON {
    return list
  }

  /// Creates a signing key. It is published an hour before it signs, unless it is urgent.
  func rotate(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
    let kind = try Self.kind(call) ?? .idToken
    let isUrgent = try call.bool("urgent") ?? false
    return Self.json(
      kind, try await accounts.administration.keys.rotateKey(kind, isUrgent: isUrgent, by: administrator))
  }

  /// Removes a key: tokens that it signed become invalid at once.
  func remove(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
    guard let kind = try Self.kind(call), let kid = try call.text("kid"), !kid.isEmpty else {
      throw AccountError(.invalidArgument, "kind and kid are required")
    }
    try await accounts.administration.keys.removeKey(kind, kid: kid, by: administrator)
    return list
  }

  func listSecrets(_ call: IdentityCall) async throws(AccountError) -> JSON {
    return secrets
  }

  func rotateSecret(_ call: IdentityCall) async throws(AccountError) -> JSON {
    try await accounts.administration.keys.rotateSecret(by: try call.administrator())
    return secrets
  }

  func removeSecret(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
    try await accounts.administration.keys.removeSecret(id: try call.text("id"), by: administrator)
    return secrets
  }

  // MARK: Answers

  private var list: JSON {
    let all = KeyKind.allCases.flatMap { kind in accounts.keys.list(kind).map { Self.json(kind, $0) } }
    return .object([JSON.Member("keys", .array(all))])
  }

  private var secrets: JSON {
    let ids = accounts.keys.legacySecrets.ids.map { JSON.object([JSON.Member("id", .string($0))]) }
    return .object([JSON.Member("secrets", .array(ids))])
  }

  private static func kind(_ call: IdentityCall) throws(AccountError) -> KeyKind? {
    guard let name = try call.text("kind") else { return nil }
    guard let kind = KeyKind(rawValue: name) else {
      throw AccountError(.invalidArgument, "kind must be \(KeyKind.allCases.map(\.rawValue).joined(separator: " or "))")
    }
    return kind
  }

  private static func json(_ kind: KeyKind, _ key: KeyInfo) -> JSON {
    var members = [
      JSON.Member("kind", .string(kind.rawValue)), JSON.Member("kid", .string(key.kid)),
      JSON.Member("state", .string(key.state.rawValue)),
    ]
    if let seconds = key.createdAtSeconds { members.append(JSON.Member("createdAtSeconds", .int(seconds))) }
    if let seconds = key.stateSinceSeconds { members.append(JSON.Member("stateSinceSeconds", .int(seconds))) }
    return .object(members)
  }
}
