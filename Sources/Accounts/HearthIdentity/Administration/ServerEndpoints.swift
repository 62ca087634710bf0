import HearthAccounts
import HearthCrypto
import HearthTree

/// The endpoints of the server's own administration, for its command line, which the identity protocol lacks.
struct ServerEndpoints: EndpointGroup {
  let accounts: Accounts

  /// Returns the server's status.
  func status(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let view = accounts.store.view
    let records = view.auditHead.map { $0.sequence - $0.firstSequence + 1 } ?? 0
    return .object([
      JSON.Member("projectID", .string(accounts.configuration.projectID)),
      JSON.Member("publicURL", .string(accounts.configuration.publicURL)),
      JSON.Member("users", .int(Int64(view.userCount))),
      JSON.Member("serviceAccounts", .int(Int64(view.serviceAccounts.count))),
      JSON.Member("signIn", .array(accounts.signIn.providers.ids.map { .string($0) })),
      JSON.Member("sendsMail", .bool(accounts.context.mails.canSend)),
      JSON.Member("isEmulator", .bool(accounts.configuration.isEmulator)),
      JSON.Member("isWritable", .bool(accounts.store.status == .running)),
      JSON.Member("auditRecords", .int(records)),
      JSON.Member(
        "signingKey", accounts.keys.list(.idToken).first { $0.state == .signing }.map { .string($0.kid) } ?? .null),
    ])
  }

  /// Ends every session and token of a user.
  func revokeUser(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
    guard let uid = try call.text("localId"), !uid.isEmpty else { throw AccountError(.missingLocalID) }
    let user = try await accounts.administration.users.revoke(uid: uid, by: administrator)
    return .object([
      JSON.Member("localId", .string(uid)), JSON.Member("validSince", .int(user.validSinceSeconds)),
    ])
  }

  /// Returns the validity of a token for its account: `good` or `ended`. For a token of another issuer, its verifier
  /// and, when it is valid, the contents for rules are returned too.
  func tokenStanding(_ call: IdentityCall) async throws(AccountError) -> JSON {
    guard let token = try call.text("token", sizeBytesMax: IdentityCall.longTextBytesMax), !token.isEmpty else {
      throw AccountError(.invalidArgument, "token is missing")
    }
    let revocations = accounts.sessions.revocations
    if revocations.standing(ofToken: token, nowSeconds: call.nowSeconds) == .good { return ["standing": "good"] }
    let (tokens, address, now) = (accounts.sessions.foreignTokens, call.client.address, call.now)
    guard let (verifier, outcome) = await tokens.verify(token, from: address, now: now) else {
      return ["standing": "ended"]
    }
    var answer: JSON = ["standing": "ended", "verifier": .string(verifier)]
    switch outcome {
    case .success(let credential):
      let isGood = revocations.standing(of: credential) == .good
      answer["standing"] = isGood ? "good" : "ended"
      answer["reason"] = isGood ? nil : "the account is disabled, deleted or signed out here"
      answer["uid"] = credential.uid.map { .string($0) }
      answer["databases"] = credential.voucher?.databases.map { .array($0.map { .string($0) }) }
      answer["expiresAt"] = credential.expiresAtSeconds.map { .int($0) }
      answer["auth"] = credential.authPayload.flatMap { JSON(parsing: $0.json.utf8) }
    case .failure(.refused(let refusal, _)):
      answer["reason"] = refusal == .expired ? "the token has expired" : "the verifier refuses the token"
    case .failure(.undecided(_, let reason)): answer["reason"] = .string("the verifier \(reason)")
    }
    return answer
  }

  /// Refuses other paths under `/hearth/v1/`.
  func unknown(_ call: IdentityCall) async throws(AccountError) -> JSON {
    throw AccountError(.notFound)
  }

  // MARK: The audit trail

  private static let auditPageMax: Int64 = 10_000

  /// Records of the audit trail: the last ones, or those from a number on.
  func tailAudit(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let limit = try call.int("limit") ?? 100
    guard (1...Self.auditPageMax).contains(limit) else {
      throw AccountError(.invalidArgument, "limit must be a number from 1 to \(Self.auditPageMax)")
    }
    let from = try call.int("from")
    let view = accounts.store.view
    let records = from.map { view.audit(from: max(0, $0), limit: Int(limit)) } ?? view.auditTail(limit: Int(limit))
    let lines = records.map { record in
      JSON.object((record.fields.members ?? []) + [JSON.Member("hash", .string(record.hash.hex))])
    }
    return .object([JSON.Member("records", .array(lines))])
  }

  /// Verifies that the audit trail is whole.
  func verifyAudit(_ call: IdentityCall) async throws(AccountError) -> JSON {
    var anchor: AuditHead?
    if let noted = try call.object("anchor").map(call.with) {
      guard let sequence = try noted.int("sequence"), sequence > 0, let hash = try noted.text("hash") else {
        throw AccountError(.invalidArgument, "anchor needs sequence and hash")
      }
      anchor = AuditHead(sequence: sequence, hash: hash)
    }
    switch AuditTrailVerifier.verify(accounts.store.view, from: try call.int("from"), anchor: anchor) {
    case .intact(let records, let head):
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
