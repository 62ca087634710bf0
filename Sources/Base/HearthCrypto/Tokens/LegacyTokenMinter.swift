/// A minter of custom tokens in the legacy format, which clients send directly as a credential.
public struct LegacyTokenMinter: Sendable, Redacted {
  /// The options of a token other than the user and the claims, with the names of the legacy format.
  public struct Options: Sendable {
    /// The expiry in seconds since 1970; nil for 24 hours after `notBeforeSeconds` or the time of issue.
    public var expiresAtSeconds: Int64?
    /// The start in seconds since 1970; nil for the time of issue.
    public var notBeforeSeconds: Int64?
    /// True when rules are bypassed.
    public var admin: Bool
    /// True when the client receives the reasons for refusals by rules.
    public var debug: Bool
    /// True when writes are evaluated by the rules but not committed.
    public var simulate: Bool
    /// The ID of the session that the token belongs to, as its `jti`; nil for a token without a session.
    public var sessionID: String?

    /// Creates options; the defaults are those of a user's token that is valid for 24 hours from now.
    public init(
      expiresAtSeconds: Int64? = nil, notBeforeSeconds: Int64? = nil, admin: Bool = false, debug: Bool = false,
      simulate: Bool = false, sessionID: String? = nil
    ) {
      self.expiresAtSeconds = expiresAtSeconds
      self.notBeforeSeconds = notBeforeSeconds
      self.admin = admin
      self.debug = debug
      self.simulate = simulate
      self.sessionID = sessionID
    }
  }

  private let key: [UInt8]

  /// Creates a minter that signs with the newest secret.
  public init(secrets: LegacySecrets) { key = secrets.keys[0] }  // never empty, by LegacySecrets' initialiser

  /// - Parameters:
  /// - uid: The user ID of 1 to 256 characters; nil only for an administrator.
  /// - claims: Further members of `d`, which is `auth` in rules.
  /// - issuedAtSeconds: The time in seconds since 1970.
  public func mint(
    uid: String?, claims: [ClaimValue.Member] = [], issuedAtSeconds: Int64, options: Options = Options()
  ) throws(TokenMintError) -> String {
    for time in [issuedAtSeconds, options.expiresAtSeconds, options.notBeforeSeconds].compactMap(\.self) {
      guard ClaimValue.int(time).seconds != nil else { throw .invalidTimes("a time is out of range") }
    }
    if let end = options.expiresAtSeconds, end <= max(issuedAtSeconds, options.notBeforeSeconds ?? issuedAtSeconds) {
      throw .invalidTimes("the token would expire before it becomes valid")
    }
    var data: [ClaimValue.Member] = []
    if let uid {
      guard !uid.isEmpty else { throw .missingUID }
      guard uid.utf16.count <= TokenLimits.legacyUIDLengthMax else {
        throw .uidTooLong(lengthMax: TokenLimits.legacyUIDLengthMax)
      }
      data.append(ClaimValue.Member("uid", .string(uid)))
    } else if !options.admin {
      throw .missingUID
    }
    for claim in claims {
      if data.contains(where: { $0.name.hasSameBytes(as: claim.name) }) { throw .forbiddenClaim(claim.name) }
      data.append(claim)
    }
    let token = try LibJWT.sign(
      claims: payload(data: data, issuedAtSeconds: issuedAtSeconds, options: options), algorithm: .hs256, key: key)
    guard token.utf8.count <= TokenLimits.legacyTokenBytesMax else {
      throw .tooLong(sizeBytesMax: TokenLimits.legacyTokenBytesMax)
    }
    return token
  }

  private func payload(
    data: [ClaimValue.Member], issuedAtSeconds: Int64, options: Options
  ) -> [ClaimValue.Member] {
    var members = [
      ClaimValue.Member("v", .int(0)), ClaimValue.Member("iat", .int(issuedAtSeconds)),
      ClaimValue.Member("d", .object(data)),
    ]
    if let end = options.expiresAtSeconds { members.append(ClaimValue.Member("exp", .int(end))) }
    if let start = options.notBeforeSeconds { members.append(ClaimValue.Member("nbf", .int(start))) }
    if options.admin { members.append(ClaimValue.Member("admin", .bool(true))) }
    if options.debug { members.append(ClaimValue.Member("debug", .bool(true))) }
    if options.simulate { members.append(ClaimValue.Member("simulate", .bool(true))) }
    if let id = options.sessionID { members.append(ClaimValue.Member("jti", .string(id))) }
    return members
  }
}
