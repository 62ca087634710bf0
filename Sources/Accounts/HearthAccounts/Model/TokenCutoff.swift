/// The cutoff between the valid and the revoked tokens and sessions of a user.
///
/// Every ID token, session cookie, refresh session and 2.x session that the server issues carries the generation of its
/// user. A revocation increments the number, and tokens with another one are invalid. No clock is involved, so that
/// neither a clock that was set back nor two changes in one second keep a revoked token valid.
///
/// Three kinds of token carry no generation: those of the previous version, those that the operator signs with a
/// database secret or with `hearth token mint`, and custom tokens. For them only the second of their issue is known.
/// Their cutoff is the second after the latest one that the server has seen on its clock, so that setting the clock
/// back saves none of them; until the clock has passed the cutoff again none is issued either.
public struct TokenCutoff: Sendable, Equatable {
  /// The generation of valid tokens. It only increases, also when an account is deleted and its uid reused.
  public var generation: Int64
  /// The second since 1970 from which tokens without a generation are valid.
  public var seconds: Int64

  /// The cutoff of a new account with a uid that was never used before.
  static let first = TokenCutoff(generation: 1, seconds: 0)

  /// The generation for an unreadable record, which no account reaches.
  static let unreadable: Int64 = 1 << 40

  /// - Parameters:
  ///   - generation: that of the token or session; nil for none.
  ///   - issuedAtSeconds: the time of issue; nil when the token has none.
  func admits(generation: Int64?, issuedAtSeconds: Int64?) -> Bool {
    if let generation { return generation == self.generation }
    guard let issuedAtSeconds else { return false }
    return issuedAtSeconds >= seconds
  }

  /// Revokes all existing tokens.
  ///
  /// - Parameter latestSeconds: the latest second that the server has seen.
  mutating func raise(latestSeconds: Int64) {
    // The previous version issued tokens ahead of its clock, up to the very second of its cutoff.
    let issuedBefore = generation == 0 ? max(seconds, latestSeconds) : latestSeconds
    seconds = max(seconds, issuedBefore.plus(1))
    generation = generation.plus(1)
  }

  /// Raises the cutoff to another one, if that is later.
  mutating func advance(to other: TokenCutoff) {
    generation = max(generation, other.generation)
    seconds = max(seconds, other.seconds)
  }

  /// Returns true when a custom token may sign in to a uid whose last account was deleted at this cutoff. The second of the
  /// deletion itself counts: an account that is deleted and created again at once can be signed in to without a wait. Revocations
  /// do not matter here: as in Firebase Authentication, a custom token stays valid after them for its lifetime.
  func admitsCustomToken(issuedAtSeconds: Int64) -> Bool { issuedAtSeconds >= seconds.plus(-1) }
}
