/// What a credential turned out to be, once verified. The one outward result of every verifier.
public struct VerifiedCredential: Sendable, Equatable {
  /// Which verifier vouched for it.
  public enum Kind: String, Sendable, CaseIterable {
    /// A custom token in the legacy format (HS256, claims under `d`).
    case legacyToken
    /// A raw 40-character database secret.
    case legacySecret
    /// An ID token this server minted.
    case idToken
    /// A session cookie this server minted. No database takes one.
    case sessionCookie
    /// An access token of an administrator.
    case adminToken
    /// An unsigned token of a developer's emulator client.
    case developerToken
    /// A token that another verifier than the server's own vouched for.
    case foreignToken
    /// The word `owner`, which emulator clients send for an administrator.
    case developerOwner
    /// An opaque credential of a session of the console.
    case consoleSession
  }

  /// Which verifier vouched for it.
  public var kind: Kind

  /// What rules see as `auth`; nil is rules' `null`. Always nil for a credential that bypasses rules.
  public var authPayload: ClaimValue?

  /// What its holder may do.
  public var authority: Authority

  /// Seconds since 1970 from which the credential no longer counts; nil for one that does not end by itself.
  public var expiresAtSeconds: Int64?

  /// True when the credential asks for rule diagnostics (`debug` of a legacy token).
  public var debug: Bool

  /// True when the credential asks for rules to run without committing (`simulate` of a legacy token).
  public var simulate: Bool

  /// The whole claim set of the token; an empty object for an opaque credential. For logs, diagnostics and later checks
  /// (`iat` against a revocation time); rules see `authPayload`.
  public var claims: ClaimValue

  /// Which key vouched: `kid` of an ID token or a session cookie; for a legacy token or a raw secret the secret's name
  /// in `LegacySecrets.ids`; nil for the others.
  public var keyID: String?

  /// Whom an access token was given to: the address of a service account. Nil for every other credential.
  public var owner: String?

  /// Which generation of that account's tokens an access token is of.
  public var ownerGeneration: Int64?

  /// The console's session that it was given out in; nil for every other credential.
  public var consoleSession: UInt64?

  /// Who vouched for a token that the server did not make; nil for every other credential.
  public var voucher: ForeignVoucher?

  /// What a verifier found; see the properties.
  public init(
    kind: Kind, authPayload: ClaimValue?, authority: Authority, expiresAtSeconds: Int64? = nil,
    debug: Bool = false, simulate: Bool = false, claims: ClaimValue = .object([]),
    keyID: String? = nil, owner: String? = nil, ownerGeneration: Int64? = nil
  ) {
    self.kind = kind
    self.authPayload = authPayload
    self.authority = authority
    self.expiresAtSeconds = expiresAtSeconds
    self.debug = debug
    self.simulate = simulate
    self.claims = claims
    self.keyID = keyID
    self.owner = owner
    self.ownerGeneration = ownerGeneration
  }

  /// The user for logs: the `uid` of `authPayload` when that is a string.
  public var uid: String? { authPayload?["uid"]?.string }

  /// The generation of its user's tokens that an ID token or a session cookie is of. Nil for one without, and for every
  /// other credential: what its maker writes into it says nothing.
  public var generation: Int64? {
    guard kind == .idToken || kind == .sessionCookie, case .int(let number)? = claims["firebase"]?["generation"] else {
      return nil
    }
    return number
  }

  /// True when it is an ID token that is good for nothing but enrolling a second factor. Rules see nobody.
  public var isForEnrolment: Bool {
    kind == .idToken && claims["aud"]?.string?.hasSuffix(IDTokenClaims.enrolmentAudience) == true
  }
}
