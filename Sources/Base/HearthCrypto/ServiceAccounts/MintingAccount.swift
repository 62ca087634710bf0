/// The service account of the server itself.
public struct MintingAccount: Sendable, Redacted {
  /// The account's address, `hearth@PROJECT.iam.gserviceaccount.com`.
  public var email: String
  /// The key's name, the `kid` of its tokens.
  public var keyID: String
  /// The private key, "BEGIN PRIVATE KEY" (PKCS#8).
  public var privatePEM: String
  /// The public key, "BEGIN PUBLIC KEY".
  public var publicPEM: String

  static func email(projectID: String) -> String { "hearth@\(projectID).iam.gserviceaccount.com" }
}
