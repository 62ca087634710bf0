import HearthCrypto
import HearthPlugin
import HearthTree

extension Accounts {
  /// `accounts:signUp`: a new account, or a password for the account of who is signed in.
  func signUp(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let wantsTokens = try call.bool("returnSecureToken") ?? false
    let hasIDToken = call.value("idToken") != nil
    // Server libraries sign people in on their behalf with an administrator's credential, and ask for tokens then.
    if call.isAdministrator, !hasIDToken, !wantsTokens || call.value("localId") != nil {
      return try await adminCreate(call)
    }
    guard call.value("localId") == nil else { throw AccountError(.unexpectedParameter, "User ID") }
    let email = try call.text("email")
    let password = try call.text("password", sizeBytesMax: IdentityCall.longTextBytesMax)
    let displayName = try call.text("displayName", sizeBytesMax: ProfileChange.nameBytesMax)
    var reply = ReplyObject(kind: "SignupNewUser")
    if hasIDToken {
      let (user, tokens) = try await linkPassword(
        to: try caller(call), email: email, password: password, displayName: displayName, call)
      reply.set("localId", user.uid)
      reply.set("email", user.email)
      reply.set("displayName", user.displayName)
      reply.set(tokens)
      return reply.json
    }
    let user: UserRecord
    let provider: String
    if email == nil, password == nil {
      user = try await createAnonymousUser(client: call.client, now: call.now)
      provider = "anonymous"
    } else {
      user = try await createPasswordUser(
        email: email, password: password, displayName: displayName, client: call.client, now: call.now)
      provider = "password"
    }
    reply.set("localId", user.uid)
    reply.set("email", user.email)
    reply.set("displayName", user.displayName)
    reply.set(try await startSession(user: user, provider: provider, client: call.client, now: call.now))
    return reply.json
  }

