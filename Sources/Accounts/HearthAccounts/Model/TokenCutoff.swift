/// Which tokens and sessions of a user count: those on this side of the last revocation.
///
/// Every ID token, session cookie, refresh session and 2.x session that the server makes carries the generation of its
/// user. A revocation raises the number, and what carries another one has ended: no clock is asked, so that one which was
/// set back, or two changes in one second, let nothing through.
///
/// Three kinds of token carry no generation: what the version before made, what the operator signs with a database secret
/// or with `hearth token mint`, and custom tokens. Of them only the second of their issue is known. The border for them is
/// the second after the latest one that the server has seen on its clock, so that setting the clock back saves none of
/// them; until the clock is past the border again none is made anew either.
public struct TokenCutoff: Sendable, Equatable {
  /// Goes up only, also when an account is deleted and its uid given out again.
  public var generation: Int64
  /// Seconds since 1970. What carries no generation counts when it was issued in this second or later.
  public var seconds: Int64

  /// Of an account that is new, with a uid that nobody had before.
  static let first = TokenCutoff(generation: 1, seconds: 0)

  /// Stands for the generation of a record that cannot be read: no account gets so far.
  static let unreadable: Int64 = 1 << 40

  /// - Parameters:
  ///   - generation: what a token or a session carries; nil for none.
  ///   - issuedAtSeconds: nil when it does not say.
  func admits(generation: Int64?, issuedAtSeconds: Int64?) -> Bool {
    if let generation { return generation == self.generation }
    guard let issuedAtSeconds else { return false }
    return issuedAtSeconds >= seconds
  }

  /// Ends everything so far.
  ///
  /// - Parameter latestSeconds: the latest second that the server has seen.
  mutating func raise(latestSeconds: Int64) {
    // The version before issued tokens ahead of its clock, up to the very second of its border.
    let issuedBefore = generation == 0 ? max(seconds, latestSeconds) : latestSeconds
    seconds = max(seconds, issuedBefore.plus(1))
    generation = generation.plus(1)
  }

  /// Moves the border to where another one is, if it is not past that.
  mutating func advance(to other: TokenCutoff) {
    generation = max(generation, other.generation)
    seconds = max(seconds, other.seconds)
  }

  /// Returns true when a custom token may sign in to a uid whose last account was deleted at this border. The second of
  /// the deletion itself counts: an account that is deleted and made again at once can be signed in to without a wait.
  /// Revocations are no matter here: the service takes a custom token again after them, as long as it lives.
  func admitsCustomToken(issuedAtSeconds: Int64) -> Bool { issuedAtSeconds >= seconds.plus(-1) }
}
