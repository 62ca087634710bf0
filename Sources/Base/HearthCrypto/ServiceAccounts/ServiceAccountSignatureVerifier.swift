/// The verification that custom tokens and assertions have in common: a service account that is named in them has
/// signed them with RS256.
struct ServiceAccountSignatureVerifier: Sendable {
  enum Outcome: Sendable, Equatable {
    /// The account's address.
    case accepted(email: String)
    case unknownAccount
    case refused(String)
    case outOfMemory
  }

  /// The keys by address and key ID, as "BEGIN PUBLIC KEY" texts. They are parsed when used, because each token needs
  /// only one of them.
  private let accounts: [[UInt8]: [String: String]]

  init(accounts: [(email: String, publicKeys: [String: String])]) {
    var keys: [[UInt8]: [String: String]] = [:]
    for account in accounts {
      keys[Array(account.email.utf8), default: [:]].merge(account.publicKeys) { first, _ in first }
    }
    self.accounts = keys
  }

  /// Checks algorithm, issuer, key and signature, in this order.
  func verify(_ token: UnverifiedToken) -> Outcome {
    guard token.isAlgorithm("RS256") else { return .refused("the algorithm must be RS256") }
    guard let email = token.payload["iss"]?.string, let keys = accounts[Array(email.utf8)] else {
      return .unknownAccount
    }
    let candidates: [String]
    switch token.header["kid"] {
    // Old generators write no `kid`; then all keys of the token's account are tried, and none of other accounts.
    case nil: candidates = Array(keys.values.prefix(TokenLimits.serviceAccountKeysMax))
    case .string(let id): candidates = keys.first { $0.key.hasSameBytes(as: id) }.map { [$0.value] } ?? []
    default: return .refused("kid is not a string")
    }
    guard !candidates.isEmpty else { return .refused("unknown kid") }
    for pem in candidates {
      guard let key = RSAKey(publicPEM: Array(pem.utf8)) else { continue }
      switch key.verify(token.signature, of: token.signedBytes) {
      case .accepted: return .accepted(email: email)
      case .refused: continue
      case .outOfMemory: return .outOfMemory
      }
    }
    return .refused("the signature does not match")
  }

  /// Returns the reason why the times of a token are wrong; nil when they are valid. The issuer's clock may differ by
  /// five minutes.
  static func problem(withTimesOf claims: ClaimValue, nowSeconds: Int64) -> String? {
    let skew = TokenLimits.foreignClockSkewSeconds
    guard let issuedAt = claims["iat"]?.seconds, issuedAt - skew <= nowSeconds else { return "iat is not a past time" }
    // All times are below 2^53, so no sum overflows.
    guard let end = claims["exp"]?.seconds else { return "exp is not a time" }
    guard nowSeconds < end + skew else { return "the token has expired" }
    guard end - issuedAt <= TokenLimits.serviceTokenLifetimeSecondsMax + skew else {
      return "the lifetime is longer than an hour"
    }
    if let notBefore = claims["nbf"] {
      guard let start = notBefore.seconds, start - skew <= nowSeconds else { return "the token is not valid yet" }
    }
    return nil
  }
}
