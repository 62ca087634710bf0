import HearthCrypto
import HearthTree

/// Signing keys and database secrets, for the command line. No answer holds a secret.
extension Accounts {
  func listKeys() -> JSON {
    let all = KeyKind.allCases.flatMap { kind in keys.list(kind).map { Self.json(kind, $0) } }
    return .object([JSON.Member("keys", .array(all))])
  }

  /// A new signing key. It is published an hour before it signs, unless it is urgent.
  func rotateKey(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let kind = try Self.kind(call) ?? .idToken
    let isUrgent = try call.bool("urgent") ?? false
    try await note(call, "\(kind.rawValue) key rotated\(isUrgent ? " at once" : "")")
    do throws(KeyStoreError) {
      return Self.json(kind, try keys.rotate(kind, nowSeconds: call.nowSeconds, isUrgent: isUrgent))
    } catch {
      throw refusal(error)
    }
  }

  /// Takes a key away: what it signed ends at once.
  func removeKey(_ call: IdentityCall) async throws(AccountError) -> JSON {
    guard let kind = try Self.kind(call), let kid = try call.text("kid"), !kid.isEmpty else {
      throw AccountError(.invalidArgument, "kind and kid are needed")
    }
    guard keys.list(kind).contains(where: { $0.kid == kid }) else {
      throw AccountError(.invalidArgument, "there is no \(kind.rawValue) key of that name")
    }
    try await note(call, "\(kind.rawValue) key \(kid.prefix(16)) removed")
    do throws(KeyStoreError) {
      try keys.remove(kind, kid: kid)
    } catch {
      throw refusal(error)
    }
    onRevocation(.signingKey(id: kid), .keyRotated)
    return listKeys()
  }

  func listSecrets() -> JSON {
    .object([
      JSON.Member(
        "secrets", .array(keys.legacySecrets.ids.map { .object([JSON.Member("id", .string($0))]) }))
    ])
  }

  func rotateSecret(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let before = keys.legacySecrets.ids
    try await note(call, "database secret rotated")
    do throws(KeyStoreError) { try keys.rotateLegacySecret() } catch { throw refusal(error) }
    tellOfLost(secrets: before)
    return listSecrets()
  }

  func removeSecret(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let before = keys.legacySecrets.ids
    guard let id = try call.text("id"), let index = before.firstIndex(of: id) else {
      throw AccountError(.invalidArgument, "id names no secret; see secrets:list")
    }
    guard before.count > 1 else {
      throw AccountError(.invalidArgument, "it is the only secret; rotate first")
    }
    try await note(call, "database secret \(id) removed")
    do throws(KeyStoreError) { try keys.removeLegacySecret(index) } catch { throw refusal(error) }
    tellOfLost(secrets: before)
    return listSecrets()
  }

  private func tellOfLost(secrets before: [String]) {
    let now = keys.legacySecrets.ids
    if before.contains(where: { !now.contains($0) }) { onRevocation(.legacySecret, .keyRotated) }
  }

  // MARK: Parts

  /// Before the thing is done: what the trail does not know must not happen.
  private func note(_ call: IdentityCall, _ what: String) async throws(AccountError) {
    try await store.transact { (transaction) throws(AccountError) in
      transaction.audit(call.event(.keyRotated, detail: what))
    }
  }

  private func refusal(_ error: KeyStoreError) -> AccountError {
    environment.notice(AccountsNotice(.error, "the keys could not be changed: \(error)"))
    switch error.code {
    case .unknownKey: return AccountError(.invalidArgument, "the key is not there, or is the only one")
    default: return AccountError(.unavailable)
    }
  }

  private static func kind(_ call: IdentityCall) throws(AccountError) -> KeyKind? {
    guard let name = try call.text("kind") else { return nil }
    guard let kind = KeyKind(rawValue: name) else {
      throw AccountError(.invalidArgument, "kind is \(KeyKind.allCases.map(\.rawValue).joined(separator: " or "))")
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
