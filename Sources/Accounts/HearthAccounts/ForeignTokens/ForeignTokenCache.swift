import HearthCrypto

/// Cached answers of verifiers, kept as long as they allow. A token is identified by its digest only.
///
/// Refusals are cached separately, so that invented tokens evict no valid ones.
struct ForeignTokenCache {
  struct Key: Hashable, Sendable {
    var verifier: String
    /// The SHA-256 of the token, in lower-case hexadecimal.
    var digest: String
  }

  private struct Entry {
    var outcome: ForeignTokenOutcome
    /// The expiry, on the monotonic clock.
    var untilMilliseconds: Int64
    var bytes: Int
  }

  private var accepted: RecencyMap<Key, Entry>
  private var refused: RecencyMap<Key, Entry>
  private(set) var acceptedBytes = 0
  private let acceptedBytesMax: Int

  init(_ limits: ForeignTokenLimits) {
    accepted = RecencyMap(countMax: limits.acceptedMax)
    refused = RecencyMap(countMax: limits.refusedMax)
    acceptedBytesMax = limits.acceptedBytesMax
  }

  var count: Int { accepted.count + refused.count }

  /// Returns the cached outcome for a token, unless it has expired.
  mutating func outcome(_ key: Key, nowMilliseconds: Int64) -> ForeignTokenOutcome? {
    if let entry = accepted.value(key) {
      if nowMilliseconds < entry.untilMilliseconds { return entry.outcome }
      remove(key)
      return nil
    }
    guard let entry = refused.value(key) else { return nil }
    if nowMilliseconds < entry.untilMilliseconds { return entry.outcome }
    refused.remove(key)
    return nil
  }

  mutating func set(_ key: Key, _ outcome: ForeignTokenOutcome, untilMilliseconds: Int64) {
    remove(key)
    refused.remove(key)
    switch outcome {
    case .undecided: break
    case .refused:
      refused.set(key, Entry(outcome: outcome, untilMilliseconds: untilMilliseconds, bytes: 0))
    case .accepted(let credential):
      // The variables of rules hold the claims a second time, sharing storage.
      let bytes = credential.claims.json.utf8.count + key.digest.utf8.count + key.verifier.utf8.count
      let entry = Entry(outcome: outcome, untilMilliseconds: untilMilliseconds, bytes: bytes)
      if let forgotten = accepted.set(key, entry) { acceptedBytes -= forgotten.value.bytes }
      acceptedBytes += bytes
      while acceptedBytes > acceptedBytesMax, let last = accepted.last { remove(last.key) }
    }
  }

  private mutating func remove(_ key: Key) {
    if let entry = accepted.remove(key) { acceptedBytes -= entry.bytes }
  }

  /// Removes all answers of a verifier.
  mutating func removeAll(of verifier: String) {
    removeAccepted { key, _ in key.verifier == verifier }
    for key in refused.keys where key.verifier == verifier { refused.remove(key) }
  }

  /// Removes the accepted tokens that satisfy the condition.
  mutating func removeAccepted(where isIncluded: (Key, VerifiedCredential) -> Bool) {
    for key in accepted.keys {
      if case .accepted(let credential)? = accepted.peek(key)?.outcome, isIncluded(key, credential) { remove(key) }
    }
  }
}
