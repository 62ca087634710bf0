import HearthTree

/// A passkey of an account.
public struct PasskeyInfo: Sendable, Equatable, Codable {
  /// The maximum number of passkeys that are read from a response; servers allow fewer.
  static let countMax = 64
  /// The maximum size of a credential's identifier in base64url (WebAuthn: 1,023 bytes).
  static let credentialIDBytesMax = 1_400

  /// The user's name for the passkey.
  public let name: String?
  /// The identifier of the credential, in base64url.
  public let credentialID: String

  private init?(_ json: JSON) {
    guard let id = json["credentialId"]?.string, !id.isEmpty, id.utf8.count <= Self.credentialIDBytesMax else {
      return nil
    }
    credentialID = id
    name = json["name"]?.string
  }

  /// Returns the passkeys in the `passkeyInfo` of an account.
  static func all(in json: JSON) -> [PasskeyInfo] {
    (json["passkeyInfo"]?.array ?? []).prefix(countMax).compactMap { PasskeyInfo($0) }
  }
}
