import HearthAccounts
import HearthTree

/// Sign-up, sign-in except by other providers, and the refresh of tokens.
struct SignInEndpoints: EndpointGroup {
  let accounts: Accounts

  /// `accounts:signUp`: creates an account, or adds a password to the caller's account.
  func signUp(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let wantsTokens = try call.bool("returnSecureToken") ?? false
    let hasIDToken = call.value("idToken") != nil
    // Server libraries sign users in on their behalf with an administrator's credential, and then request tokens.
    if call.isOfAdministrator, !hasIDToken, !wantsTokens || call.value("localId") != nil {
      return try await UserEndpoints(accounts: accounts).create(call)
    }
    guard call.value("localId") == nil else { throw AccountError(.unexpectedParameter, "User ID") }
    let email = try call.text("email")
    let password = try call.text("password", sizeBytesMax: IdentityCall.longTextBytesMax)
    let displayName = try call.text("displayName", sizeBytesMax: UserRecord.nameBytesMax)
    var reply = ReplyObject(kind: "SignupNewUser")
    if hasIDToken {
      let (user, tokens) = try await accounts.signIn.passwords.link(
        to: try call.caller(in: accounts), email: email, password: password, displayName: displayName,
        client: call.client, now: call.now)
      reply.set("localId", user.uid)
      reply.set("email", user.email)
      reply.set("displayName", user.displayName)
      reply.set(tokens)
      return reply.json
    }
    let factors = try emulatedFactors(call)
    let authenticated: AuthenticatedUser
    if email == nil, password == nil {
      authenticated = try await accounts.signIn.anonymous.newUser(client: call.client, now: call.now)
    } else {
      authenticated = try await accounts.signIn.passwords.newUser(
        email: email, password: password, displayName: displayName, client: call.client, now: call.now)
    }
    let signedIn = try await accounts.sessions.refreshable.start(of: authenticated, client: call.client, now: call.now)
    if let factors {
      _ = try await accounts.administration.users.update(
        uid: signedIn.user.uid, factors, password: nil,
        by: Administrator(name: "a test suite", client: call.client, now: call.now))
    }
    reply.set("localId", signedIn.user.uid)
    reply.set("email", signedIn.user.email)
    reply.set("displayName", signedIn.user.displayName)
    reply.set(signedIn.tokens)
    return reply.json
  }

  /// The second factors that a test suite gives a new account with its sign-up; nil for all other clients.
  private func emulatedFactors(_ call: IdentityCall) throws(AccountError) -> AccountChange? {
    guard accounts.emulator(isFromLoopback: call.isFromLoopback) != nil, let list = call.value("mfaInfo") else {
      return nil
    }
    // Their ids are generated.
    let named = list.array?.map { factor -> JSON in
      .object((factor.members ?? []).filter { $0.name != "mfaEnrollmentId" })
    }
    var change = AccountChange()
    change.factors = try FactorChange.read(named.map { .array($0) } ?? list, call: call, accounts)
    return change
  }

  /// `accounts:signInWithPassword`: signs in with an address and a password.
  func signInWithPassword(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let authenticated = try await accounts.signIn.passwords.signIn(
      email: try call.text("email"),
      password: try call.text("password", sizeBytesMax: IdentityCall.longTextBytesMax), client: call.client,
      now: call.now)
    let result = try await accounts.signIn.secondFactors.continueAfterFirstFactor(
      of: authenticated, client: call.client, now: call.now)
    var reply = ReplyObject(kind: "VerifyPassword")
    reply.set("localId", result.user.uid)
    reply.set("email", result.user.email)
    reply.set("displayName", result.user.displayName)
    reply.set("registered", true)
    reply.set(result)
    return reply.json
  }

  /// `accounts:signInWithCustomToken`: signs in with a custom token.
  func signInWithCustomToken(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let token = try call.text("token", sizeBytesMax: IdentityCall.longTextBytesMax)
    let signedIn = try await accounts.sessions.refreshable.start(
      of: try await authenticate(customToken: token, call), client: call.client, now: call.now)
    var reply = ReplyObject(kind: "VerifyCustomToken")
    reply.set("isNewUser", signedIn.isNew)
    reply.set(signedIn.tokens)
    return reply.json
  }

  private func authenticate(
    customToken token: String?, _ call: IdentityCall
  ) async throws(AccountError) -> AuthenticatedUser {
    // An emulator trusts programs on its machine, signed or not.
    if let token, !token.isEmpty, accounts.emulator(isFromLoopback: call.isFromLoopback) != nil,
      let named = try EmulatedCredential.user(customToken: token, keys: accounts.keys, now: call.now)
    {
      return try accounts.signIn.customTokens.signIn(
        named, provider: ProviderID.custom, client: call.client, now: call.now)
    }
    return try await accounts.signIn.customTokens.signIn(token: token, client: call.client, now: call.now)
  }

  /// `accounts:signInWithEmailLink`: signs in with a mailed code.
  func signInWithEmailLink(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let (email, code) = (try call.text("email"), try call.text("oobCode"))
    var reply = ReplyObject(kind: "EmailLinkSignin")
    func describe(_ user: UserRecord, isNew: Bool) {
      reply.set("localId", user.uid)
      reply.set("email", user.email)
      reply.set("isNewUser", isNew)
    }
    if call.value("idToken") != nil {
      let (user, tokens) = try await accounts.signIn.emailLinks.link(
        email: email, code: code, to: try call.caller(in: accounts), client: call.client, now: call.now)
      describe(user, isNew: false)
      reply.set(tokens)
      return reply.json
    }
    let authenticated = try await accounts.signIn.emailLinks.signIn(
      email: email, code: code, client: call.client, now: call.now)
    let result = try await accounts.signIn.secondFactors.continueAfterFirstFactor(
      of: authenticated, client: call.client, now: call.now)
    describe(result.user, isNew: result.isNew)
    reply.set(result)
    return reply.json
  }

