import Foundation

/// The tokens of a session: an ID token and the refresh token for the next one.
struct UserTokens: Sendable, Equatable, Codable, CustomStringConvertible, CustomReflectable {
  var idToken: String
  var refreshToken: String
  /// The expiry by this machine's clock.
  var expiresAt: Date
  /// The lifetime of the ID token in seconds.
  var lifeSeconds: TimeInterval

  var description: String { "tokens until \(expiresAt)" }
  var customMirror: Mirror { Mirror(self, children: ["expiresAt": expiresAt]) }

  /// The time from which the next token is fetched: five minutes before the expiry, as Firebase's clients do, or
  /// halfway through the lifetime of short-lived tokens, which would otherwise be fetched continuously.
  var refreshAt: Date { expiresAt.addingTimeInterval(-min(300, lifeSeconds / 2)) }

  func isFresh(at now: Date) -> Bool {
    // After the clock was set back, the time until the expiry exceeds the token's lifetime.
    now < refreshAt && expiresAt.timeIntervalSince(now) <= lifeSeconds + 1
  }
}
