import HearthAccounts
import HearthCrypto
import HearthPlugin
import HearthTree

/// Sign-in with another provider's credential.
struct FederatedEndpoints: EndpointGroup {
  let accounts: Accounts

  /// `accounts:signInWithIdp`: signs in with another provider's credential, or links it.
  func signInWithIdentity(_ call: IdentityCall) async throws(AccountError) -> JSON {
    guard let requestURI = try call.text("requestUri", sizeBytesMax: IdentityCall.longTextBytesMax), !requestURI.isEmpty
    else { throw AccountError(.missingRequestURI) }
    // The parameters that a provider, or a page for apps, adds to the address may be longer than an address.
    guard ContinueURL(String(requestURI.prefix { !"?#".contains($0) })) != nil else {
      throw AccountError(.invalidRequestURI)
    }
    if let answer = try await PasskeyEndpoints(accounts: accounts).signInWithCredential(call) { return answer }
    let credential = try await presentedIdentity(call)
    if case .named(let named, let providerID) = credential {
      return try await signInNamed(named, providerID: providerID, call)
    }
    guard case .identity(let identity, let parameters, let pending) = credential else {
      throw AccountError(.invalidProviderResponse)
    }
    var reply = ReplyObject(kind: "VerifyAssertion")
    reply.set("tenantId", accounts.tenantID)
    describe(identity, parameters, in: &reply)
    do {
      if call.value("idToken") != nil { return try await link(identity, parameters, pending: pending, call, &reply) }
      if let pending { try await accounts.signIn.federated.consumePending(pending, now: call.now) }
      return try await signIn(identity, parameters, call, &reply)
    } catch {
      // Clients that request the credential get it with these errors, to link it elsewhere.
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
      let (identity, ticket) = try accounts.signIn.federated.pending(text, now: call.now)
      return .identity(identity, parameters: [:], pending: ticket)
    }
    let body = try call.text("postBody", sizeBytesMax: IdentityCall.longTextBytesMax) ?? ""
    let session = try call.text("sessionId", sizeBytesMax: IdentityCall.longTextBytesMax)
    let requestURI = try call.text("requestUri", sizeBytesMax: IdentityCall.longTextBytesMax) ?? ""
    guard var pairs = PercentEncoding.pairs(body.utf8) else {
      throw AccountError(.invalidCredentialOrProvider, "postBody is not a form.")
    }
    // Web SDKs send no credential, and native SDKs only the provider: the credential is in the URL to which the provider's page
    // redirected.
    let namesNoCredential = pairs.allSatisfy { Self.partsWithoutCredential.contains($0.name) }
    let named = pairs.first { $0.name == "providerId" }?.value
    if call.isEmulated(in: accounts) {
      pairs = EmulatedCredential.parts(requestURI: requestURI, postBody: pairs)
    }
    if let session, namesNoCredential, !pairs.contains(where: { $0.name == "id_token" }) {
      return try await redeemed(requestURI, session: session, providerID: named, call)
    }
    guard pairs.count <= 100 else {
      throw AccountError(.invalidCredentialOrProvider, "The credential has more than 100 parts.")
    }
    var parameters = Dictionary(pairs.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    guard let providerID = parameters.removeValue(forKey: "providerId"), !providerID.isEmpty else {
      throw AccountError(.invalidCredentialOrProvider, "Invalid IdP response/credential: no providerId.")
    }
    let presented = try await presentedCredential(
      of: providerID, parameters: parameters, isLinking: call.value("idToken") != nil, call)
    switch presented {
    case .identity(let identity, let parameters): return .identity(identity, parameters: parameters, pending: nil)
    case .named(let named): return .named(named, providerID: providerID)
    }
  }

  /// The parts of a `postBody` that are allowed when the credential is in the address.
  private static let partsWithoutCredential: Set<String> = ["identifier", "nonce", "providerId", "user"]

  /// Redeems the answer of a provider's page.
  ///
  /// - Parameter named: the provider that the client names; nil when it names none.
  private func redeemed(
    _ shownURI: String, session shownSession: String, providerID named: String?, _ call: IdentityCall
  ) async throws(AccountError) -> PresentedIdentity {
    var (requestURI, session) = (shownURI, shownSession)
    if let answer = try accounts.signIn.nativeAnswers.open(requestURI: shownURI, sessionID: shownSession, now: call.now)
    {
      guard named.map({ $0.isSameText(as: answer.providerID) }) ?? true else {
        throw AccountError(.invalidProviderResponse, "The requestUri belongs to another provider than the postBody.")
      }
      (requestURI, session) = (answer.url, answer.sessionID)
    }
    let user = try await accounts.signIn.samlPages.redeem(requestURI: requestURI, sessionID: session, now: call.now)
    if let user { return .identity(user, parameters: [:], pending: nil) }
    let (providerID, parameters) = try await accounts.signIn.providerPages.redeem(
      requestURI: requestURI, sessionID: session, client: call.client, now: call.now)
    let presented = try await accounts.signIn.federated.presented(
      providerID, parameters: parameters, isLinking: call.value("idToken") != nil, client: call.client, now: call.now)
    switch presented {
    case .identity(let identity, let parameters): return .identity(identity, parameters: parameters, pending: nil)
    case .named(let named): return .named(named, providerID: providerID)
    }
  }

  private func presentedCredential(
    of providerID: String, parameters: [String: String], isLinking: Bool, _ call: IdentityCall
  ) async throws(AccountError) -> PresentedCredential {
    guard !SAMLPages.serves(providerID) || parameters["SAMLResponse"] == nil || accounts.configuration.isEmulator else {
      throw AccountError(
        .invalidCredentialOrProvider,
        "A SAML response is only valid for a sign-in that this server's page started: use signInWithPopup or "
          + "signInWithRedirect.")
    }
    // An emulator trusts programs on its machine, signed or not.
    if call.isEmulated(in: accounts) {
      if let claimed = try EmulatedCredential.identity(providerID: providerID, parameters: parameters) {
        var parameters = parameters
        // Clients create a credential from the response, which for most providers needs an access token.
        parameters["access_token"] = parameters["access_token"] ?? EmulatedCredential.accessToken(of: providerID)
        return .identity(claimed, parameters: parameters)
      }
      guard accounts.signIn.providers.servesCredential(of: providerID) else {
        throw EmulatedCredential.unreadable(providerID)
      }
    }
    return try await accounts.signIn.federated.presented(
      providerID, parameters: parameters, isLinking: isLinking, client: call.client, now: call.now)
  }

  private func signInNamed(
    _ named: NamedUser, providerID: String, _ call: IdentityCall
  ) async throws(AccountError) -> JSON {
    guard call.value("idToken") == nil else { throw AccountError(.operationNotAllowed) }
    let authenticated = try accounts.signIn.customTokens.signIn(
      named, provider: named.signInProvider ?? providerID, client: call.client, now: call.now)
    let result = try await accounts.signIn.secondFactors.continueAfterFirstFactor(
      of: authenticated, client: call.client, now: call.now)
    var reply = ReplyObject(kind: "VerifyAssertion")
    reply.set("tenantId", accounts.tenantID)
    reply.set("providerId", providerID)
    reply.set("federatedId", result.user.uid)
    reply.set("localId", result.user.uid)
    reply.set("isNewUser", result.isNew)
    reply.set(result)
    return reply.json
  }

  private func signIn(
    _ identity: FederatedIdentity, _ parameters: [String: String], _ call: IdentityCall, _ reply: inout ReplyObject
  ) async throws(AccountError) -> JSON {
    let outcome = try await accounts.signIn.federated.user(
      of: identity, parameters: parameters, allowsCreation: try call.bool("autoCreate") ?? true, client: call.client,
      now: call.now)
    switch outcome {
    case .needsCreation: throw AccountError(.userNotFound)
    case .needsConfirmation(let user):
      reply.set("needConfirmation", true)
      reply.set("localId", user.uid)
      if !accounts.configuration.protectsFromEnumeration {
        let providers = (user.password == nil ? [] : [ProviderID.password]) + user.identities.map(\.providerID)
        reply.set("verifiedProvider", list: providers.map { .string($0) })
      }
      reply.set("pendingToken", try await accounts.signIn.federated.storePending(identity, now: call.now))
      return reply.json
    case .user(let authenticated):
      let result = try await accounts.signIn.secondFactors.continueAfterFirstFactor(
        of: authenticated, client: call.client, now: call.now)
      reply.set("localId", result.user.uid)
      reply.set("isNewUser", result.isNew)
      reply.set(result)
      return reply.json
    }
  }

  private func link(
    _ identity: FederatedIdentity, _ parameters: [String: String], pending: Digest?, _ call: IdentityCall,
    _ reply: inout ReplyObject
  ) async throws(AccountError) -> JSON {
    let (user, tokens) = try await accounts.signIn.federated.link(
      identity, parameters: parameters, pending: pending, to: try call.caller(in: accounts), client: call.client,
      now: call.now)
    reply.set("localId", user.uid)
    reply.set("isNewUser", false)
    reply.set(tokens)
    return reply.json
  }

  // MARK: The answer

  private func describe(_ identity: FederatedIdentity, _ parameters: [String: String], in reply: inout ReplyObject) {
    let foreign = identity.foreign
    reply.set("providerId", identity.identity.providerID)
    reply.set("federatedId", UserInfoAnswer.federatedID(identity.identity.providerID, foreign.rawID))
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
    // A client that shows the token again, to link it elsewhere, shows the nonce with it.
    reply.set("nonce", parameters["nonce"])
    reply.set("oauthAccessToken", parameters["access_token"])
    reply.set("oauthTokenSecret", parameters["oauth_token_secret"])
  }
}
