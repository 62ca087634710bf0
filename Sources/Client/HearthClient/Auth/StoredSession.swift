import Foundation

/// What a store keeps: a user, the tokens, and which service gave them, since no other may see them.
struct StoredSession: Codable {
  static let currentVersion = 1

  var version = StoredSession.currentVersion
  var service: String
  var user: UserRecord
  var tokens: SessionTokens

  /// Nil when the data is of another form, or damaged: nobody is signed in then.
  init?(_ data: Data) {
    guard let stored = try? JSONDecoder().decode(StoredSession.self, from: data),
      stored.version == Self.currentVersion, !stored.user.uid.isEmpty
    else { return nil }
    self = stored
  }

  init(service: String, user: UserRecord, tokens: SessionTokens) {
    self.service = service
    self.user = user
    self.tokens = tokens
  }

  var data: Data {
    get throws { try JSONEncoder().encode(self) }
  }
}
