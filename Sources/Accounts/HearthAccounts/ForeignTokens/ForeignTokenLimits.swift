/// What tokens that the server did not make may take of it.
struct ForeignTokenLimits: Sendable {
  /// Questions to verifiers at a time. Further ones are not asked, and their tokens open nothing.
  var questionsMax = 256
  /// Of the same, those to one verifier: a slow one leaves room for others.
  var questionsPerVerifierMax = 128
  /// Of the same, those of one client network.
  var questionsPerNetworkMax = 32
  /// Of the same, those of one /24 or /48 around such networks.
  var questionsPerSiteMax = 64
  /// Requests and sockets that wait for an answer.
  var waitersMax = 4_096
  /// Of the same, those of one client network.
  var waitersPerNetworkMax = 128
  /// Of the same, those of one /24 or /48 around such networks.
  var waitersPerSiteMax = 1_024
  /// Tokens that count, remembered as long as their verifiers say.
  var acceptedMax = 10_000
  /// Bytes that these take at most, as counted by their claims.
  var acceptedBytesMax = 16 << 20
  /// Tokens that do not count, remembered as long as their verifiers say.
  var refusedMax = 10_000
  /// Revocations that questions under way are held against; with more of them the questions come to nothing.
  var revocationsMax = 1_024
  /// Tokens and users that these name.
  var revokedMax = 16_384

  /// The longest that an answer may be remembered.
  static let cacheSecondsMax: Int64 = 86_400
  /// The life of a token that says no end, counted from the answer.
  static let lifetimeSecondsDefault: Int64 = 3_600
  /// Bytes of a sign-in provider's name.
  static let providerBytesMax = 64
}
