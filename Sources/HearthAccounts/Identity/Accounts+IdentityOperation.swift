import HearthCrypto
import HearthEngine
import HearthPlugin
import HearthTree

extension Accounts {
  /// `accounts:signInWithIdp`: another provider's credential, to sign in with or to link.
  func signInWithIdentity(_ call: IdentityCall) async throws(AccountError) -> JSON {
    guard let requestURI = try call.text("requestUri"), !requestURI.isEmpty else {
      throw AccountError(.missingRequestURI)
    }
    guard ContinueURL(requestURI) != nil else { throw AccountError(.invalidRequestURI) }
    let credential = try await presentedIdentity(call)
    if case .named(let named, let providerID) = credential {
      return try await signInNamed(named, providerID: providerID, call)
    }
    guard case .identity(let identity, let parameters, let pending) = credential else {
      throw AccountError(.invalidProviderResponse)
    }
    var reply = ReplyObject(kind: "VerifyAssertion")
    describe(identity, parameters, in: &reply)
    do {
      if call.value("idToken") != nil { return try await link(identity, pending: pending, call, &reply) }
      try await use(pending, now: call.now)
      return try await signIn(identity, call, &reply)
    } catch {
      // Clients that ask for the credential get it beside these errors, to link it elsewhere.
      let isConflict = error.code == .emailExists || error.code == .federatedUserAlreadyLinked
      guard isConflict, try call.bool("returnIdpCredential") == true else { throw error }
      reply.set("errorMessage", error.message)
      return reply.json
    }
  }

  private enum PresentedIdentity {
    /// - Parameter pending: the ticket that it comes from.
    case identity(FederatedIdentity, parameters: [String: String], pending: Digest?)
    case named(NamedUser, providerID: String)
  }

