/// Makes ID tokens: RS256 with the newest of the keys.
public struct IDTokenMinter: Sendable {
  private let projectID: String
  private let keyID: String
  private let privatePEM: [UInt8]

  public init(projectID: String, keys: IDTokenKeys) {
    self.projectID = projectID
    keyID = keys.entries[0].id  // never empty, by IDTokenKeys' initialisers
    privatePEM = keys.entries[0].privatePEM
  }

  /// A signed token; takes about a millisecond, so not for an I/O loop.
  ///
  /// - Parameters:
  ///   - issuedAtSeconds: seconds since 1970.
  ///   - lifetimeSeconds: at least `TokenLimits.idTokenLifetimeSecondsMin`.
  public func mint(
    _ subject: IDTokenSubject, issuedAtSeconds: Int64,
    lifetimeSeconds: Int64 = TokenLimits.idTokenLifetimeSecondsDefault
  ) throws(TokenMintError) -> String {
    guard IDTokenClaims.isUID(subject.uid) else {
      throw subject.uid.isEmpty ? .missingUID : .uidTooLong(lengthMax: TokenLimits.uidLengthMax)
    }
    guard lifetimeSeconds >= TokenLimits.idTokenLifetimeSecondsMin else {
      throw .invalidTimes("ID tokens live at least \(TokenLimits.idTokenLifetimeSecondsMin) seconds")
    }
    let (end, overflow) = issuedAtSeconds.addingReportingOverflow(lifetimeSeconds)
    guard !overflow, [issuedAtSeconds, end, subject.authTimeSeconds].allSatisfy({ ClaimValue.int($0).seconds != nil })
    else { throw .invalidTimes("a time is out of range") }
    try IDTokenClaims.check(custom: subject.customClaims)
    try IDTokenClaims.check(custom: subject.sessionClaims)

    var claims = MergedClaims()
    claims.set("name", subject.name)
    claims.set("picture", subject.picture)
    for claim in subject.customClaims + subject.sessionClaims { claims.set(claim.name, claim.value) }
    claims.set("iss", .string(UnverifiedToken.idTokenIssuerPrefix + projectID))
    claims.set("aud", .string(projectID))
    claims.set("auth_time", .int(subject.authTimeSeconds))
    claims.set("user_id", .string(subject.uid))
    claims.set("sub", .string(subject.uid))
    claims.set("iat", .int(issuedAtSeconds))
    claims.set("exp", .int(end))
    if let email = subject.email {
      claims.set("email", .string(email))
      claims.set("email_verified", .bool(subject.emailVerified))
    }
    claims.set("phone_number", subject.phoneNumber)
    if subject.signInProvider.hasSameBytes(as: "anonymous") { claims.set("provider_id", .string("anonymous")) }
    claims.set("firebase", signIn(of: subject))
    return try LibJWT.sign(
      claims: claims.members, header: [("kid", keyID)], algorithm: .rs256, key: privatePEM)
  }

  private func signIn(of subject: IDTokenSubject) -> ClaimValue {
    var members = [
      ClaimValue.Member("identities", .object(subject.identities)),
      ClaimValue.Member("sign_in_provider", .string(subject.signInProvider)),
    ]
    if let tenant = subject.tenant { members.append(ClaimValue.Member("tenant", .string(tenant))) }
    return .object(members)
  }
}

/// Members where a later one of the same name replaces the earlier.
private struct MergedClaims {
  private(set) var members: [ClaimValue.Member] = []

  mutating func set(_ name: String, _ value: ClaimValue) {
    members.removeAll { $0.name.hasSameBytes(as: name) }
    members.append(ClaimValue.Member(name, value))
  }

  mutating func set(_ name: String, _ text: String?) {
    if let text { set(name, .string(text)) }
  }
}