  /// Refreshes tokens, by form or JSON: `grant_type=refresh_token&refresh_token=…`
  func refresh(_ call: IdentityCall) async throws(AccountError) -> JSON {
    guard let grant = try call.text("grantType"), !grant.isEmpty else { throw AccountError(.missingGrantType) }
    guard grant == "refresh_token" else { throw AccountError(.invalidGrantType) }
    guard let token = try call.text("refreshToken", sizeBytesMax: IdentityCall.longTextBytesMax), !token.isEmpty else {
      throw AccountError(.missingRefreshToken)
    }
    let (user, tokens) = try await accounts.sessions.refreshable.refresh(token, client: call.client, now: call.now)
    var reply = ReplyObject()
    reply.set("access_token", tokens.idToken)
    reply.set("expires_in", String(tokens.expiresInSeconds))
    reply.set("token_type", "Bearer")
    reply.set("refresh_token", tokens.refreshToken)
    reply.set("id_token", tokens.idToken)
    reply.set("user_id", user.uid)
    reply.set("project_id", accounts.configuration.projectNumber)
    return reply.json
  }

  /// `accounts:revokeToken`: does nothing, as the server stores no tokens of other providers.
  func revokeToken(_ call: IdentityCall) async throws(AccountError) -> JSON { .object([]) }

  /// `accounts:createAuthUri`: returns the sign-in methods of an address, as far as they may be revealed.
  func createAuthURI(_ call: IdentityCall) async throws(AccountError) -> JSON {
    guard let continueURI = try call.text("continueUri"), !continueURI.isEmpty else {
      throw AccountError(.missingContinueURI)
    }
    guard ContinueURL(continueURI) != nil else { throw AccountError(.invalidContinueURI) }
    if let providerID = try call.text("providerId"), !providerID.isEmpty {
      guard accounts.signIn.providers.servesCredential(of: providerID) else { throw AccountError(.invalidProviderID) }
      return try await providerPage(providerID, continueURI: continueURI, call)
    }
    guard let identifier = try call.text("identifier"), !identifier.isEmpty else {
      throw AccountError(.missingIdentifier)
    }
    guard let address = EmailAddress.canonical(identifier) else { throw AccountError(.invalidIdentifier) }
    var reply = ReplyObject(kind: "CreateAuthUri")
    if !accounts.configuration.protectsFromEnumeration {
      let user = registeredUser(address)
      let methods = user.map { signInMethods($0) } ?? []
      var seen: Set<String> = []
      reply.set("registered", user != nil)
      let ids = methods.map { $0 == "emailLink" ? "password" : $0 }.filter { seen.insert($0).inserted }
      // Clients require the lists, also empty ones.
      reply.set("allProviders", .array(ids.map { .string($0) }))
      reply.set("signinMethods", .array(methods.map { .string($0) }))
    }
    // A client that repeats the request names its session, which the response repeats.
    if let session = try call.text("sessionId"), !session.isEmpty {
      reply.set("sessionId", session)
    } else {
      reply.set("sessionId", try accounts.context.secrets.uid())
    }
    return reply.json
  }

  /// Returns a provider's page for clients that open it themselves, and are redirected to an address of theirs.
  private func providerPage(
    _ providerID: String, continueURI: String, _ call: IdentityCall
  ) async throws(AccountError) -> JSON {
    guard accounts.signIn.providers.servesAuthorizationCodes(of: providerID), !accounts.configuration.isEmulator else {
      throw AccountError(
        .notImplemented, "\(providerID) has no sign-in page on this server. Sign in with the provider's own credential."
      )
    }
    try accounts.changes.codes.links.checkContinueURL(continueURI)
    let (url, sessionID) = try await accounts.signIn.providerPages.address(
      of: providerID, redirectURI: continueURI, now: call.now)
    var reply = ReplyObject(kind: "CreateAuthUri")
    reply.set("authUri", url)
    reply.set("providerId", providerID)
    reply.set("sessionId", sessionID)
    return reply.json
  }

  /// Returns the user with the address, or with a provider identity that has it. Where several accounts may share it,
  /// only an address of the account itself counts.
  private func registeredUser(_ address: String) -> UserRecord? {
    let (view, isShared) = (accounts.store.view, accounts.configuration.allowsDuplicateEmails)
    if let owner = view.user(email: address) { return owner }
    return view.users(identityEmail: address, limit: Self.usersLookedMax).first { !isShared || $0.email != nil }
  }

  /// The maximum number of accounts with one address that are read for its sign-in methods.
  private static let usersLookedMax = 100

  private func signInMethods(_ user: UserRecord) -> [String] {
    var methods: [String] = []
    if user.password != nil { methods.append("password") }
    if user.hasEmailLink { methods.append("emailLink") }
    // The account that an identity opens depends on the identity alone.
    return accounts.configuration.allowsDuplicateEmails ? methods : methods + user.identities.map(\.providerID)
  }
}
