import HearthCrypto
import HearthEngine
import HearthTree

extension Accounts {
  /// `accounts:lookup`: the account of who shows an ID token; anybody's for administrators.
  func lookup(_ call: IdentityCall) async throws(AccountError) -> JSON {
    if call.isAdministrator, call.value("idToken") == nil { return try await adminLookup(call) }
    var reply = ReplyObject(kind: "GetAccountInfo")
    reply.set("users", list: [userInfo(try caller(call).user)])
    return reply.json
  }

  /// `accounts:delete`
  func delete(_ call: IdentityCall) async throws(AccountError) -> JSON {
    // A token beside it does not say whom an administrator means.
    if call.isAdministrator { return try await adminDelete(call) }
    let caller = try caller(call)
    guard configuration.allowsDeletion else { throw AccountError(.operationNotAllowed) }
    try requireRecentSignIn(caller, now: call.now)
    try await deleteUser(uid: caller.user.uid, caller: caller, client: call.client, detail: "by the user")
    return ReplyObject(kind: "DeleteAccount").json
  }

  /// `accounts:update`: a code's action, an administrator's change, or what a user may change about themselves.
  func update(_ call: IdentityCall) async throws(AccountError) -> JSON {
    if let code = try call.text("oobCode"), !code.isEmpty {
      // The code's action only: whatever else was sent is not looked at.
      let use = try await useCode(
        code, purposes: [.verifyEmail, .verifyAndChangeEmail, .recoverEmail], client: call.client, now: call.now)
      let newEmail = use.purpose == .verifyAndChangeEmail ? use.user.email : nil
      return accountReply(use.user, newEmail: newEmail, tokens: nil)
    }
    if call.isAdministrator, call.value("idToken") == nil { return try await adminUpdate(call) }
    guard call.value("customAttributes") == nil else {
      throw AccountError(.insufficientPermission, "customAttributes are for administrators.")
    }
    guard call.value("disableUser") == nil else { throw AccountError(.operationNotAllowed) }
    let caller = try caller(call)
    let change = try ProfileChange(call)
    if caller.user.email == nil, caller.user.password == nil, change.email != nil, change.password != nil {
      // Older web SDKs link a password this way, and not by `accounts:signUp`.
      let (user, tokens) = try await linkPassword(
        to: caller, email: change.email, password: change.password, displayName: change.displayName, call)
      return accountReply(user, newEmail: user.email, tokens: tokens)
    }
    let (user, tokens) = try await apply(change, caller, call)
    return accountReply(user, newEmail: change.email == nil ? nil : user.email, tokens: tokens)
  }

  /// - Parameter newEmail: the address that the request asked for; nil when it asked for none.
  private func accountReply(_ user: UserRecord, newEmail: String?, tokens: TokenTriple?) -> JSON {
    var reply = ReplyObject(kind: "SetAccountInfo")
    reply.set("localId", user.uid)
    reply.set("email", user.email)
    reply.set("newEmail", newEmail)
    if user.email != nil { reply.set("emailVerified", user.isEmailVerified) }
    reply.set("displayName", user.displayName)
    reply.set("photoUrl", user.photoURL)
    reply.set("providerUserInfo", list: Self.providerInfo(user))
    if user.password != nil { reply.set("passwordHash", Self.redactedHash) }
    reply.set(tokens)
    return reply.json
  }

  private func apply(
    _ change: ProfileChange, _ caller: Caller, _ call: IdentityCall
  ) async throws(AccountError) -> (UserRecord, TokenTriple?) {
    let address = try change.email.map { text throws(AccountError) in try requireAddress(text) }
    // The same address again is no change.
    let newAddress = address.flatMap { $0 == caller.user.email ? nil : $0 }
    if newAddress != nil, configuration.protectsFromEnumeration {
      throw AccountError(.operationNotAllowed, "Please verify the new email before changing email.")
    }
    if newAddress != nil || change.password != nil || !change.unlinks.isEmpty {
      try requireRecentSignIn(caller, now: call.now)
    }
    guard newAddress != nil || change.password != nil else {
      return (try await applyProfile(change, caller, call), nil)
    }
    if newAddress != nil { try admitSignUp(call.client, now: call.now) }
    guard change.password == nil || providers.provider(for: .password) != nil else {
      throw AccountError(.operationNotAllowed)
    }
    guard change.password == nil || (newAddress ?? caller.user.email) != nil else { throw AccountError(.missingEmail) }
    var stored: StoredPassword?
    if let password = change.password {
      stored = try await hashedPassword(
        password, email: newAddress ?? caller.user.email, operation: .change, client: call.client, now: call.now)
    }
    let (password, recovery) = (stored, try newRecovery(call.client))
    let now = call.now
    let changed = try await changeCredentials(
      of: caller.user.uid, caller: caller, event: password != nil ? .passwordChanged : .emailChanged,
      client: call.client, now: now
    ) { (transaction, user) throws(AccountError) in
      change.applyProfile(to: &user)
      change.unlink(from: &user)
      if let password {
        user.password = password
        user.hasTemporaryPassword = false
        transaction.removeTickets(of: user.uid, purposes: .endedByChange)
      }
      if let newAddress {
        try Self.moveAddress(
          of: &user, to: newAddress, isVerified: false, recovery: recovery, in: &transaction, now: now)
      }
    }
    if let newAddress { mailRecovery(recovery, to: changed.user, from: newAddress, client: call.client, now: now) }
    if password != nil { tell(.passwordChanged, changed.user, client: call.client, now: now) }
    return changed
  }

