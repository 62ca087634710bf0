/// The limits for tokens that the server did not issue.
struct ForeignTokenLimits: Sendable {
  /// The maximum number of concurrent questions to verifiers. Above it verifiers are not asked, and tokens are refused.
  var questionsMax = 256
  /// The maximum number of concurrent questions to one verifier: a slow one leaves room for others.
  var questionsPerVerifierMax = 128
  /// The maximum number of concurrent questions from one client network.
  var questionsPerNetworkMax = 32
  /// The maximum number of concurrent questions from one /24 or /48 around such networks.
  var questionsPerSiteMax = 64
  /// The maximum number of waiting requests and sockets.
  var waitersMax = 4_096
  /// The maximum number of waiting requests and sockets of one client network.
  var waitersPerNetworkMax = 128
  /// The maximum number of waiting requests and sockets of one /24 or /48 around such networks.
  var waitersPerSiteMax = 1_024
  /// The maximum number of accepted tokens in the cache.
  var acceptedMax = 10_000
  /// The maximum size of the accepted tokens in bytes, counted by their claims.
  var acceptedBytesMax = 16 << 20
  /// The maximum number of refused tokens in the cache.
  var refusedMax = 10_000
  /// The maximum number of revocations that are kept for pending questions; above it the questions are void.
  var revocationsMax = 1_024
  /// The maximum number of tokens and users named by the kept revocations.
  var revokedMax = 16_384

  /// The longest cache time of an answer, in seconds.
  static let cacheSecondsMax: Int64 = 86_400
  /// The lifetime of a token without an end, counted from the answer.
  static let lifetimeSecondsDefault: Int64 = 3_600
  /// The maximum length of a sign-in provider's name, in bytes.
  static let providerBytesMax = 64
}
