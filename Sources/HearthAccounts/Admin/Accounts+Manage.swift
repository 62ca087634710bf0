import HearthCrypto
import HearthPlugin
import HearthTree

/// One account at a time, for an administrator: what the admin SDKs call.
extension Accounts {
  /// Makes an account. Never answers tokens.
  func adminCreate(_ call: IdentityCall) async throws(AccountError) -> JSON {
    try call.requireAdministrator()
    let change = try AccountChange(call, random: environment.random, seal: sealFactor)
    let uid = if let given = try call.text("localId") { given } else { try newUID() }
    try Self.check(uid: uid)
    var user = UserRecord(uid: uid, createdAtMilliseconds: call.now.wallMilliseconds)
    _ = try change.apply(to: &user, revokesOnClaimChange: false)
    guard user.factors.count <= configuration.secondFactorsMax else { throw AccountError(.secondFactorLimit) }
    if let password = try call.text("password") {
      user.password = try await newPassword(password, for: user, operation: .signUp, call: call)
    }
    user.initialEmail = user.email
    try await store.transact { [user] (transaction) throws(AccountError) in
      try transaction.insert(user)
      transaction.audit(call.event(.signUp, user))
    }
    return Self.answer("SignupNewUserResponse", [("localId", .string(uid))] + Self.profile(of: user))
  }

  /// Accounts by uid, e-mail address, phone number or provider identity.
  func adminLookup(_ call: IdentityCall) async throws(AccountError) -> JSON {
    try call.requireAdministrator()
    let view = store.view
    var found: [UserRecord] = []
    // By their bytes: uids that Unicode calls equivalent are of different users.
    var uids: Set<[UInt8]> = []
    func add(_ user: UserRecord?) {
      if let user, uids.insert(Array(user.uid.utf8)).inserted { found.append(user) }
    }
    for uid in try call.texts("localId") ?? [] { add(view.user(uid)) }
    for email in try call.texts("email") ?? [] { add(EmailAddress.canonical(email).flatMap { view.user(email: $0) }) }
    for number in try call.texts("phoneNumber") ?? [] { add(view.user(phone: number)) }
    for identity in call.value("federatedUserId")?.array ?? [] {
      let identity = call.with(identity)
      guard let providerID = try identity.text("providerId"), let rawID = try identity.text("rawId") else { continue }
      add(view.user(providerID: providerID, rawID: rawID))
    }
    // Clients take an empty array for a list with nobody's record in it; no member means nobody.
    let users = found.map { userInfo($0) }
    return Self.answer("GetAccountInfoResponse", users.isEmpty ? [] : [("users", .array(users))])
  }

  func adminUpdate(_ call: IdentityCall) async throws(AccountError) -> JSON {
    try call.requireAdministrator()
    guard let uid = try call.text("localId"), !uid.isEmpty else { throw AccountError(.missingLocalID) }
    var change = try AccountChange(call, random: environment.random, seal: sealFactor)
    if let password = try call.text("password"), !password.isEmpty {
      guard var user = store.view.user(uid) else { throw AccountError(.userNotFound) }
      change.email.apply(to: &user.email)
      change.password = .set(try await newPassword(password, for: user, operation: .change, call: call))
    }
    let configuration = configuration
    let (user, outcome) = try await store.transact {
      [change] (transaction) throws(AccountError) -> (UserRecord, AccountChange.Outcome) in
      guard var user = transaction.user(uid) else { throw AccountError(.userNotFound) }
      let outcome = try change.apply(to: &user, revokesOnClaimChange: configuration.revokesOnClaimChange)
      guard user.factors.count <= configuration.secondFactorsMax else { throw AccountError(.secondFactorLimit) }
      if outcome.endsTokens { transaction.endTokens(of: &user, shownSeconds: outcome.shownSeconds) }
      try transaction.update(user)
      if outcome.endsTickets { transaction.removeTickets(of: uid) }
      for event in outcome.events.isEmpty ? [.profileChanged] : outcome.events {
        transaction.audit(call.event(event, user))
      }
      return (user, outcome)
    }
    if outcome.endsTokens || user.isDisabled { onRevocation(.user(uid: uid), outcome.ending) }
    var members = Self.account(of: userInfo(user))
    if case .set(let email) = change.email { members.append(("newEmail", .string(email))) }
    return Self.answer("SetAccountInfoResponse", members)
  }

  func adminDelete(_ call: IdentityCall) async throws(AccountError) -> JSON {
    try call.requireAdministrator()
    guard let uid = try call.text("localId"), !uid.isEmpty else { throw AccountError(.missingLocalID) }
    try await deleteUser(uid: uid, client: call.client, detail: call.administrator.map { "by \($0)" })
    return Self.answer("DeleteAccountResponse")
  }

  // MARK: Parts

  /// The password's hash, once the password plugin has accepted it: an administrator's passwords are held to what
  /// clients' are.
  private func newPassword(
    _ password: String, for user: UserRecord, operation: SignInRequest.Operation, call: IdentityCall
  ) async throws(AccountError) -> StoredPassword {
    try await hashedPassword(
      password, email: user.email, operation: operation, client: call.client, now: call.now)
  }

  static func check(uid: String) throws(AccountError) {
    guard IDTokenClaims.isUID(uid) else {
      throw AccountError(.invalidArgument, "localId must be 1 to 128 characters, no control characters")
    }
  }

  /// The secret of an authenticator, as records keep it.
  func sealFactor(_ secret: [UInt8]) throws(AccountError) -> String {
    try drawn { (_) throws(RandomnessError) in try keys.seal(secret) }
  }

  /// The members of an update's answer, out of the user's record as clients see it.
  private static func account(of info: JSON) -> [(String, JSON)] {
    ["localId", "email", "emailVerified", "displayName", "photoUrl", "providerUserInfo", "passwordHash"]
      .compactMap { name in info[name].map { (name, $0) } }
  }

  private static func profile(of user: UserRecord) -> [(String, JSON)] {
    [("email", user.email), ("displayName", user.displayName)].compactMap { name, text in
      text.map { (name, .string($0)) }
    }
  }

  static func answer(_ kind: String, _ members: [(String, JSON)] = []) -> JSON {
    .object([JSON.Member("kind", .string("identitytoolkit#" + kind))] + members.map { JSON.Member($0.0, $0.1) })
  }
}

extension IdentityCall {
  /// Looked at where the thing is done, too: a route that forgot would open everything.
  func requireAdministrator() throws(AccountError) {
    guard isAdministrator else { throw AccountError(.unauthenticated) }
  }

  /// An event that this call caused; an administrator's is marked with who that was.
  func event(_ kind: AuditEvent.Kind, _ user: UserRecord? = nil, detail: String? = nil) -> AuditEvent {
    let who = administrator.map { "by \($0)" }
    let text = [detail, who].compactMap(\.self).joined(separator: ", ")
    return AuditEvent(kind, uid: user?.uid, email: user?.email, client: client, detail: text.isEmpty ? nil : text)
  }
}
