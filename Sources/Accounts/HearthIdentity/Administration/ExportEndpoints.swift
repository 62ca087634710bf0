import HearthAccounts
import HearthBytes
import HearthCrypto
import HearthTree

/// The export of accounts, complete for an import.
struct ExportEndpoints: EndpointGroup {
  let accounts: Accounts

  /// A page of all accounts as `auth:export` of Firebase's tools writes them, with password hashes, their keys, and the secrets of
  /// authenticators. Each page is recorded before it is returned.
  func export(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
    let page = try UserPage(call, of: accounts, countDefault: 500)
    try await accounts.administration.users.recordExport(count: page.users.count, by: administrator)
    var members = [JSON.Member("users", .array(page.users.map(exported)))]
    if page.hasNext, let last = page.users.last { members.append(JSON.Member("nextPageToken", .string(last.uid))) }
    return .object(members)
  }

  private func exported(_ user: UserRecord) -> JSON {
    var members = [JSON.Member("localId", .string(user.uid))]
    func add(_ name: String, _ text: String?) {
      if let text { members.append(JSON.Member(name, .string(text))) }
    }
    add("email", user.email)
    if user.email != nil { members.append(JSON.Member("emailVerified", .bool(user.isEmailVerified))) }
    add("initialEmail", user.initialEmail)
    add("displayName", user.displayName)
    add("photoUrl", user.photoURL)
    add("phoneNumber", user.phoneNumber)
    add("createdAt", String(user.createdAtMilliseconds))
    add("lastSignedInAt", user.lastSignInAtMilliseconds.map { String($0) })
    add("lastRefreshAt", user.lastRefreshAtMilliseconds.map { String($0) })
    add("validSince", String(user.validSinceSeconds))
    add("customAttributes", user.customAttributes)
    if user.isDisabled { members.append(JSON.Member("disabled", .bool(true))) }
    if user.isCustomAuth { members.append(JSON.Member("customAuth", .bool(true))) }
    if user.hasEmailLink { members.append(JSON.Member("emailLinkSignin", .bool(true))) }
    var own: [JSON.Member] = []
    if let password = user.password {
      let parts = exported(password, isTemporary: user.hasTemporaryPassword)
      members += parts.members
      own = parts.own
    }
    members.append(JSON.Member("providerUserInfo", .array(user.identities.map(Self.exported))))
    if !user.factors.isEmpty {
      members.append(JSON.Member("mfaInfo", .array(user.factors.map(exported))))
      if !user.isEmailVerified { own.append(JSON.Member("hasUnverifiedFactors", .bool(true))) }
    }
    if !own.isEmpty { members.append(JSON.Member("hearth", .object(own))) }
    return .object(members)
  }

  /// Returns an exported hash: `passwordHash` and `salt` are readable by other systems, given the algorithm; this
  /// server's own members are complete.
  private func exported(
    _ password: StoredPassword, isTemporary: Bool
  ) -> (members: [JSON.Member], own: [JSON.Member]) {
    var members: [JSON.Member] = []
    var own = [JSON.Member("passwordHash", .string(password.hash))]
    if let parts = ImportedHash.parts(of: password.hash) {
      members.append(JSON.Member("passwordHash", .string(Base64.encode(parts.hash))))
      members.append(JSON.Member("salt", .string(Base64.encode(parts.salt))))
      own.append(JSON.Member("hashAlgorithm", .string(parts.parameters.algorithm.rawValue)))
      if let id = parts.parameters.signerKeyID,
        let key = accounts.store.view.importKey(id).flatMap({ accounts.keys.unseal($0) })
      {
        own.append(
          JSON.Member(
            "signerKey",
            .object([JSON.Member("id", .string(id)), JSON.Member("key", .string(Base64.encode(key)))])))
      }
    }
    if isTemporary { own.append(JSON.Member("hasTemporaryPassword", .bool(true))) }
    members.append(JSON.Member("passwordUpdatedAt", .int(password.updatedAtMilliseconds)))
    return (members, own)
  }

  private static func exported(_ identity: ProviderIdentity) -> JSON {
    var members = [
      JSON.Member("providerId", .string(identity.providerID)), JSON.Member("rawId", .string(identity.rawID)),
    ]
    for (name, text) in [
      ("email", identity.email), ("displayName", identity.displayName), ("photoUrl", identity.photoURL),
      ("screenName", identity.screenName),
    ] {
      if let text { members.append(JSON.Member(name, .string(text))) }
    }
    return .object(members)
  }

  private func exported(_ factor: SecondFactor) -> JSON {
    var members = [
      JSON.Member("mfaEnrollmentId", .string(factor.id)),
      JSON.Member("enrolledAt", .string(String(factor.enrolledAtMilliseconds))),
    ]
    if let name = factor.displayName { members.append(JSON.Member("displayName", .string(name))) }
    switch factor.kind {
    case .phone(let number): members.append(JSON.Member("phoneInfo", .string(number)))
    case .totp(let sealed, _):
      let secret = accounts.keys.unseal(sealed).map { [JSON.Member("sharedSecretKey", .string(TOTP.base32($0)))] }
      members.append(JSON.Member("totpInfo", .object(secret ?? [])))
    }
    return .object(members)
  }
}
