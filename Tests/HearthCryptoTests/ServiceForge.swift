@testable import HearthCrypto

/// A service account with tokens in its name: valid ones as an SDK makes them, and forged ones.
enum ServiceForge {
  static let email = "backend@demo-forge.iam.gserviceaccount.com"
  static let keys = KeyFolder.mintingKeys
  static var key: RSAKey { keys.signing.key }
  static let keyID = keys.signingKeyID
  static let publicPEM = keys.publicPEM(keyID: keyID) ?? ""
  static let accounts = [
    (email: email, publicKeys: [keyID: publicPEM]),
    (email: "other@demo-forge.iam.gserviceaccount.com", publicKeys: [otherKeyID: otherPEM]),
  ]
  static let otherKeyID = TokenForge.otherKeys.signingKeyID
  static let otherPEM = TokenForge.otherKeys.publicPEM(keyID: otherKeyID) ?? ""
  static let now = TokenForge.now

  static func header(_ changes: [String: String?] = [:]) -> String {
    json(["alg": "\"RS256\"", "typ": "\"JWT\"", "kid": "\"\(keyID)\""], changes)
  }

  /// Returns a custom token with members replaced (nil removes one); values are JSON texts.
  static func custom(_ changes: [String: String?] = [:], header: String = header(), key: RSAKey = key) -> String {
    TokenForge.rs256(customPayload(changes), header: header, key: key)
  }

  static func customPayload(_ changes: [String: String?] = [:]) -> String {
    json(
      [
        "iss": "\"\(email)\"", "sub": "\"\(email)\"", "aud": "\"\(UnverifiedToken.customTokenAudience)\"",
        "iat": "\(now)", "exp": "\(now + 3_600)", "uid": "\"alice\"",
      ], changes)
  }

  /// Returns an assertion as Google's libraries make it.
  static func assertion(_ changes: [String: String?] = [:], header: String = header(), key: RSAKey = key) -> String {
    let payload = json(
      [
        "iss": "\"\(email)\"", "aud": "\"https://oauth2.googleapis.com/token\"", "iat": "\(now)",
        "exp": "\(now + 3_600)", "scope": "\"https://www.googleapis.com/auth/firebase.database openid\"",
      ], changes)
    return TokenForge.rs256(payload, header: header, key: key)
  }

  private static func json(_ members: [String: String], _ changes: [String: String?]) -> String {
    var members = members
    for (name, value) in changes { members[name] = value }
    return "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
  }
}
