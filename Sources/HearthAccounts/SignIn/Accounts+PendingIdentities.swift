import HearthCrypto
import HearthEngine
import HearthPlugin
import HearthTree

/// Identities that wait for their owner's word: their address belongs to an account that they are not linked to.
extension Accounts {
  /// Keeps an identity for a while.
  ///
  /// - Returns: the text that stands for it.
  package func keep(_ identity: FederatedIdentity, now: Instant) async throws(AccountError) -> String {
    let code = try newCode()
    let nowSeconds = now.wallMilliseconds / 1000
    var ticket = Ticket(
      purpose: .pendingIdentity, uid: nil, email: identity.email, createdAtSeconds: nowSeconds,
      expiresAtSeconds: nowSeconds + Ticket.Purpose.pendingIdentity.lifetimeSeconds)
    ticket.details = identity.pendingText
    let kept = ticket
    try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      transaction.putTicket(code.hash, kept)
    }
    return code.text
  }

  /// The identity that a text from ``keep(_:now:)`` stands for, and its ticket, which is not used up by this.
  ///
  /// - Throws: `invalidPendingToken`.
  package func pendingIdentity(
    _ text: String, now: Instant
  ) throws(AccountError) -> (identity: FederatedIdentity, ticket: Digest) {
    let hash = Digest(sha256: text.utf8)
    guard let ticket = store.view.ticket(hash), ticket.purpose == .pendingIdentity,
      !ticket.isOver(nowSeconds: now.wallMilliseconds / 1000), let identity = FederatedIdentity(pending: ticket.details)
    else { throw AccountError(.invalidPendingToken) }
    return (identity, hash)
  }

  /// Uses a pending identity up, for somebody who signs in with it.
  ///
  /// - Throws: `invalidPendingToken` when somebody was faster.
  package func usePendingIdentity(_ ticket: Digest, now: Instant) async throws(AccountError) {
    try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      try transaction.takePendingIdentity(ticket, now: now)
    }
  }

  /// Adds an identity to the account of somebody who is signed in, and lets them go on with tokens of its provider.
  ///
  /// - Parameter pending: the ticket that the identity comes from; it is used up in the same step.
  package func link(
    _ identity: FederatedIdentity, pending: Digest?, to caller: Caller, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple) {
    let user = try await link(identity, to: caller, client: client) { (transaction) throws(AccountError) in
      if let pending { try transaction.takePendingIdentity(pending, now: now) }
    }
    let tokens = try await continueSession(
      caller, as: identity.identity.providerID, user: user, client: client, now: now)
    return (user, tokens)
  }
}

extension FederatedIdentity {
  /// What a ticket keeps of it: the text of a JSON object.
  var pendingText: String {
    var members: [JSON.Member] = []
    func add(_ name: String, _ text: String?) {
      if let text { members.append(JSON.Member(name, .string(text))) }
    }
    add("providerId", identity.providerID)
    add("rawId", foreign.rawID)
    add("email", email)
    members.append(JSON.Member("emailVerified", .bool(isEmailVerified)))
    add("displayName", identity.displayName)
    add("photoUrl", identity.photoURL)
    add("screenName", identity.screenName)
    return String(decoding: JSON.object(members).text(), as: UTF8.self)
  }

  init?(pending text: String?) {
    guard let json = text.flatMap({ JSON(parsing: $0.utf8) }), let providerID = json["providerId"]?.string,
      let rawID = json["rawId"]?.string
    else { return nil }
    var foreign = ForeignIdentity(
      rawID: rawID, email: json["email"]?.string, isEmailVerified: json["emailVerified"]?.bool ?? false)
    foreign.displayName = json["displayName"]?.string
    foreign.photoURL = json["photoUrl"]?.string
    foreign.screenName = json["screenName"]?.string
    self.init(providerID: providerID, foreign)
  }
}

extension AccountTransaction {
  fileprivate mutating func takePendingIdentity(_ hash: Digest, now: Instant) throws(AccountError) {
    guard let ticket = ticket(hash), ticket.purpose == .pendingIdentity,
      !ticket.isOver(nowSeconds: now.wallMilliseconds / 1000)
    else { throw AccountError(.invalidPendingToken) }
    removeTicket(hash)
  }
}
