/// The limits for tokens that the server did not issue.
struct ForeignTokenLimits: Sendable {
  /// Concurrent questions to verifiers. Above it verifiers are not asked, and tokens are refused.
  var questionsMax = 256
  /// Concurrent questions to one verifier: a slow one leaves room for others.
  var questionsPerVerifierMax = 128
  /// Concurrent questions from one client network.
  var questionsPerNetworkMax = 32
  /// Concurrent questions from one /24 or /48 around such networks.
  var questionsPerSiteMax = 64
  /// Waiting requests and sockets.
  var waitersMax = 4_096
  /// Waiting requests and sockets of one client network.
  var waitersPerNetworkMax = 128
  /// Waiting requests and sockets of one /24 or /48 around such networks.
  var waitersPerSiteMax = 1_024
  /// Accepted tokens in the cache.
  var acceptedMax = 10_000
  /// The size of the accepted tokens in bytes, counted by their claims.
  var acceptedBytesMax = 16 << 20
  /// Refused tokens in the cache.
  var refusedMax = 10_000
  /// Revocations that are kept for pending questions; above it the questions are void.
  var revocationsMax = 1_024
  /// Tokens and users named by the kept revocations.
  var revokedMax = 16_384

  /// The longest cache time of an answer, in seconds.
  static let cacheSecondsMax: Int64 = 86_400
  /// The lifetime of a token without an end, counted from the answer.
  static let lifetimeSecondsDefault: Int64 = 3_600
  /// Bytes of a sign-in provider's name.
  static let providerBytesMax = 64
}
