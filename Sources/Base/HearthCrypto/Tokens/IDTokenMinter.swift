/// A minter of ID tokens, signed by RS256 with the signing key.
public struct IDTokenMinter: Sendable, Redacted {
  private let projectID: String
  private let signing: SigningKeys.Entry
  private let seal: TokenSeal?

  /// Creates a minter that signs with the signing key of a set.
  public init(projectID: String, keys: SigningKeys) { self.init(projectID: projectID, keys: keys, seal: nil) }

  /// - Parameter seal: The seal that replaces the signature of an emulator's tokens; nil for a production server.
  init(projectID: String, keys: SigningKeys, seal: TokenSeal?) {
    self.projectID = projectID
    signing = keys.signing
    self.seal = seal
  }

  /// Creates a signed token. Takes about a millisecond, so it must not run on an event loop.
  ///
  /// - Parameters:
  /// - issuedAtSeconds: The time in seconds since 1970.
  /// - lifetimeSeconds: `TokenLimits.idTokenLifetimeSecondsMin` to `TokenLimits.signedLifetimeSecondsMax`.
  public func mint(
    _ subject: IDTokenSubject, issuedAtSeconds: Int64,
    lifetimeSeconds: Int64 = TokenLimits.idTokenLifetimeSecondsDefault
  ) throws(TokenMintError) -> String {
    guard IDTokenClaims.isUID(subject.uid) else {
      throw subject.uid.isEmpty ? .missingUID : .uidTooLong(lengthMax: TokenLimits.uidLengthMax)
    }
    let lifetimes = TokenLimits.idTokenLifetimeSecondsMin...TokenLimits.signedLifetimeSecondsMax
    guard lifetimes.contains(lifetimeSeconds) else {
      throw .invalidTimes(
        "the lifetime of ID tokens must be \(lifetimes.lowerBound) to \(lifetimes.upperBound) seconds")
    }
    let (end, overflow) = issuedAtSeconds.addingReportingOverflow(lifetimeSeconds)
    guard !overflow, [issuedAtSeconds, end, subject.authTimeSeconds].allSatisfy({ ClaimValue.int($0).seconds != nil })
    else { throw .invalidTimes("a time is out of range") }
    try IDTokenClaims.check(custom: subject.customClaims)
    try IDTokenClaims.check(custom: subject.sessionClaims)

    var claims = MergedClaims()
    claims.set("name", subject.name)
    claims.set("picture", subject.picture)
    for claim in subject.customClaims + subject.sessionClaims where !IDTokenClaims.computedNames.contains(claim.name) {
      claims.set(claim.name, claim.value)
    }
    claims.set("iss", .string(UnverifiedToken.idTokenIssuerPrefix + projectID))
    claims.set("aud", .string(projectID + (subject.isForEnrolment ? IDTokenClaims.enrolmentAudience : "")))
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
    if let seal { return try seal.token(claims: claims.members, kind: .idToken) }
    return try SignedToken.rs256(claims: claims.members, keyID: signing.id, key: signing.key)
  }

  private func signIn(of subject: IDTokenSubject) -> ClaimValue {
    var members = [
      ClaimValue.Member("identities", .object(subject.identities)),
      ClaimValue.Member("sign_in_provider", .string(subject.signInProvider)),
    ]
    if let factor = subject.secondFactor {
      members.append(ClaimValue.Member("sign_in_second_factor", .string(factor.provider)))
      members.append(ClaimValue.Member("second_factor_identifier", .string(factor.identifier)))
    }
    if let attributes = subject.signInAttributes {
      members.append(ClaimValue.Member("sign_in_attributes", attributes))
    }
    if let tenant = subject.tenant { members.append(ClaimValue.Member("tenant", .string(tenant))) }
    if let generation = subject.generation { members.append(ClaimValue.Member("generation", .int(generation))) }
    return .object(members)
  }
}

/// The merged members, where a later one of the same name replaces the earlier.
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