  private func requireAddress(_ text: String) throws(AccountError) -> String {
    guard let address = EmailAddress.canonical(text) else { throw AccountError(.invalidEmail) }
    return address
  }

  /// What ends no session: a name, a picture, and ways in that go. The ID token that asked stays good, since clients go on
  /// with it.
  private func applyProfile(
    _ change: ProfileChange, _ caller: Caller, _ call: IdentityCall
  ) async throws(AccountError) -> UserRecord {
    guard !change.isEmpty || !change.unlinks.isEmpty else { return caller.user }
    return try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) -> UserRecord in
      guard var user = transaction.user(caller.user.uid) else { throw AccountError(.userNotFound) }
      try caller.check(against: user)
      change.applyProfile(to: &user)
      change.unlink(from: &user)
      try transaction.update(user)
      let event: AuditEvent.Kind = change.unlinks.isEmpty ? .profileChanged : .providerUnlinked
      transaction.audit(AuditEvent(event, uid: user.uid, email: user.email, client: call.client))
      return user
    }
  }

  /// Tokens for who has just added a way in: of the new provider, and as old as the sign-in that they go on with. What
  /// was added is no proof that the first sign-in was theirs.
  func continueSession(
    _ caller: Caller, as provider: String, user: UserRecord, _ call: IdentityCall
  ) async throws(AccountError) -> TokenTriple {
    let session = try newSession(
      uid: user.uid, provider: provider, claims: sessionClaims(of: caller), secondFactor: caller.secondFactor,
      client: call.client)
    let (current, record) = try await store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> (UserRecord, SessionRecord) in
      guard var current = transaction.user(user.uid) else { throw AccountError(.userNotFound) }
      try caller.check(against: current)
      let record = Self.begin(
        session, of: &current, in: &transaction, now: call.now, authTimeSeconds: caller.authTimeSeconds)
      try transaction.update(current)
      return (current, record)
    }
    return try tokens(of: current, session: record, refreshToken: session.token.text)
  }
}

/// What a user may change about themselves; nothing else of a request gets into their record.
struct ProfileChange: Sendable {
  /// The empty text clears.
  var displayName: String?
  /// The empty text clears.
  var photoURL: String?
  var email: String?
  var password: String?
  /// Providers whose ways in go: `password`, `phone`, `google.com`, …
  var unlinks: Set<String> = []

  /// Every token of the user repeats these texts, so they cannot be long.
  static let nameBytesMax = 1_024
  static let photoURLBytesMax = 2_048

  init(_ call: IdentityCall) throws(AccountError) {
    displayName = try call.text("displayName", sizeBytesMax: Self.nameBytesMax)
    photoURL = try call.text("photoUrl", sizeBytesMax: Self.photoURLBytesMax)
    email = try call.text("email")
    password = try call.text("password", sizeBytesMax: IdentityCall.longTextBytesMax)
    if email == "" { throw AccountError(.invalidEmail) }
    unlinks = Set(try call.texts("deleteProvider") ?? [])
    for attribute in try Self.attributes(call) {
      switch attribute {
      case "DISPLAY_NAME", "2": displayName = ""
      case "PHOTO_URL", "4": photoURL = ""
      case "PASSWORD", "5": unlinks.insert("password")
      case "EMAIL", "1": throw AccountError(.operationNotAllowed)
      case "PROVIDER", "3", "RAW_USER_INFO", "6", "USER_ATTRIBUTE_NAME_UNSPECIFIED", "0": continue
      default: throw AccountError(.invalidArgument, "deleteAttribute names an attribute that does not exist")
      }
    }
  }

  /// Some clients send the numbers of the names.
  private static func attributes(_ call: IdentityCall) throws(AccountError) -> [String] {
    switch call.value("deleteAttribute") {
    case nil: return []
    case .array(let elements)?:
      var names: [String] = []
      for element in elements {
        switch element {
        case .string(let name): names.append(name)
        case .int(let number): names.append(String(number))
        default: throw AccountError(.invalidArgument, "deleteAttribute must be an array of strings")
        }
      }
      return names
    case .string(let name)?: return [name]
    case .int(let number)?: return [String(number)]
    default: throw AccountError(.invalidArgument, "deleteAttribute must be an array of strings")
    }
  }

  var isEmpty: Bool { displayName == nil && photoURL == nil }

  func applyProfile(to user: inout UserRecord) {
    if let displayName { user.displayName = displayName.isEmpty ? nil : displayName }
    if let photoURL { user.photoURL = photoURL.isEmpty ? nil : photoURL }
  }

  /// Takes ways in away; the last one as well.
  func unlink(from user: inout UserRecord) {
    // Who sends a password beside it wants that one.
    user.removeWaysIn(password == nil ? unlinks : unlinks.subtracting(["password"]))
  }
}
