/// The result of every verifier: a verified credential.
public struct VerifiedCredential: Sendable, Equatable {
  /// The kind of a credential, according to the verifier that accepted it.
  public enum Kind: String, Sendable, CaseIterable {
    /// A custom token in the legacy format (HS256, claims under `d`).
    case legacyToken
    /// A raw 40-character database secret.
    case legacySecret
    /// An ID token that this server minted.
    case idToken
    /// A session cookie that this server minted. Databases do not accept session cookies.
    case sessionCookie
    /// An access token of an administrator.
    case adminToken
    /// An unsigned token of a developer's emulator client.
    case developerToken
    /// A token of another server, which an external verifier accepted.
    case foreignToken
    /// The text `owner`, which emulator clients send to act as administrator.
    case developerOwner
    /// An opaque credential of a session of the console.
    case consoleSession
  }

  /// The kind of the credential.
  public var kind: Kind

  /// The `auth` value of rules; nil stands for `null` in rules. Always nil for a credential that bypasses rules.
  public var authPayload: ClaimValue?

  /// The authority of its holder.
  public var authority: Authority

  /// The expiry of the credential in seconds since 1970; nil when it does not expire.
  public var expiresAtSeconds: Int64?

  /// True when the credential requests explanations of denials (`debug` of a legacy token).
  public var debug: Bool

  /// True when the credential requests that writes are evaluated but not committed (`simulate` of a legacy token).
  public var simulate: Bool

  /// All claims of the token; an empty object for an opaque credential. They are for logs, diagnostics and later
  /// checks, such as that of `iat` with a revocation time; rules use `authPayload`.
  public var claims: ClaimValue

  /// The ID of the key with which the credential was verified: the `kid` of an ID token or a session cookie; for a
  /// legacy token or a database secret, the secret's ID in `LegacySecrets.ids`; nil for the others.
  public var keyID: String?

  /// The address of the service account to which an access token was issued; nil for every other credential.
  public var owner: String?

  /// The generation of that account's tokens to which an access token belongs; nil for every other credential.
  public var ownerGeneration: Int64?

  /// The console session in which the credential was issued; nil for every other credential.
  public var consoleSession: UInt64?

  /// The voucher of a token of another server; nil for every other credential.
  public var voucher: TokenVoucher?

  /// Creates a verified credential from its properties.
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

  /// The generation of its user's tokens that an ID token or a session cookie belongs to. nil for a token without one,
  /// and for every other credential, in which the issuer could have put any number.
  public var generation: Int64? {
    guard kind == .idToken || kind == .sessionCookie, case .int(let number)? = claims["firebase"]?["generation"] else {
      return nil
    }
    return number
  }

  /// True for an ID token that is only valid for enrolling a second factor. For rules, its client is signed out.
  public var isForEnrolment: Bool {
    kind == .idToken && claims["aud"]?.string?.hasSuffix(IDTokenClaims.enrolmentAudience) == true
  }
}
