import HearthAccounts
import HearthTree

/// The endpoints for single accounts, for administrators: the calls of the admin SDKs.
struct UserEndpoints: EndpointGroup {
  let accounts: Accounts

  /// Creates an account. The response has no tokens.
  func create(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
    let change = try AccountChange(call, accounts)
    let user = try await accounts.administration.users.create(
      change, uid: try call.text("localId"), password: try call.text("password"), by: administrator)
    var reply = ReplyObject(kind: "SignupNewUser")
    reply.set("localId", user.uid)
    reply.set("email", user.email)
    reply.set("displayName", user.displayName)
    return reply.json
  }

  /// Accounts by uid, e-mail address, phone number or provider identity.
  func lookup(_ call: IdentityCall) async throws(AccountError) -> JSON {
    _ = try call.administrator()
    let view = accounts.store.view
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
    var reply = ReplyObject(kind: "GetAccountInfo")
    // Clients read an empty array as a list with an empty record; an absent member means no users.
    reply.set("users", list: found.map { UserInfoAnswer.json($0, tenant: accounts.tenantID) })
    return reply.json
  }

  /// Changes an account.
  func update(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
    guard let uid = try call.text("localId"), !uid.isEmpty else { throw AccountError(.missingLocalID) }
    let change = try AccountChange(call, accounts)
    let password = try call.text("password").flatMap { $0.isEmpty ? nil : $0 }
    let user = try await accounts.administration.users.update(uid: uid, change, password: password, by: administrator)
    let info = UserInfoAnswer.json(user, tenant: accounts.tenantID)
    var reply = ReplyObject(kind: "SetAccountInfo")
    for name in ["localId", "email", "emailVerified", "displayName", "photoUrl", "providerUserInfo", "passwordHash"] {
      reply.set(name, info[name])
    }
    if case .set(let email) = change.email { reply.set("newEmail", email) }
    return reply.json
  }

  /// Deletes an account.
  func delete(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
    guard let uid = try call.text("localId"), !uid.isEmpty else { throw AccountError(.missingLocalID) }
    try await accounts.administration.users.delete(uid: uid, by: administrator)
    return ReplyObject(kind: "DeleteAccount").json
  }

  /// Creates a session cookie from an ID token, for the app's own server.
  func createSessionCookie(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
    guard let idToken = try call.text("idToken", sizeBytesMax: IdentityCall.longTextBytesMax), !idToken.isEmpty else {
      throw AccountError(.missingIDToken)
    }
    let lifetime = try call.int("validDuration")
    let cookie = try accounts.sessions.cookies.create(idToken: idToken, lifetimeSeconds: lifetime, by: administrator)
    return .object([JSON.Member("sessionCookie", .string(cookie))])
  }
}
