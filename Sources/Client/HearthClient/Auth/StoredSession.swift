import Foundation

/// The content of a session store: a user, the tokens, and the service that issued them, because no other service may
/// see them.
struct StoredSession: Codable {
  static let currentVersion = 1

  var version = StoredSession.currentVersion
  var service: String
  var user: StoredUser
  var tokens: UserTokens

  /// Reads stored data; nil when it is damaged or in an unknown format, which leaves the app signed out.
  init?(_ data: Data) {
    guard let stored = try? JSONDecoder().decode(StoredSession.self, from: data),
      stored.version == Self.currentVersion, !stored.user.uid.isEmpty
    else { return nil }
    self = stored
  }

  init(service: String, user: StoredUser, tokens: UserTokens) {
    self.service = service
    self.user = user
    self.tokens = tokens
  }

  var data: Data {
    get throws { try JSONEncoder().encode(self) }
  }
}
