import Foundation

/// What a session shows: a token for some time, and what brings the next one.
struct SessionTokens: Sendable, Equatable, Codable, CustomStringConvertible, CustomReflectable {
  var idToken: String
  var refreshToken: String
  /// By this machine's clock.
  var expiresAt: Date
  /// From its making to its end.
  var lifeSeconds: TimeInterval

  var description: String { "tokens until \(expiresAt)" }
  var customMirror: Mirror { Mirror(self, children: ["expiresAt": expiresAt]) }

  /// From when the next token is fetched: five minutes before the end, as Firebase's clients do, or halfway for tokens
  /// that live so short that they would be fetched without a pause.
  var refreshAt: Date { expiresAt.addingTimeInterval(-min(300, lifeSeconds / 2)) }

  func isFresh(at now: Date) -> Bool {
    // A clock that was set back makes a token look as if it lived longer than it does.
    now < refreshAt && expiresAt.timeIntervalSince(now) <= lifeSeconds + 1
  }
}
