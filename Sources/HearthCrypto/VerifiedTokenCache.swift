import Synchronization

/// Claims of tokens whose signature was right, by SHA-256 of the whole token.
///
/// Bounded and approximately least recently used: two generations, and when the young one is full the old one is
/// forgotten. Failures are never kept, so only holders of valid tokens can fill it.
final class VerifiedTokenCache: Sendable {
  private struct Generations {
    var young: [Digest: ClaimValue] = [:]
    var old: [Digest: ClaimValue] = [:]
  }

  private let generations = Mutex(Generations())
  private let countMax: Int

  /// - Parameter countMax: entries of one generation; at most twice as many are kept.
  init(countMax: Int = TokenLimits.verifiedTokensMax) { self.countMax = max(1, countMax) }

  func claims(of text: String) -> ClaimValue? {
    let digest = Digest(sha256: text.utf8)
    return generations.withLock { generations in
      if let claims = generations.young[digest] { return claims }
      guard let claims = generations.old[digest] else { return nil }
      insert(claims, digest, into: &generations)
      return claims
    }
  }

  func remember(_ token: UnverifiedToken) {
    let digest = Digest(sha256: token.text.utf8)
    generations.withLock { insert(token.payload, digest, into: &$0) }
  }

  var count: Int { generations.withLock { $0.young.count + $0.old.count } }

  private func insert(_ claims: ClaimValue, _ digest: Digest, into generations: inout Generations) {
    if generations.young.count >= countMax {
      generations.old = generations.young
      generations.young = [:]
    }
    generations.young[digest] = claims
    generations.old[digest] = nil
  }
}
