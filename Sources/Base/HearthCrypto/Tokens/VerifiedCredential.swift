/// The result of every verifier: a verified credential.
public struct VerifiedCredential: Sendable, Equatable {
  /// The verifier that vouched for a credential.
  public enum Kind: String, Sendable, CaseIterable {
    /// A custom token in the legacy format (HS256, claims under `d`).
    case legacyToken
    /// A raw 40-character database secret.
    case legacySecret
    /// An ID token that this server minted.
    case idToken
    /// A session cookie that this server minted. No database takes one.
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

  /// The verifier that vouched for it.
  public var kind: Kind

  /// The `auth` value of rules; nil is rules' `null`. Always nil for a credential that bypasses rules.
  public var authPayload: ClaimValue?

  /// The authority of its holder.
  public var authority: Authority

  /// The end of the credential in seconds since 1970; nil for one without an end.
  public var expiresAtSeconds: Int64?

  /// True when the credential asks for rule diagnostics (`debug` of a legacy token).
  public var debug: Bool

  /// True when the credential asks for rules to run without committing (`simulate` of a legacy token).
  public var simulate: Bool

  /// The whole claim set of the token; an empty object for an opaque credential. For logs, diagnostics and later checks
  /// (`iat` against a revocation time); rules see `authPayload`.
  public var claims: ClaimValue

  /// The key that vouched: `kid` of an ID token or a session cookie; for a legacy token or a raw secret the secret's
  /// name in `LegacySecrets.ids`; nil for the others.
  public var keyID: String?

  /// The address of the service account that an access token was given to; nil for every other credential.
  public var owner: String?

  /// The generation of that account's tokens that an access token belongs to.
  public var ownerGeneration: Int64?

  /// The console's session that it was given out in; nil for every other credential.
  public var consoleSession: UInt64?

  /// The voucher of a token of another server; nil for every other credential.
  public var voucher: TokenVoucher?

  /// Makes a verified credential; see the properties.
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

  /// The generation of its user's tokens that an ID token or a session cookie belongs to. Nil for one without, and for
  /// every other credential, whose maker could write any number.
  public var generation: Int64? {
    guard kind == .idToken || kind == .sessionCookie, case .int(let number)? = claims["firebase"]?["generation"] else {
      return nil
    }
    return number
  }

  /// True for an ID token that is only valid for enrolling a second factor. Rules see a signed-out client.
  public var isForEnrolment: Bool {
    kind == .idToken && claims["aud"]?.string?.hasSuffix(IDTokenClaims.enrolmentAudience) == true
  }
}
