/// A session: a sign-in that a refresh token continues. Stored under the token's SHA-256; the token itself is not
/// stored.
public struct SessionRecord: Sendable, Equatable {
  /// The id of the token family. It stays the same when the token is replaced; a family is revoked as a whole.
  public var family: String
  /// The uid of its user.
  public var uid: String
  /// The provider's id, as tokens show it: `password`, `google.com`, `custom`, …
  public var signInProvider: String
  /// The time of the interactive sign-in, in seconds since 1970; a refresh does not change it.
  public var authTimeSeconds: Int64
  /// The time of this sign-in, since 1970; a replacing token keeps it.
  public var createdAtSeconds: Int64
  /// The ``TokenCutoff/generation`` of the user when it began; nil for one of the previous version.
  public var userGeneration: Int64?
  /// The time of the last refresh, since 1970.
  public var lastUsedAtSeconds: Int64
  /// The claims of this session, in addition to those of the user: the text of a JSON object.
  public var claims: String?
  /// The attributes of the user from the sign-in's provider, for `firebase.sign_in_attributes`: the text of a JSON
  /// object.
  public var signInAttributes: String?
  /// The enrolment id of the second factor that was shown.
  public var secondFactor: String?
  /// True when it began with a passkey that verified the user: no second factor is required.
  public var isUserVerified = false
  /// The number of the token in its family, from 0.
  public var generation: Int64 = 0
  /// The time when this token was replaced by the next generation; nil for the current one.
  public var replacedAtSeconds: Int64?
  /// True for a legacy session, stored under its `jti`: it has no refresh token, and ends at ``expiresAtSeconds``.
  public var isLegacy = false
  /// The end of the session, since 1970; nil for a session without an end of its own.
  public var expiresAtSeconds: Int64?
  /// The address of the client that began it.
  public var clientAddress: String
  /// The user agent that it began with.
  public var userAgent: String

  /// Creates a session in its first generation.
  public init(
    family: String, uid: String, signInProvider: String, authTimeSeconds: Int64, createdAtSeconds: Int64,
    clientAddress: String, userAgent: String
  ) {
    self.family = family
    self.uid = uid
    self.signInProvider = signInProvider
    self.authTimeSeconds = authTimeSeconds
    self.createdAtSeconds = createdAtSeconds
    lastUsedAtSeconds = createdAtSeconds
    self.clientAddress = clientAddress
    self.userAgent = userAgent
  }
}
