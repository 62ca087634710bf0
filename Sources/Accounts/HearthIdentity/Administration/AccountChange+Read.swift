import HearthAccounts
import HearthCrypto
import HearthTree

extension AccountChange {
  /// Reads the identity protocol's members of an administrator's create and update. Secrets of authenticators are
  /// encrypted with the accounts' key.
  init(_ call: IdentityCall, _ accounts: Accounts) throws(AccountError) {
    self.init()
    if let text = try call.text("email") {
      guard let canonical = EmailAddress.canonical(text) else { throw AccountError(.invalidEmail) }
      email = .set(canonical)
    }
    isEmailVerified = try call.bool("emailVerified")
    displayName = try Self.text("displayName", of: call)
    photoURL = try Self.text("photoUrl", of: call)
    phoneNumber = try Self.text("phoneNumber", of: call)
    if case .set(let number) = phoneNumber { try PhoneNumber.check(number) }
    customAttributes = try Self.customAttributes(call)
    isDisabled = try call.bool("disabled")
    if let disables = try call.bool("disableUser") { isDisabled = disables }
    validSinceSeconds = try Self.time("validSince", of: call)
    createdAtMilliseconds = try Self.time("createdAt", of: call)
    lastSignInAtMilliseconds = try Self.time("lastLoginAt", of: call)
    if let provider = try call.object("linkProviderUserInfo") {
      linked = try Self.identity(call.with(provider))
    }
    try readDeletions(call)
    let enrollments = try call.object("mfa").map { call.with($0).value("enrollments") ?? .array([]) }
    if let list = enrollments ?? call.value("mfaInfo") {
      factors = try FactorChange.read(list, call: call, accounts)
    }
  }

  private mutating func readDeletions(_ call: IdentityCall) throws(AccountError) {
    for name in try call.texts("deleteAttribute") ?? [] {
      switch name {
      case "EMAIL": email = .cleared
      case "DISPLAY_NAME": displayName = .cleared
      case "PHOTO_URL": photoURL = .cleared
      case "PASSWORD": password = .cleared
      case "PROVIDER", "RAW_USER_INFO", "USER_ATTRIBUTE_NAME_UNSPECIFIED": continue
      default: throw AccountError(.invalidArgument, "deleteAttribute names an attribute that does not exist")
      }
    }
    unlinked = Set(try call.texts("deleteProvider") ?? [])
    removedPasskeys = Set((try call.texts("deletePasskey") ?? []).map { BinaryText.urlForm($0) })
  }

  /// Reads a text; the empty text clears the value.
  private static func text(_ name: String, of call: IdentityCall) throws(AccountError) -> Setting<String> {
    guard let text = try call.text(name) else { return .kept }
    return text.isEmpty ? .cleared : .set(text)
  }

  /// The valid times in milliseconds, until the end of the year 9999, the last that date formats can express.
  static let timeRange: Range<Int64> = 0..<253_402_300_800_000

  private static func time(_ name: String, of call: IdentityCall) throws(AccountError) -> Int64? {
    guard let time = try call.int(name) else { return nil }
    guard timeRange.contains(time) else { throw AccountError(.invalidArgument, "\(name) is out of range") }
    return time
  }

  /// Reads `customAttributes`, the text of a JSON object. The empty object clears the claims.
  private static func customAttributes(_ call: IdentityCall) throws(AccountError) -> Setting<String> {
    guard let text = try call.text("customAttributes", sizeBytesMax: IdentityCall.longTextBytesMax) else {
      return .kept
    }
    if text.isEmpty { return .set(noClaims) }
    guard text.utf8.count <= TokenLimits.customClaimsBytesMax else { throw AccountError(.claimsTooLarge) }
    // As strict as for a token: a stored value must never prevent a token from being issued.
    guard let members = (try? ClaimValue(customAttributes: text))?.members else { throw AccountError(.invalidClaims) }
    if members.isEmpty { return .set(noClaims) }
    if let reserved = members.first(where: { IDTokenClaims.reservedNames.contains($0.name) }) {
      throw AccountError(.forbiddenClaim, reserved.name)
    }
    guard (try? IDTokenClaims.check(custom: members)) != nil else { throw AccountError(.claimsTooLarge) }
    return .set(text)
  }

