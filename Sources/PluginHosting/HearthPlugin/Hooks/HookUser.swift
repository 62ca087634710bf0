import HearthTree

/// An account as hooks see it: without hashes, secrets and tokens.
public struct HookUser: Sendable, Codable, Equatable {
  /// The account's id, 1 to 128 characters.
  public var uid: String
  /// The account's tenant; nil for an account of the project itself. Users of different tenants may have the same uid.
  public var tenantID: String?
  /// The address in canonical form; nil when the account has none.
  public var email: String?
  /// True when the address was verified.
  public var isEmailVerified = false
  /// The name that others see; any text that the user chose.
  public var displayName: String?
  /// The URL of a picture that the user chose.
  public var photoURL: String?
  /// The number in E.164.
  public var phoneNumber: String?
  /// True when the account cannot be used to sign in.
  public var isDisabled = false
  /// The time of creation, in milliseconds since 1970.
  public var createdAtMilliseconds: Int64
  /// The time of the previous sign-in, in milliseconds since 1970; nil when there was none.
  public var lastSignInAtMilliseconds: Int64?
  /// The earliest issue time of valid tokens, in seconds since 1970.
  public var tokensValidAfterSeconds: Int64?
  /// The providers linked to the account, `password` and `phone` among them.
  public var identities: [HookIdentity] = []
  /// Second factors, in the order of their enrolment.
  public var factors: [HookFactor] = []
  /// The claims that every token of the user has beside the server's own: an object; nil when there are none.
  public var customClaims: JSON?

  /// Creates an account with its required fields alone.
  public init(uid: String, createdAtMilliseconds: Int64) {
    self.uid = uid
    self.createdAtMilliseconds = createdAtMilliseconds
  }
}

/// A provider linked to an account.
public struct HookIdentity: Sendable, Codable, Equatable {
  /// `password`, `phone`, `google.com`, `oidc.example`, …
  public var providerID: String
  /// The provider's own id of the user; the address for `password`, the number for `phone`.
  public var rawID: String
  /// The address as the provider gave it.
  public var email: String?
  /// The name as the provider gave it.
  public var displayName: String?
  /// The picture's URL as the provider gave it.
  public var photoURL: String?
  /// The number in E.164; for `phone` alone.
  public var phoneNumber: String?

  /// Creates an identity with its ids alone.
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
  /// The name that the user chose.
  public var displayName: String?
  /// The number in E.164; for `phone` alone.
  public var phoneNumber: String?
  /// The time of enrolment, in milliseconds since 1970.
  public var enrolledAtMilliseconds: Int64

  /// Creates a factor with its required fields alone.
  public init(id: String, kind: String, enrolledAtMilliseconds: Int64) {
    self.id = id
    self.kind = kind
    self.enrolledAtMilliseconds = enrolledAtMilliseconds
  }
}