  /// Adds an address and a password to an account that has no password, as an anonymous one, and keeps its uid. Another
  /// address than the account's replaces that, and the password with it.
  ///
  /// - Throws: `emailExists` for somebody else's address, and for one's own with a password; `credentialTooOld` unless
  ///   they signed in a short while ago, but for anonymous users.
  func linkPassword(
    to caller: Caller, email: String?, password: String?, displayName: String?, _ call: IdentityCall
  ) async throws(AccountError) -> (UserRecord, TokenTriple) {
    guard let email else { throw AccountError(.missingEmail) }
    guard let password, !password.isEmpty else { throw AccountError(.missingPassword) }
    guard providers.provider(for: .password) != nil else { throw AccountError(.operationNotAllowed) }
    guard let address = EmailAddress.canonical(email) else { throw AccountError(.invalidEmail) }
    // Who has nothing but this session cannot sign in again; everybody else shows that it is still them.
    if !caller.user.isAnonymous { try requireRecentSignIn(caller, now: call.now) }
    try admitSignUp(call.client, now: call.now)
    if let owner = store.view.user(email: address), owner.uid != caller.user.uid { throw AccountError(.emailExists) }
    let stored = try await hashedPassword(
      password, email: address, operation: .link, client: call.client, now: call.now)
    let session = try newSession(
      uid: caller.user.uid, provider: "password", claims: sessionClaims(of: caller),
      secondFactor: caller.secondFactor, client: call.client)
    if let present = caller.user.email, !present.isSameText(as: address) {
      return try await replaceAddress(
        of: caller, with: address, isVerified: false, session: session, way: "password", client: call.client,
        now: call.now
      ) { (_, user) throws(AccountError) in
        user.password = stored
        user.hasTemporaryPassword = false
        if let displayName { user.displayName = displayName }
      }
    }
    let (user, record) = try await store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> (UserRecord, SessionRecord) in
      guard var user = transaction.user(caller.user.uid) else { throw AccountError(.userNotFound) }
      try caller.check(against: user)
      guard user.password == nil else { throw AccountError(.emailExists) }
      if let owner = transaction.user(email: address), owner.uid != user.uid { throw AccountError(.emailExists) }
      // It got another one meanwhile.
      if let present = user.email, !present.isSameText(as: address) { throw AccountError(.operationNotAllowed) }
      user.email = address
      user.initialEmail = user.initialEmail ?? address
      user.password = stored
      if let displayName { user.displayName = displayName }
      let record = Self.begin(session, of: &user, in: &transaction, now: call.now)
      try transaction.update(user)
      transaction.audit(
        AuditEvent(.providerLinked, uid: user.uid, email: address, client: call.client, detail: "password"))
      return (user, record)
    }
    return (user, try tokens(of: user, session: record, refreshToken: session.token.text))
  }

  /// `accounts:signInWithPassword`
  func signInWithPassword(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let user = try await passwordSignIn(
      email: try call.text("email"),
      password: try call.text("password", sizeBytesMax: IdentityCall.longTextBytesMax), client: call.client,
      now: call.now)
    let result = try await finishSignIn(user, provider: "password", client: call.client, now: call.now)
    var reply = ReplyObject(kind: "VerifyPassword")
    reply.set("localId", user.uid)
    reply.set("email", user.email)
    reply.set("displayName", user.displayName)
    reply.set("registered", true)
    set(result, of: user, in: &reply)
    return reply.json
  }

  /// `accounts:signInWithCustomToken`
  func signInWithCustomToken(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let token = try call.text("token", sizeBytesMax: IdentityCall.longTextBytesMax)
    let signedIn = try await customTokenSignIn(
      token: token, isFromLoopback: call.isFromLoopback, client: call.client, now: call.now)
    var reply = ReplyObject(kind: "VerifyCustomToken")
    reply.set("isNewUser", signedIn.isNew)
    reply.set(
      try await startSession(
        user: signedIn.user, provider: signedIn.provider, claims: signedIn.claims, client: call.client, now: call.now))
    return reply.json
  }

  /// `accounts:signInWithEmailLink`
  func signInWithEmailLink(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let (email, code) = (try call.text("email"), try call.text("oobCode"))
    var reply = ReplyObject(kind: "EmailLinkSignin")
    func describe(_ user: UserRecord, isNew: Bool) {
      reply.set("localId", user.uid)
      reply.set("email", user.email)
      reply.set("isNewUser", isNew)
    }
    if call.value("idToken") != nil {
      let (user, tokens) = try await linkEmailLink(email: email, code: code, to: try caller(call), call)
      describe(user, isNew: false)
      reply.set(tokens)
      return reply.json
    }
    let (user, isNew) = try await emailLinkSignIn(email: email, code: code, client: call.client, now: call.now)
    describe(user, isNew: isNew)
    let result = try await finishSignIn(user, provider: "password", client: call.client, now: call.now)
    set(result, of: user, in: &reply)
    return reply.json
  }

  /// The tokens, or what stands for them until the second factor is there.
  func set(_ result: SignInResult, of user: UserRecord, in reply: inout ReplyObject) {
    switch result {
    case .tokens(let tokens): reply.set(tokens)
    case .pending(let text):
      reply.set("mfaPendingCredential", text)
      reply.set("mfaInfo", list: user.factors.map { Self.factorInfo($0, redacted: true) })
    }
  }

  /// Form or JSON: `grant_type=refresh_token&refresh_token=…`
  func refresh(_ call: IdentityCall) async throws(AccountError) -> JSON {
    guard let grant = try call.text("grantType"), !grant.isEmpty else { throw AccountError(.missingGrantType) }
    guard grant == "refresh_token" else { throw AccountError(.invalidGrantType) }
    guard let token = try call.text("refreshToken", sizeBytesMax: IdentityCall.longTextBytesMax), !token.isEmpty else {
      throw AccountError(.missingRefreshToken)
    }
    let (user, tokens) = try await refresh(token, client: call.client, now: call.now)
    var reply = ReplyObject()
    reply.set("access_token", tokens.idToken)
    reply.set("expires_in", String(tokens.expiresInSeconds))
    reply.set("token_type", "Bearer")
    reply.set("refresh_token", tokens.refreshToken)
    reply.set("id_token", tokens.idToken)
    reply.set("user_id", user.uid)
    reply.set("project_id", configuration.projectNumber)
    return reply.json
  }

  /// `accounts:createAuthUri`: which ways in an address has, as far as that may be told.
  func createAuthURI(_ call: IdentityCall) async throws(AccountError) -> JSON {
    guard let continueURI = try call.text("continueUri"), !continueURI.isEmpty else {
      throw AccountError(.missingContinueURI)
    }
    guard ContinueURL(continueURI) != nil else { throw AccountError(.invalidContinueURI) }
    if let providerID = try call.text("providerId"), !providerID.isEmpty {
      guard providers.credentialProvider(providerID) != nil else { throw AccountError(.invalidProviderID) }
      throw AccountError(
        .notImplemented, "Redirects to a provider are not served; sign in with the provider's own credential.")
    }
    guard let identifier = try call.text("identifier"), !identifier.isEmpty else {
      throw AccountError(.missingIdentifier)
    }
    guard let address = EmailAddress.canonical(identifier) else { throw AccountError(.invalidIdentifier) }
    var reply = ReplyObject(kind: "CreateAuthUri")
    if !configuration.protectsFromEnumeration {
      let user = store.view.user(email: address)
      let methods = user.map { signInMethods($0) } ?? []
      var seen: Set<String> = []
      reply.set("registered", user != nil)
      let ids = methods.map { $0 == "emailLink" ? "password" : $0 }.filter { seen.insert($0).inserted }
      // Clients read the lists whether there is anything in them or not.
      reply.set("allProviders", .array(ids.map { .string($0) }))
      reply.set("signinMethods", .array(methods.map { .string($0) }))
    }
    // Whoever asks again in the same session names it.
    if let session = try call.text("sessionId"), !session.isEmpty {
      reply.set("sessionId", session)
    } else {
      reply.set("sessionId", try newUID())
    }
    return reply.json
  }

  private func signInMethods(_ user: UserRecord) -> [String] {
    var methods: [String] = []
    if user.password != nil { methods.append("password") }
    if user.hasEmailLink { methods.append("emailLink") }
    return methods + user.identities.map(\.providerID)
  }
}
