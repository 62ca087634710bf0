import HearthAccounts
import HearthTree

/// The endpoints by which users read, change and delete their own accounts.
struct ProfileEndpoints: EndpointGroup {
  let accounts: Accounts

  /// `accounts:lookup`: returns the account of the request's ID token; for administrators any account.
  func lookup(_ call: IdentityCall) async throws(AccountError) -> JSON {
    if call.isOfAdministrator, call.value("idToken") == nil {
      return try await UserEndpoints(accounts: accounts).lookup(call)
    }
    var reply = ReplyObject(kind: "GetAccountInfo")
    reply.set("users", list: [UserInfoAnswer.json(try call.caller(in: accounts).user, tenant: accounts.tenantID)])
    return reply.json
  }

  /// `accounts:delete`: deletes the caller's account.
  func delete(_ call: IdentityCall) async throws(AccountError) -> JSON {
    // A token in the request does not name the account that an administrator means.
    if call.isOfAdministrator { return try await UserEndpoints(accounts: accounts).delete(call) }
    let caller = try call.caller(in: accounts)
    guard accounts.configuration.allowsDeletion else { throw AccountError(.operationNotAllowed) }
    try accounts.changes.credentials.requireOwner(caller, now: call.now)
    try await accounts.changes.deletion.delete(
      uid: caller.user.uid, caller: caller, client: call.client, detail: "by the user")
    return ReplyObject(kind: "DeleteAccount").json
  }

  /// `accounts:update`: performs a code's action, an administrator's change, or a user's own change.
  func update(_ call: IdentityCall) async throws(AccountError) -> JSON {
    if let code = try call.text("oobCode"), !code.isEmpty {
      // The code's action only: other members are ignored.
      let use = try await accounts.changes.redemption.redeem(
        code, purposes: [.verifyEmail, .verifyAndChangeEmail, .recoverEmail, .revertSecondFactor, .revertChange],
        factorCode: try call.object("totpVerificationInfo").flatMap { info throws(AccountError) in
          try call.with(info).text("verificationCode")
        }, client: call.client, now: call.now)
      let newEmail = use.purpose == .verifyAndChangeEmail ? use.user.email : nil
      return accountReply(use.user, newEmail: newEmail, tokens: nil)
    }
    if call.isOfAdministrator, call.value("idToken") == nil {
      return try await UserEndpoints(accounts: accounts).update(call)
    }
    guard call.value("customAttributes") == nil else {
      throw AccountError(.insufficientPermission, "customAttributes need an administrator's credential.")
    }
    guard call.value("disableUser") == nil else { throw AccountError(.operationNotAllowed) }
    guard try call.text("idToken", sizeBytesMax: IdentityCall.longTextBytesMax)?.isEmpty == false else {
      throw AccountError(.invalidRequestType, "Unsupported request parameters.")
    }
    let caller = try call.caller(in: accounts)
    let change = try ProfileChange(call)
    // Only administrators may link an unproven identity: here it is ignored, and only an invalid one is reported.
    if let identity = try call.object("linkProviderUserInfo") { _ = try AccountChange.identity(call.with(identity)) }
    if caller.user.email == nil, caller.user.password == nil, change.email != nil, change.password != nil {
      // Older web SDKs link a password this way, and not by `accounts:signUp`.
      let (user, tokens) = try await accounts.signIn.passwords.link(
        to: caller, email: change.email, password: change.password, displayName: change.displayName,
        client: call.client, now: call.now)
      return accountReply(user, newEmail: user.email, tokens: tokens)
    }
    if let ids = try call.texts("deletePasskey"), !ids.isEmpty {
      return try await removePasskeys(ids, change, of: caller, call)
    }
    let (user, tokens) = try await accounts.changes.profiles.apply(
      change, of: caller, client: call.client, now: call.now)
    return accountReply(user, newEmail: change.email == nil ? nil : user.email, tokens: tokens)
  }

  /// Removes passkeys in a change of its own, which invalidates the user's existing tokens.
  private func removePasskeys(
    _ ids: [String], _ change: ProfileChange, of caller: Caller, _ call: IdentityCall
  ) async throws(AccountError) -> JSON {
    guard change.isEmpty, change.email == nil, change.password == nil, change.unlinks.isEmpty else {
      throw AccountError(.invalidArgument, "deletePasskey cannot be combined with other changes. Send them separately.")
    }
    let (user, tokens) = try await accounts.signIn.passkeyEnrolment.remove(
      Set(ids.map { BinaryText.urlForm($0) }), of: caller, client: call.client, now: call.now)
    return accountReply(user, newEmail: nil, tokens: tokens)
  }

  /// - Parameter newEmail: the address that the request has; nil for none.
  private func accountReply(_ user: UserRecord, newEmail: String?, tokens: TokenTriple?) -> JSON {
    var reply = ReplyObject(kind: "SetAccountInfo")
    reply.set("localId", user.uid)
    reply.set("email", user.email)
    reply.set("newEmail", newEmail)
    if user.email != nil { reply.set("emailVerified", user.isEmailVerified) }
    reply.set("displayName", user.displayName)
    reply.set("photoUrl", user.photoURL)
    reply.set("providerUserInfo", list: UserInfoAnswer.providers(user))
    if user.password != nil { reply.set("passwordHash", UserInfoAnswer.redactedHash) }
    reply.set(tokens)
    return reply.json
  }
}

extension ProfileChange {
  /// Reads the members that users may change, and no others.
  init(_ call: IdentityCall) throws(AccountError) {
    self.init()
    displayName = try call.text("displayName", sizeBytesMax: UserRecord.nameBytesMax)
    photoURL = try call.text("photoUrl", sizeBytesMax: UserRecord.photoURLBytesMax)
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

  /// Returns the attributes to delete; some clients send numbers instead of names.
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
}
