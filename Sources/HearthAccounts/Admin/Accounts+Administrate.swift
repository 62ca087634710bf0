import HearthCrypto
import HearthTree

/// The server's own administration, for its command line: what the identity protocol has no words for.
///
/// It is for who holds the server's own token. A service account's token opens what its scopes say, and here anybody
/// could make themselves another account with all of them, or take the hashes of all passwords away.
extension Accounts {
  /// - Parameter operation: the path after `/hearth/v1/`.
  func administrate(_ operation: String, _ call: IdentityCall) async throws(AccountError) -> JSON {
    try call.requireAdministrator()
    if let name = call.administrator, store.view.serviceAccount(email: name) != nil {
      throw AccountError(.permissionDenied, "This needs the server's own token; a service account's is not enough.")
    }
    switch operation {
    case "status": return status()
    case "users:export": return try await exportUsers(call)
    case "users:revoke": return try await revokeUser(call)
    case "tokens:standing": return try tokenStanding(call)
    case "serviceAccounts:list": return listServiceAccounts()
    case "serviceAccounts:create": return try await createServiceAccount(call)
    case "serviceAccounts:disable": return try await disableServiceAccount(call)
    case "serviceAccounts:removeKey": return try await removeServiceAccountKey(call)
    case "keys:list": return listKeys()
    case "keys:rotate": return try await rotateKey(call)
    case "keys:remove": return try await removeKey(call)
    case "secrets:list": return listSecrets()
    case "secrets:rotate": return try await rotateSecret(call)
    case "secrets:remove": return try await removeSecret(call)
    case "audit:tail": return try tailAudit(call)
    case "audit:verify": return try verifyAudit(call)
    default: throw AccountError(.notFound)
    }
  }

  private func status() -> JSON {
    let view = store.view
    let records = view.auditHead.map { $0.sequence - $0.firstSequence + 1 } ?? 0
    return .object([
      JSON.Member("projectID", .string(configuration.projectID)),
      JSON.Member("publicURL", .string(configuration.publicURL)),
      JSON.Member("users", .int(Int64(view.userCount))),
      JSON.Member("serviceAccounts", .int(Int64(view.serviceAccounts.count))),
      JSON.Member("signIn", .array(providers.ids.map { .string($0) })),
      JSON.Member("sendsMail", .bool(mails.canSend)),
      JSON.Member("isEmulator", .bool(configuration.isEmulator)),
      JSON.Member("isWritable", .bool(store.status == .running)),
      JSON.Member("auditRecords", .int(records)),
      JSON.Member(
        "signingKey", keys.list(.idToken).first { $0.state == .signing }.map { .string($0.kid) } ?? .null),
    ])
  }

  /// Ends every session and token of a user.
  private func revokeUser(_ call: IdentityCall) async throws(AccountError) -> JSON {
    guard let uid = try call.text("localId"), !uid.isEmpty else { throw AccountError(.missingLocalID) }
    let user = try await revokeSessions(
      uid: uid, detail: call.event(.revoked).detail, client: call.client, now: call.now)
    return .object([
      JSON.Member("localId", .string(uid)), JSON.Member("validSince", .int(user.validSinceSeconds)),
    ])
  }

  // MARK: The audit trail

  private static let auditPageMax: Int64 = 10_000

  private func tailAudit(_ call: IdentityCall) throws(AccountError) -> JSON {
    let limit = try call.int("limit") ?? 100
    guard (1...Self.auditPageMax).contains(limit) else {
      throw AccountError(.invalidArgument, "limit must be from 1 to \(Self.auditPageMax)")
    }
    let from = try call.int("from")
    let view = store.view
    let records = from.map { view.audit(from: max(0, $0), limit: Int(limit)) } ?? view.auditTail(limit: Int(limit))
    let lines = records.map { record in
      JSON.object((record.fields.members ?? []) + [JSON.Member("hash", .string(record.hash.hex))])
    }
    return .object([JSON.Member("records", .array(lines))])
  }

  private func verifyAudit(_ call: IdentityCall) throws(AccountError) -> JSON {
    var anchor: AuditHead?
    if let noted = try call.object("anchor").map(call.with) {
      guard let sequence = try noted.int("sequence"), sequence > 0, let hash = try noted.text("hash") else {
        throw AccountError(.invalidArgument, "anchor needs sequence and hash")
      }
      anchor = AuditHead(firstSequence: 1, previousHash: "", sequence: sequence, hash: hash)
    }
    switch AuditTrail.verify(store.view, from: try call.int("from"), anchor: anchor) {
    case .whole(let records, let head):
      var members = [JSON.Member("isWhole", .bool(true)), JSON.Member("records", .int(Int64(records)))]
      if let head {
        members.append(
          JSON.Member(
            "head",
            .object([JSON.Member("sequence", .int(head.sequence)), JSON.Member("hash", .string(head.hash))])))
      }
      return .object(members)
    case .broken(let sequence, let reason):
      return .object([
        JSON.Member("isWhole", .bool(false)),
        JSON.Member(
          "broken",
          .object([JSON.Member("sequence", .int(sequence)), JSON.Member("reason", .string(reason))])),
      ])
    }
  }
}