  private func presentedIdentity(_ call: IdentityCall) async throws(AccountError) -> PresentedIdentity {
    if let text = try call.text("pendingToken", sizeBytesMax: IdentityCall.longTextBytesMax), !text.isEmpty {
      let hash = Digest(sha256: text.utf8)
      guard let ticket = store.view.ticket(hash), ticket.purpose == .pendingIdentity,
        !ticket.isOver(nowSeconds: call.nowSeconds), let identity = FederatedIdentity(pending: ticket.details)
      else { throw AccountError(.invalidPendingToken) }
      return .identity(identity, parameters: [:], pending: hash)
    }
    let body = try call.text("postBody", sizeBytesMax: IdentityCall.longTextBytesMax) ?? ""
    guard let pairs = PercentCoding.pairs(body.utf8), pairs.count <= 100 else {
      throw AccountError(.invalidCredentialOrProvider, "postBody is not a form.")
    }
    var parameters = Dictionary(pairs.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    guard let providerID = parameters.removeValue(forKey: "providerId"), !providerID.isEmpty else {
      throw AccountError(.invalidCredentialOrProvider, "Invalid IdP response/credential: no providerId.")
    }
    if emulation(for: call) != nil,
      let claimed = try EmulatedCredential.identity(providerID: providerID, parameters: parameters)
    {
      // Clients make a credential of the answer, which for most providers needs an access token.
      parameters["access_token"] = parameters["access_token"] ?? EmulatedCredential.accessToken(of: providerID)
      return .identity(claimed, parameters: parameters, pending: nil)
    }
    guard let provider = providers.credentialProvider(providerID) else {
      if emulation(for: call) != nil { throw EmulatedCredential.unreadable(providerID) }
      throw AccountError(.operationNotAllowed, "The identity provider configuration is not found.")
    }
    let answer = try await ask(
      provider, .credential, call.value("idToken") == nil ? .signIn : .link, parameters: parameters,
      client: call.client, now: call.now)
    switch answer {
    case .identity(let foreign):
      return .identity(FederatedIdentity(providerID: providerID, foreign), parameters: parameters, pending: nil)
    case .user(let named): return .named(named, providerID: providerID)
    default: throw AccountError(.invalidProviderResponse, "The provider names no identity.")
    }
  }

  private func signInNamed(
    _ named: NamedUser, providerID: String, _ call: IdentityCall
  ) async throws(AccountError) -> JSON {
    guard call.value("idToken") == nil else { throw AccountError(.operationNotAllowed) }
    let signedIn = try await signIn(
      named, provider: named.signInProvider ?? providerID, client: call.client, now: call.now)
    var reply = ReplyObject(kind: "VerifyAssertion")
    reply.set("providerId", providerID)
    reply.set("federatedId", signedIn.user.uid)
    reply.set("localId", signedIn.user.uid)
    reply.set("isNewUser", signedIn.isNew)
    let result = try await finishSignIn(
      signedIn.user, provider: signedIn.provider, claims: signedIn.claims, client: call.client, now: call.now)
    set(result, of: signedIn.user, in: &reply)
    return reply.json
  }

  private func signIn(
    _ identity: FederatedIdentity, _ call: IdentityCall, _ reply: inout ReplyObject
  ) async throws(AccountError) -> JSON {
    let outcome = try await federatedUser(
      identity, allowsCreation: try call.bool("autoCreate") ?? true, client: call.client, now: call.now)
    switch outcome {
    case .needsCreation: throw AccountError(.userNotFound)
    case .needsConfirmation(let user):
      reply.set("needConfirmation", true)
      reply.set("localId", user.uid)
      if !configuration.protectsFromEnumeration {
        let providers = (user.password == nil ? [] : ["password"]) + user.identities.map(\.providerID)
        reply.set("verifiedProvider", list: providers.map { .string($0) })
      }
      reply.set("pendingToken", try await keep(identity, call))
      return reply.json
    case .user(let user, let isNew):
      reply.set("localId", user.uid)
      reply.set("isNewUser", isNew)
      let claims = try identity.foreign.attributes.map { json throws(AccountError) in try sessionClaims(json) } ?? []
      let result = try await finishSignIn(
        user, provider: identity.identity.providerID, claims: claims, client: call.client, now: call.now)
      set(result, of: user, in: &reply)
      return reply.json
    }
  }

  private func link(
    _ identity: FederatedIdentity, pending: Digest?, _ call: IdentityCall, _ reply: inout ReplyObject
  ) async throws(AccountError) -> JSON {
    let caller = try caller(call)
    let now = call.now
    let user = try await link(identity, to: caller, client: call.client) { (transaction) throws(AccountError) in
      if let pending { try transaction.takePendingIdentity(pending, now: now) }
    }
    reply.set("localId", user.uid)
    reply.set("isNewUser", false)
    reply.set(try await continueSession(caller, as: identity.identity.providerID, user: user, call))
    return reply.json
  }

  // MARK: Identities that wait for their owner's word

  private func keep(_ identity: FederatedIdentity, _ call: IdentityCall) async throws(AccountError) -> String {
    let code = try newCode()
    var ticket = Ticket(
      purpose: .pendingIdentity, uid: nil, email: identity.email, createdAtSeconds: call.nowSeconds,
      expiresAtSeconds: call.nowSeconds + Ticket.Purpose.pendingIdentity.lifetimeSeconds)
    ticket.details = identity.pendingText
    let kept = ticket
    try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      transaction.putTicket(code.hash, kept)
    }
    return code.text
  }

  private func use(_ pending: Digest?, now: Instant) async throws(AccountError) {
    guard let pending else { return }
    try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      try transaction.takePendingIdentity(pending, now: now)
    }
  }

  // MARK: The answer

  private func describe(_ identity: FederatedIdentity, _ parameters: [String: String], in reply: inout ReplyObject) {
    let foreign = identity.foreign
    reply.set("providerId", identity.identity.providerID)
    reply.set("federatedId", Self.federatedID(identity.identity.providerID, foreign.rawID))
    reply.set("email", identity.email)
    if identity.email != nil { reply.set("emailVerified", identity.isEmailVerified) }
    reply.set("displayName", foreign.displayName)
    reply.set("fullName", foreign.displayName)
    reply.set("firstName", foreign.firstName)
    reply.set("lastName", foreign.lastName)
    reply.set("photoUrl", foreign.photoURL)
    reply.set("screenName", foreign.screenName)
    reply.set("rawUserInfo", foreign.profile.map { String(decoding: $0.text(), as: UTF8.self) })
    reply.set("oauthIdToken", parameters["id_token"])
    reply.set("oauthAccessToken", parameters["access_token"])
    reply.set("oauthTokenSecret", parameters["oauth_token_secret"])
  }
}

extension FederatedIdentity {
  /// What a ticket keeps of it.
  var pendingText: String {
    var object = ReplyObject()
    object.set("providerId", identity.providerID)
    object.set("rawId", foreign.rawID)
    object.set("email", email)
    object.set("emailVerified", isEmailVerified)
    object.set("displayName", identity.displayName)
    object.set("photoUrl", identity.photoURL)
    object.set("screenName", identity.screenName)
    return String(decoding: object.json.text(), as: UTF8.self)
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
