/// The lifetimes of the console's keys, sessions and credentials, and their maximum numbers.
package struct ConsoleLimits: Sendable {
  /// The lifetime of a key: long enough to get from a terminal to a browser.
  package var keySeconds: Int64 = 600
  /// The maximum number of keys; the oldest is dropped for a new one, so that unused links do not block access.
  package var keysMax = 64
  /// The idle time after which a session ends, for an unattended screen.
  package var idleSeconds: Int64 = 1_800
  /// The maximum duration of a session: a working day with its breaks.
  package var sessionSeconds: Int64 = 43_200
  /// The time after a proof of presence in which a session may destroy and deploy without another one.
  package var presenceSeconds: Int64 = 900
  /// The maximum number of sessions; the least recently used is ended for a new one.
  package var sessionsMax = 256
  /// The maximum number of sessions of one person; their least recently used is ended for a new one.
  package var sessionsPerPersonMax = 16
  /// The lifetime of a credential. It is short because it is in a page's memory and opens the socket by itself.
  package var credentialSeconds: Int64 = 300
  /// The maximum number of credentials of one session, a few for each open page; the oldest is dropped for a new one.
  package var credentialsPerSessionMax = 64

  /// The limits of a server.
  package static let standard = ConsoleLimits()
}
