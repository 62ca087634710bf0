/// A minter of custom tokens, which signs them as a service account, as admin SDKs do.
public struct CustomTokenMinter: Sendable, Redacted {
  private let email: String
  private let keyID: String
  private let key: RSAKey

  /// - Parameters:
  /// - email: The service account's address.
  /// - privatePEM: The account's key, "BEGIN PRIVATE KEY".
  /// - Throws: `.refused` when the text is not an RSA key of at least 2048 bits.
  public init(email: String, keyID: String, privatePEM: String) throws(TokenMintError) {
    guard let key = RSAKey(privatePEM: Array(privatePEM.utf8)) else {
      throw .refused("the service account's private key is not an RSA key of 2048 bits or more in PEM form")
    }
    self.email = email
    self.keyID = keyID
    self.key = key
  }

  /// Creates a minter that signs as the server's own service account.
  ///
  /// - Throws: `.refused` when its private key is not an RSA key of at least 2048 bits.
  public init(account: MintingAccount) throws(TokenMintError) {
    try self.init(email: account.email, keyID: account.keyID, privatePEM: account.privatePEM)
  }

  /// Creates a token with which the user `uid` signs in.
  ///
  /// - Parameters:
  /// - claims: Claims of the session; no reserved name.
  /// - issuedAtSeconds: The time in seconds since 1970.
  /// - lifetimeSeconds: 1 to `TokenLimits.serviceTokenLifetimeSecondsMax`.
  public func mint(
    uid: String, claims: [ClaimValue.Member] = [], issuedAtSeconds: Int64,
    lifetimeSeconds: Int64 = TokenLimits.serviceTokenLifetimeSecondsMax
  ) throws(TokenMintError) -> String {
    guard !uid.isEmpty else { throw .missingUID }
    guard IDTokenClaims.isUID(uid) else { throw .uidTooLong(lengthMax: TokenLimits.uidLengthMax) }
    guard (1...TokenLimits.serviceTokenLifetimeSecondsMax).contains(lifetimeSeconds) else {
      throw .invalidTimes(
        "the lifetime of custom tokens must be at most \(TokenLimits.serviceTokenLifetimeSecondsMax) seconds")
    }
    let (end, overflow) = issuedAtSeconds.addingReportingOverflow(lifetimeSeconds)
    guard !overflow, ClaimValue.int(issuedAtSeconds).seconds != nil, ClaimValue.int(end).seconds != nil else {
      throw .invalidTimes("a time is out of range")
    }
    try IDTokenClaims.check(custom: claims)
    var members: [ClaimValue.Member] = [
      .init("iss", .string(email)), .init("sub", .string(email)),
      .init("aud", .string(UnverifiedToken.customTokenAudience)), .init("iat", .int(issuedAtSeconds)),
      .init("exp", .int(end)), .init("uid", .string(uid)),
    ]
    if !claims.isEmpty { members.append(.init("claims", .object(claims))) }
    return try SignedToken.rs256(claims: members, keyID: keyID, key: key)
  }
}
