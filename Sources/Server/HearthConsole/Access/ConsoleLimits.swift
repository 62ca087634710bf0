/// The time that the console's keys, sessions and credentials count, and how many there may be.
package struct ConsoleLimits: Sendable {
  /// Long enough to get from a terminal to a browser.
  package var keySeconds: Int64 = 600
  /// Keys at a time; the oldest makes room, so that links nobody opened keep nobody out.
  package var keysMax = 64
  /// A screen that somebody left.
  package var idleSeconds: Int64 = 1_800
  /// A working day with its breaks.
  package var sessionSeconds: Int64 = 43_200
  /// How long after whoever opened a session showed who they are it destroys and deploys without asking again.
  package var presenceSeconds: Int64 = 900
  /// Sessions at a time; the one that was used longest ago makes room.
  package var sessionsMax = 256
  /// A credential is in a page's memory and opens the socket by itself, so it is short.
  package var credentialSeconds: Int64 = 300
  /// Credentials of one session at a time, a few for each open page; the oldest makes room.
  package var credentialsPerSessionMax = 64

  /// What a server goes by.
  package static let standard = ConsoleLimits()
}
