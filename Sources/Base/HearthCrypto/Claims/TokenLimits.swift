/// The bounds on credentials, one reason each.
public enum TokenLimits {
  /// Any credential. The C library under the legacy verifier keeps a copy of the token on the stack; an ID token with
  /// 1000 characters of custom claims and many linked identities stays far below.
  public static let tokenBytesMax = 16_384

  /// A legacy token: the format's own limit, kept by its generators.
  public static let legacyTokenBytesMax = 1_024

  /// Nesting of JSON inside a token: deeper data could not be written to the tree either.
  public static let depthMax = 32

  /// `d.uid` of a legacy token, in UTF-16 units: the limit of the format's generators.
  public static let legacyUIDLengthMax = 256

  /// `sub` of an ID token, in UTF-16 units: the limit that admin SDKs check.
  public static let uidLengthMax = 128

  /// Custom claims of an ID token, as JSON bytes: the limit of the identity API.
  public static let customClaimsBytesMax = 1_000

  /// Life of a legacy token without `exp`, counted from `nbf` or `iat`: the one that its clients assume.
  public static let legacyLifetimeSecondsDefault: Int64 = 86_400

  /// Life of an ID token. Web clients refresh five minutes before the end, and in a tight loop below that.
  public static let idTokenLifetimeSecondsDefault: Int64 = 3_600
  /// The shortest life of an ID token that can be configured: below it web clients would refresh without pause.
  public static let idTokenLifetimeSecondsMin: Int64 = 900

  /// Life of a session cookie.
  public static let sessionCookieLifetimeSecondsMin: Int64 = 300
  /// The longest life of a session cookie: two weeks, the most that admin SDKs ask for.
  public static let sessionCookieLifetimeSecondsMax: Int64 = 1_209_600

  /// The longest life of any signed token; a retired key is kept for that time.
  public static let signedLifetimeSecondsMax = sessionCookieLifetimeSecondsMax

  /// Life of a token that a service account signs: a custom token, or an assertion for an access token.
  public static let serviceTokenLifetimeSecondsMax: Int64 = 3_600

  /// The permitted lead of another machine's clock in "not before".
  public static let foreignClockSkewSeconds: Int64 = 300

  /// The same for times of this server: for steps of its own clock only.
  public static let ownClockSkewSeconds: Int64 = 60

  /// The maximum number of valid secrets: the newest, and older ones during a rotation.
  public static let legacySecretsMax = 3

  /// Keys of one kind, with the retired ones: about a year of monthly rotations, or ten urgent ones in a row. Each
  /// takes 1.8 kB of a file that is read whole.
  static let signingKeysMax = 12

  /// Keys of a service account that are tried for a token without `kid`.
  static let serviceAccountKeysMax = 10

  /// The maximum number of assertions that are remembered until they end, so that none is used twice.
  public static let assertionsMax = 10_000

  /// The limits of a set of another provider's keys: its size as a document, and its number of keys.
  public static let foreignKeySetBytesMax = 262_144
  static let foreignKeysMax = 100

  /// The maximum size of `sub` in another provider's token, in bytes.
  public static let foreignSubjectBytesMax = 255

  /// Verified tokens per half of the cache: about one for each busy client of a small server.
  static let verifiedTokensMax = 4_096
}
