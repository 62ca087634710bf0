import Synchronization

/// Tokens with a verified signature: their claims and the key that signed, by SHA-256 of the whole token.
///
/// The cache is bounded, with an approximate LRU policy: it has two generations, and when the young one is full, the
/// old one is dropped. Only valid tokens are cached, so only their owners can fill it.
final class VerifiedTokenCache: Sendable {
  struct Entry: Sendable {
    var claims: ClaimValue
    var keyID: String
  }

  private struct Generations {
    var young: [Digest: Entry] = [:]
    var old: [Digest: Entry] = [:]
  }

  private let generations = Mutex(Generations())
  private let countMax: Int

  /// - Parameter countMax: The most entries of one generation; the cache has at most twice as many.
  init(countMax: Int = TokenLimits.verifiedTokensMax) { self.countMax = max(1, countMax) }

  func entry(of text: String) -> Entry? {
    let digest = Digest(sha256: text.utf8)
    return generations.withLock { generations in
      if let entry = generations.young[digest] { return entry }
      guard let entry = generations.old[digest] else { return nil }
      insert(entry, digest, into: &generations)
      return entry
    }
  }

  func remember(_ token: UnverifiedToken, keyID: String) {
    let digest = Digest(sha256: token.text.utf8)
    let entry = Entry(claims: token.payload, keyID: keyID)
    generations.withLock { insert(entry, digest, into: &$0) }
  }

  var count: Int { generations.withLock { $0.young.count + $0.old.count } }

  private func insert(_ entry: Entry, _ digest: Digest, into generations: inout Generations) {
    if generations.young.count >= countMax {
      generations.old = generations.young
      generations.young = [:]
    }
    generations.young[digest] = entry
    generations.old[digest] = nil
  }
}