  /// Reads a provider's identity: `providerId` and `rawId` are required; password and phone are not identities of this
  /// kind.
  static func identity(_ call: IdentityCall) throws(AccountError) -> ProviderIdentity {
    guard let providerID = try call.text("providerId"), !providerID.isEmpty else {
      throw AccountError(.missingProviderID)
    }
    guard let rawID = try call.text("rawId"), !rawID.isEmpty else { throw AccountError(.missingRawID) }
    guard !ProviderID.reserved.contains(providerID),
      providerID.utf8.count <= 128, rawID.utf8.count <= 1_024
    else { throw AccountError(.invalidProviderID) }
    var identity = ProviderIdentity(providerID: providerID, rawID: rawID)
    if let email = try call.text("email"), !email.isEmpty {
      guard let canonical = EmailAddress.canonical(email) else { throw AccountError(.invalidEmail) }
      identity.email = canonical
    }
    identity.displayName = try call.text("displayName")
    identity.photoURL = try call.text("photoUrl")
    identity.screenName = try call.text("screenName")
    return identity
  }
}

extension FactorChange {
  /// The longest accepted list, above every configured maximum, which is checked with the account.
  private static let countMax = 100

  static func read(
    _ list: JSON, call: IdentityCall, _ accounts: Accounts
  ) throws(AccountError) -> [FactorChange] {
    guard let elements = list.array, elements.count <= countMax else {
      throw AccountError(.invalidArgument, "second factors must be an array of at most \(countMax)")
    }
    var changes: [FactorChange] = []
    for element in elements {
      guard element.members != nil else { throw AccountError(.invalidArgument, "a second factor must be an object") }
      changes.append(try FactorChange(call.with(element), accounts))
    }
    return changes
  }

  private init(_ call: IdentityCall, _ accounts: Accounts) throws(AccountError) {
    var id = try call.text("mfaEnrollmentId") ?? ""
    guard id.utf8.count <= 128 else { throw AccountError(.invalidArgument, "mfaEnrollmentId is too long") }
    if id.isEmpty { id = try accounts.context.secrets.uid() }
    let displayName = try call.text("displayName")
    var enrolledAt: Int64?
    if let text = try call.text("enrolledAt") {
      guard let time = Int64(text) ?? Timestamp.milliseconds(text), AccountChange.timeRange.contains(time)
      else {
        throw AccountError(.invalidArgument, "enrolledAt must be a time: 2024-05-31T12:00:00Z")
      }
      enrolledAt = time
    }
    self.init(
      id: id, kind: try Self.kind(call, accounts), displayName: displayName, enrolledAtMilliseconds: enrolledAt,
      nowMilliseconds: call.now.wallMilliseconds)
  }

  private static func kind(_ call: IdentityCall, _ accounts: Accounts) throws(AccountError) -> Kind {
    let number = try call.text("phoneInfo")
    guard number == nil, let authenticator = try call.object("totpInfo") else {
      // A factor without an authenticator's data is a phone, even when its number is missing.
      do { try PhoneNumber.check(number ?? "") } catch { throw AccountError(.invalidFactorPhoneNumber, error.detail) }
      return .phone(number ?? "")
    }
    guard let text = try call.with(authenticator).text("sharedSecretKey") else { return .totp(sealedSecret: nil) }
    guard let secret = TOTP.secret(base32: text), (10...64).contains(secret.count) else {
      throw AccountError(.invalidArgument, "sharedSecretKey must be 10 to 64 bytes in base 32")
    }
    return .totp(sealedSecret: try accounts.administration.users.sealFactor(secret))
  }
}
