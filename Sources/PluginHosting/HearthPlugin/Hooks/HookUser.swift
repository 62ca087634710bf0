import HearthTree

/// An account as hooks are told of it: without hashes, secrets and tokens.
public struct HookUser: Sendable, Codable, Equatable {
  /// 1 to 128 characters.
  public var uid: String
  /// The tenant whose user it is; nil for one of the project itself. Users of different tenants may have the same uid.
  public var tenantID: String?
  /// In canonical form; nil when the account has none.
  public var email: String?
  /// Somebody proved to receive mail at ``email``.
  public var isEmailVerified = false
  /// The name that others see; any text that the user chose.
  public var displayName: String?
  /// The URL of a picture that the user chose.
  public var photoURL: String?
  /// E.164.
  public var phoneNumber: String?
  /// Nobody comes in by this account.
  public var isDisabled = false
  /// Milliseconds since 1970.
  public var createdAtMilliseconds: Int64
  /// Milliseconds since 1970, of the sign-in before this one; nil for who never came in.
  public var lastSignInAtMilliseconds: Int64?
  /// Seconds since 1970: tokens from before it do not count.
  public var tokensValidAfterSeconds: Int64?
  /// The ways in that the account has, `password` and `phone` among them.
  public var identities: [HookIdentity] = []
  /// Second factors, in the order of their enrolment.
  public var factors: [HookFactor] = []
  /// What every token of the user says beside the server's own claims: an object; nil for none.
  public var customClaims: JSON?

  /// An account of which nothing but this is known.
  public init(uid: String, createdAtMilliseconds: Int64) {
    self.uid = uid
    self.createdAtMilliseconds = createdAtMilliseconds
  }
}

/// A way in that an account has.
public struct HookIdentity: Sendable, Codable, Equatable {
  /// `password`, `phone`, `google.com`, `oidc.example`, …
  public var providerID: String
  /// The provider's own id of the person; the address for `password`, the number for `phone`.
  public var rawID: String
  /// As the provider told it.
  public var email: String?
  /// As the provider told it.
  public var displayName: String?
  /// As the provider told it.
  public var photoURL: String?
  /// E.164; for `phone` alone.
  public var phoneNumber: String?

  /// A way in of which nothing but its ids is known.
  public init(providerID: String, rawID: String) {
    self.providerID = providerID
    self.rawID = rawID
  }
}

/// A second factor that an account has.
public struct HookFactor: Sendable, Codable, Equatable {
  /// The enrolment id.
  public var id: String
  /// `totp` or `phone`.
  public var kind: String
  /// As the user chose it.
  public var displayName: String?
  /// E.164; for `phone` alone.
  public var phoneNumber: String?
  /// Milliseconds since 1970.
  public var enrolledAtMilliseconds: Int64

  /// A factor of which nothing but this is known.
  public init(id: String, kind: String, enrolledAtMilliseconds: Int64) {
    self.id = id
    self.kind = kind
    self.enrolledAtMilliseconds = enrolledAtMilliseconds
  }
}
