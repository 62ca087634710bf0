/// A client's credential at a provider in place of a secret: a token of a few minutes that its own key has signed, as
/// Apple requires it.
public struct ClientAssertion: Sendable, Redacted {
  /// The life of an assertion. It is made anew for each request.
  public static let lifetimeSeconds: Int64 = 300

  private let key: P256Signer
  private let keyID: String
  private let issuer: String
  private let subject: String
  private let audience: String

  /// - Parameters:
  ///   - pem: a private key on P-256 in PEM, "BEGIN PRIVATE KEY", without passphrase.
  ///   - keyID: the provider's name of the key.
  ///   - issuer: the owner of the key.
  ///   - subject: the client.
  ///   - audience: the provider.
  /// - Returns: nil when the text is no such key.
  public init?(pem: [UInt8], keyID: String, issuer: String, subject: String, audience: String) {
    guard let key = P256Signer(privatePEM: pem) else { return nil }
    self.key = key
    self.keyID = keyID
    self.issuer = issuer
    self.subject = subject
    self.audience = audience
  }

  /// An assertion that is valid from now on; nil when it cannot be signed.
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
