import Foundation
import HearthClient
import HearthTree

/// The session of the signed-in user.
public final class FAuthData: NSObject, Sendable {
  let session: LegacyCredential

  init(_ session: LegacyCredential) { self.session = session }

  /// The rules' `auth` value.
  public var auth: [String: Any]! { session.auth?.foundationDictionary ?? [:] }
  /// The expiry of the session in seconds since 1970.
  public var expires: NSNumber! { NSNumber(value: session.expiresSeconds ?? 0) }
  /// The account; nil when the token has no uid.
  public var uid: String! { session.uid }
  /// The provider: `password`, `anonymous`, `google`, …, or `custom` for tokens of the app's own server.
  public var provider: String! { session.provider }
  /// The token, a secret.
  public var token: String! { session.isToken ? session.token : "" }
  /// The provider's profile of the user.
  public var providerData: [String: Any]! { session.providerData?.foundationDictionary ?? [:] }

  public override var description: String { "FAuthData(uid: \(session.uid ?? "none"), provider: \(session.provider))" }
}

/// A session as it is stored.
struct LegacyCredential: Sendable, Codable, CustomStringConvertible, CustomReflectable {
  var token: String
  var uid: String?
  var provider: String
  var providerData: JSON?
  var auth: JSON?
  var expiresSeconds: Int64?

  var description: String { "session of \(uid ?? "nobody")" }
  var customMirror: Mirror { Mirror(self, children: ["uid": uid as Any]) }

  /// Creates the session of a token. The token's claims are used until the server reports more.
  init(token: String) {
    self.token = token
    let claims = IDTokenPayload(token)?.payload
    auth = claims?["d"]
    provider = auth?["provider"]?.string ?? "custom"
    uid = auth?["uid"]?.string
    expiresSeconds = claims?["exp"]?.int
  }

  /// Creates the session from the server's answer to a sign-in.
  init?(_ answer: JSON) {
    guard let token = answer["token"]?.string, let uid = answer["uid"]?.string, !token.isEmpty, !uid.isEmpty,
      token.utf8.count <= 64 * 1024, uid.utf8.count <= 256
    else { return nil }
    self.init(token: token)
    self.uid = uid
    provider = answer["provider"]?.string ?? provider
    providerData = answer[provider]
  }

  /// True for a token, false for a database's secret: secrets are neither stored nor exposed to apps.
  var isToken: Bool { IDTokenPayload(token)?.seconds("iat") != nil }

  /// Updates the session with the server's report on the database's connection.
  mutating func take(auth: JSON?, expiresSeconds: Int64?) {
    self.auth = auth
    self.expiresSeconds = expiresSeconds ?? self.expiresSeconds
    uid = auth?["uid"]?.string ?? uid
    provider = auth?["provider"]?.string ?? provider
  }
}
