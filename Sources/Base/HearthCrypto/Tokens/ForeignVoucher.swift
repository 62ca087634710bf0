/// Who vouched for a token that the server did not make, and which token it was.
public struct ForeignVoucher: Sendable, Equatable {
  /// The verifier's name.
  public var verifier: String
  /// SHA-256 of the token in lower-case hexadecimal.
  public var digest: String
  /// The number of revocations that the verifier had sent when it was asked: only later ones can mean this answer.
  public var serial: UInt64

  /// A token that this verifier vouched for.
  public init(verifier: String, digest: String, serial: UInt64) {
    self.verifier = verifier
    self.digest = digest
    self.serial = serial
  }
}

/// What is known of the user of a token that the server did not make.
public struct ForeignTokenSubject: Sendable {
  /// The user.
  public var uid: String
  /// As rules see it.
  public var signInProvider: String
  /// In canonical form; nil for none.
  public var email: String?
  /// True when the address is theirs.
  public var isEmailVerified = false
  /// Members of `auth.token`, checked before: no reserved name.
  public var claims: [ClaimValue.Member] = []
  /// Seconds since 1970; nil when nobody said.
  public var issuedAtSeconds: Int64?
  /// Seconds since 1970.
  public var expiresAtSeconds: Int64

  /// A user of whom nothing else is known.
  public init(uid: String, signInProvider: String, expiresAtSeconds: Int64) {
    self.uid = uid
    self.signInProvider = signInProvider
    self.expiresAtSeconds = expiresAtSeconds
  }
}

extension VerifiedCredential {
  /// The credential that such a token is. Rules see of it what they see of an ID token, but for `iss`, `aud` and
  /// `auth_time`: those would be the server's own word.
  public init(_ subject: ForeignTokenSubject, voucher: ForeignVoucher) {
    var claims = subject.claims
    // A claim of the verifier may have a name that is computed here.
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
    self.init(
      kind: .foreignToken,
      authPayload: IDTokenClaims.authPayload(
        uid: subject.uid, provider: subject.signInProvider, claims: .object(claims)),
      authority: .user, expiresAtSeconds: subject.expiresAtSeconds, claims: .object(claims))
    self.voucher = voucher
  }
}
