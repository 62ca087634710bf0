import HearthAccounts
import HearthCrypto
import HearthTree

/// The members are those of Firebase's `accounts:batchCreate` and of its `auth:export` files. Values that those cannot
/// express are in this server's own member, so that its exports import without loss:
///
///     "hearth": {
///       "passwordHash": "…",                        // the stored string; it wins over passwordHash and salt. Or
///                                                   // "$elsewhere$": a plugin that checks passwords knows it
///       "signerKey": { "id": "…", "key": "…" },     // what that string needs; base64
///       "hasTemporaryPassword": true,
///       "hasUnverifiedFactors": true                // the address changed since the second factors were enrolled
///     }
extension ImportedUser {
  /// - Throws: a text for the list of errors.
  init(_ call: IdentityCall, hash: HashParameters?, _ accounts: Accounts) throws(AccountError) {
    guard let uid = try call.text("localId"), !uid.isEmpty else {
      throw AccountError(.invalidArgument, "localId is missing")
    }
    try UserRecord.requireUID(uid)
    if let tenant = try call.text("tenantId"), !tenant.isEmpty, tenant != accounts.tenantID {
      throw AccountError(.invalidArgument, "Tenant id in userInfo does not match the tenant id in request.")
    }
    let change = try AccountChange(call, accounts)
    // An import creates factors: a factor without a secret has none to keep.
    if change.factors?.contains(where: { $0.kind == .totp(sealedSecret: nil) }) == true {
      throw AccountError(.invalidArgument, "totpInfo.sharedSecretKey of mfaInfo is missing")
    }
    let now = call.now.wallMilliseconds
    var user = UserRecord(uid: uid, createdAtMilliseconds: now)
    _ = try change.apply(to: &user, revokesOnClaimChange: false)
    user.validSinceSeconds = min(change.validSinceSeconds ?? call.nowSeconds, call.nowSeconds)
    if let time = try call.int("lastSignedInAt"), AccountChange.timeRange.contains(time) {
      user.lastSignInAtMilliseconds = time
    }
    if let text = try call.text("lastRefreshAt"), let time = Int64(text) ?? Timestamp.milliseconds(text),
      AccountChange.timeRange.contains(time)
    {
      user.lastRefreshAtMilliseconds = time
    }
    user.initialEmail = try call.text("initialEmail").flatMap(EmailAddress.canonical)
    user.isCustomAuth = try call.bool("customAuth") ?? false
    user.identities = try Self.identities(call)
    user.hasEmailLink = try Self.hasEmailLink(call, user)
    try Self.requireFactorsAllowed(call, user)
    self.init(user)
    try readPassword(call, hash: hash, now: now)
  }

  /// Returns true when the user has sign-in by mailed links: exports of this server state it; in others it follows from
  /// a password provider without a password.
  private static func hasEmailLink(_ call: IdentityCall, _ user: UserRecord) throws(AccountError) -> Bool {
    guard user.email != nil else { return false }
    if let said = try call.bool("emailLinkSignin") { return said }
    let hasProvider = (call.value("providerUserInfo")?.array ?? []).contains { $0["providerId"]?.string == "password" }
    return hasProvider && call.value("passwordHash") == nil && call.value("rawPassword") == nil
      && call.value("hearth")?["passwordHash"] == nil
  }

  /// Refuses second factors without a verified address; otherwise an attacker who registered another user's address
  /// could lock its owner out. Accounts from an export of this server keep the factors that they had.
  private static func requireFactorsAllowed(_ call: IdentityCall, _ user: UserRecord) throws(AccountError) {
    let isOurs = try call.object("hearth").map(call.with)?.bool("hasUnverifiedFactors") ?? false
    guard !user.factors.isEmpty, !isOurs else { return }
    guard user.email != nil else {
      throw AccountError(.invalidArgument, "Second factor account requires email to be presented.")
    }
    guard user.isEmailVerified else {
      throw AccountError(.invalidArgument, "Second factor account requires email to be verified.")
    }
  }

  private static func identities(_ call: IdentityCall) throws(AccountError) -> [ProviderIdentity] {
    var identities: [ProviderIdentity] = []
    for element in call.value("providerUserInfo")?.array ?? [] {
      let provider = call.with(element)
      // The identities of password and phone are derived again from the address and the number.
      if let id = try provider.text("providerId"), id == "password" || id == "phone" { continue }
      guard provider.value("providerId") != nil, provider.value("rawId") != nil else {
        throw AccountError(
          .invalidArgument,
          provider.value("federatedId") == nil
            ? "federatedId or (providerId & rawId) is required"
            : "federatedId alone does not identify the user; give providerId and rawId")
      }
      let identity = try AccountChange.identity(provider)
      let isThere = identities.contains {
        $0.providerID.isSameText(as: identity.providerID) && $0.rawID.isSameText(as: identity.rawID)
      }
      guard !isThere else { continue }
      identities.append(identity)
    }
    return identities
  }

  private mutating func readPassword(_ call: IdentityCall, hash: HashParameters?, now: Int64) throws(AccountError) {
    let own = try call.object("hearth").map(call.with)
    let text: String
    if let own, let stored = try own.text("passwordHash"), !stored.isEmpty {
      let isElsewhere = stored == StoredPassword.elsewhereHash && record.email != nil
      text = isElsewhere ? stored : try Self.stored(Array(stored.utf8), salt: [], ImportedHash.Parameters(.hearth))
      if let key = try own.object("signerKey").map(own.with) {
        guard let id = try key.text("id"), !id.isEmpty, id.utf8.count <= 64,
          let bytes = try HashParameters.bytes("key", of: key),
          (1...SignerKey.sizeBytesMax).contains(bytes.count)
        else { throw AccountError(.invalidArgument, "hearth.signerKey needs an id and a key in base64") }
        signerKey = SignerKey(id: id, key: bytes)
      }
      record.hasTemporaryPassword = try own.bool("hasTemporaryPassword") ?? false
    } else {
      guard let bytes = try HashParameters.bytes("passwordHash", of: call), !bytes.isEmpty else { return }
      guard let hash else { throw AccountError(.invalidHashAlgorithm, "passwordHash needs hashAlgorithm") }
      text = try Self.stored(bytes, salt: try HashParameters.bytes("salt", of: call) ?? [], hash.parameters)
      signerKey = hash.signerKey
    }
    let updatedAt = try call.int("passwordUpdatedAt").flatMap { AccountChange.timeRange.contains($0) ? $0 : nil }
    record.password = StoredPassword(hash: text, updatedAtMilliseconds: updatedAt ?? now)
  }

  private static func stored(
    _ hash: [UInt8], salt: [UInt8], _ parameters: ImportedHash.Parameters
  ) throws(AccountError) -> String {
    do throws(ImportedHashError) {
      return try ImportedHash.storedString(hash: hash, salt: salt, parameters: parameters)
    } catch {
      throw AccountError(.invalidArgument, error.message)
    }
  }
}
