/// A service account at another server, by its key file: it signs the assertions for which that server's token endpoint
/// gives access tokens (RFC 7523 §2.1).
public struct ServiceAccountClient: Sendable, Redacted {
  /// The lifetime of an assertion, in seconds. A new one is created for each access token.
  public static let lifetimeSeconds: Int64 = 300

  /// The address of the token endpoint.
  public let tokenURL: String
  private let email: String
  private let keyID: String
  private let key: RSAKey

  /// Reads a key file, as Google and this server create it; nil for any other text.
  public init?(keyFile: String) {
    guard let file = try? ClaimValue(json: keyFile), let email = file["client_email"]?.string, !email.isEmpty,
      let keyID = file["private_key_id"]?.string, let pem = file["private_key"]?.string,
      let tokenURL = file["token_uri"]?.string, !tokenURL.isEmpty, let key = RSAKey(privatePEM: Array(pem.utf8))
    else { return nil }
    (self.tokenURL, self.email, self.keyID, self.key) = (tokenURL, email, keyID, key)
  }

  /// Returns an assertion that is valid from now on; nil when it cannot be signed.
  ///
  /// - Parameter scopes: The scopes of the access token, separated by blanks.
  public func assertion(scopes: String, nowSeconds: Int64) -> String? {
    let (end, isOver) = nowSeconds.addingReportingOverflow(Self.lifetimeSeconds)
    guard !isOver else { return nil }
    let claims: [ClaimValue.Member] = [
      .init("iss", .string(email)), .init("scope", .string(scopes)), .init("aud", .string(tokenURL)),
      .init("iat", .int(nowSeconds)), .init("exp", .int(end)),
    ]
    return try? SignedToken.rs256(claims: claims, keyID: keyID, key: key)
  }
}
