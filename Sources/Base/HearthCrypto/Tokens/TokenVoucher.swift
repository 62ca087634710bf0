/// The record of the external verifier that accepted a token of another server, with the token's digest.
public struct TokenVoucher: Sendable, Equatable {
  /// The verifier's name.
  public var verifier: String
  /// SHA-256 of the token in lower-case hexadecimal.
  public var digest: String
  /// The number of revocations that the verifier had sent before it was called; only later revocations can affect the
  /// token.
  public var serial: UInt64
  /// The databases that the token opens; nil for all.
  public var databases: [String]?

  /// Returns true when the token opens the database.
  public func opens(_ database: String) -> Bool { databases?.contains(database) ?? true }

  /// Creates a voucher for a token.
  public init(verifier: String, digest: String, serial: UInt64) {
    self.verifier = verifier
    self.digest = digest
    self.serial = serial
  }
}

/// The known properties of the user of a token of another server.
public struct ForeignTokenSubject: Sendable {
  /// The user.
  public var uid: String
  /// The provider, as rules see it.
  public var signInProvider: String
  /// The e-mail address in canonical form; nil for none.
  public var email: String?
  /// True when the address is verified.
  public var isEmailVerified = false
  /// The members of `auth.token`, without reserved names.
  public var claims: [ClaimValue.Member] = []
  /// The time of issue in seconds since 1970; nil when unknown.
  public var issuedAtSeconds: Int64?
  /// The expiry in seconds since 1970.
  public var expiresAtSeconds: Int64
  /// All claims of a trusted issuer's token, an object that becomes `auth.token` unchanged; nil when the server makes
  /// `auth.token` of the other properties.
  public var tokenClaims: ClaimValue?

  /// Creates a subject without optional properties.
  public init(uid: String, signInProvider: String, expiresAtSeconds: Int64) {
    self.uid = uid
    self.signInProvider = signInProvider
    self.expiresAtSeconds = expiresAtSeconds
  }
}

extension VerifiedCredential {
  /// Creates the credential for a token of another server. For rules it is like an ID token. Without
  /// ``ForeignTokenSubject/tokenClaims`` it has no `iss`, `aud` and `auth_time`, which would be claims of this server.
  public init(_ subject: ForeignTokenSubject, voucher: TokenVoucher) {
    let claims = subject.tokenClaims ?? Self.claims(of: subject)
    self.init(
      kind: .foreignToken,
      authPayload: IDTokenClaims.authPayload(uid: subject.uid, provider: subject.signInProvider, claims: claims),
      authority: .user, expiresAtSeconds: subject.expiresAtSeconds, claims: claims)
    self.voucher = voucher
  }

  private static func claims(of subject: ForeignTokenSubject) -> ClaimValue {
    var claims = subject.claims
    // A claim from the verifier must not replace one that the server computes.
    func add(_ name: String, _ value: ClaimValue) {
      claims.removeAll { $0.name.hasSameBytes(as: name) }
      claims.append(ClaimValue.Member(name, value))
    }
    add("user_id", .string(subject.uid))
    add("sub", .string(subject.uid))
    if let issuedAt = subject.issuedAtSeconds { add("iat", .int(issuedAt)) }
    add("exp", .int(subject.expiresAtSeconds))
    if let email = subject.email {
      add("email", .string(email))
      add("email_verified", .bool(subject.isEmailVerified))
    }
    add(
      "firebase",
      .object([
        ClaimValue.Member("identities", .object([])),
        ClaimValue.Member("sign_in_provider", .string(subject.signInProvider)),
      ]))
    return .object(claims)
  }
}
