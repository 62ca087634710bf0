/// A client's credential at a provider, used instead of a client secret: a short-lived token that the client signs with
/// its own key, as Apple requires.
public struct ClientAssertion: Sendable, Redacted {
  /// The lifetime of an assertion, in seconds. A new one is created for each request.
  public static let lifetimeSeconds: Int64 = 300

  private let key: P256Signer
  private let keyID: String
  private let issuer: String
  private let subject: String
  private let audience: String

  /// - Parameters:
  /// - pem: A private key on P-256 in PEM, "BEGIN PRIVATE KEY", without passphrase.
  /// - keyID: The provider's ID of the key.
  /// - issuer: The owner of the key.
  /// - subject: The client.
  /// - audience: The provider.
  /// - Returns: nil when the text is not such a key.
  public init?(pem: [UInt8], keyID: String, issuer: String, subject: String, audience: String) {
    guard let key = P256Signer(privatePEM: pem) else { return nil }
    self.key = key
    self.keyID = keyID
    self.issuer = issuer
    self.subject = subject
    self.audience = audience
  }

  /// Returns an assertion that is valid from now on; nil when it cannot be signed.
  public func text(nowSeconds: Int64) -> String? {
    let (end, isOver) = nowSeconds.addingReportingOverflow(Self.lifetimeSeconds)
    guard !isOver else { return nil }
    let claims: [ClaimValue.Member] = [
      .init("iss", .string(issuer)), .init("iat", .int(nowSeconds)), .init("exp", .int(end)),
      .init("aud", .string(audience)), .init("sub", .string(subject)),
    ]
    return try? SignedToken.es256(claims: claims, keyID: keyID, key: key)
  }
}
