/// The service account that a server has by itself.
public struct MintingAccount: Sendable, Redacted {
  public var email: String
  public var keyID: String
  public var privatePEM: String
  public var publicPEM: String

  static func email(projectID: String) -> String { "hearth@\(projectID).iam.gserviceaccount.com" }
}
