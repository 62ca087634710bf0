/// The limits on credentials.
public enum TokenLimits {
  /// The largest credential, in bytes. An ID token with 1000 characters of custom claims and many linked identities is
  /// far smaller. The C library that verifies legacy tokens keeps a copy of the token on the stack.
  public static let tokenBytesMax = 16_384

  /// The largest legacy token, in bytes: the limit of Firebase's token generators.
  public static let legacyTokenBytesMax = 1_024

  /// The most levels of JSON inside a token: deeper data could not be stored in the database either.
  public static let depthMax = 32

  /// The longest `d.uid` of a legacy token, in UTF-16 units: the limit of Firebase's token generators.
  public static let legacyUIDLengthMax = 256

  /// The longest `sub` of an ID token, in UTF-16 units: the limit that admin SDKs check.
  public static let uidLengthMax = 128

  /// The largest custom claims of an ID token, in bytes of JSON: the limit of the identity API.
  public static let customClaimsBytesMax = 1_000

  /// The lifetime of a legacy token without `exp`, from its `nbf` or `iat`: the one that clients assume.
  public static let legacyLifetimeSecondsDefault: Int64 = 86_400

  /// The default lifetime of an ID token. Web clients refresh it five minutes before its end.
  public static let idTokenLifetimeSecondsDefault: Int64 = 3_600
  /// The shortest lifetime of an ID token that can be configured: with a shorter one, web clients would refresh
  /// continuously.
  public static let idTokenLifetimeSecondsMin: Int64 = 900

  /// The shortest lifetime of a session cookie.
  public static let sessionCookieLifetimeSecondsMin: Int64 = 300
  /// The longest lifetime of a session cookie: two weeks, the limit of admin SDKs.
  public static let sessionCookieLifetimeSecondsMax: Int64 = 1_209_600

  /// The longest lifetime of any signed token, for which a retired key is kept.
  public static let signedLifetimeSecondsMax = sessionCookieLifetimeSecondsMax

  /// The longest lifetime of a token that a service account signs: a custom token, or an assertion for an access token.
  public static let serviceTokenLifetimeSecondsMax: Int64 = 3_600

  /// The permitted lead of another machine's clock in "not before".
  public static let foreignClockSkewSeconds: Int64 = 300

  /// The permitted lead of a time that this server itself has issued, in case its clock was set back.
  public static let ownClockSkewSeconds: Int64 = 60

  /// The maximum number of valid database secrets: the newest, and older ones during a rotation.
  public static let legacySecretsMax = 3

  /// The most keys of one kind, including retired ones: about a year of monthly rotations, or ten urgent ones in a row.
  /// Each takes 1.8 kB of a file that is read as a whole.
  static let signingKeysMax = 12

  /// The most keys of a service account that are tried for a token without `kid`.
  static let serviceAccountKeysMax = 10

  /// The maximum number of assertions that are remembered until they expire, so that none is used twice.
  public static let assertionsMax = 10_000

  /// The largest document with another provider's keys, in bytes, and the most keys in it.
  public static let foreignKeySetBytesMax = 262_144
  static let foreignKeysMax = 100

  /// The maximum size of `sub` in another provider's token, in bytes.
  public static let foreignSubjectBytesMax = 255

  /// The most verified tokens in each half of the cache: about one for each busy client of a small server.
  static let verifiedTokensMax = 4_096
}
