/// A key pair of a service account. The private key is given to the back-end program and not stored.
public struct ServiceAccountKey: Sendable, Redacted {
  /// The key's name, 40 hexadecimal digits.
  public var keyID: String
  /// The private half in PKCS#8, "BEGIN PRIVATE KEY".
  public var privatePEM: String
  /// The public half, "BEGIN PUBLIC KEY".
  public var publicPEM: String

  /// Creates a new RSA-2048 pair; takes some 100 ms. OpenSSL generates the key itself; `random` gives its ID.
  public static func generate(random: RandomBytes) throws(RandomnessError) -> ServiceAccountKey {
    let entry = try SigningKeys.newEntry(.signing, nowSeconds: nil, random: random)
    guard let publicPEM = entry.key.publicPEM() else { throw RandomnessError() }
    return ServiceAccountKey(
      keyID: entry.id, privatePEM: String(decoding: entry.privatePEM, as: UTF8.self),
      publicPEM: String(decoding: publicPEM, as: UTF8.self))
  }

  /// Returns the content of the file that admin SDKs read: JSON with the same members as Google's own files.
  ///
  /// - Parameters:
  /// - clientID: a decimal number as text; SDKs require one and do not use it.
  /// - tokenURI: The address at which SDKs exchange an assertion for an access token.
  /// - certURL: The address of this account's certificates; SDKs do not fetch it.
  public static func json(
    projectID: String, email: String, keyID: String, privatePEM: String, clientID: String, tokenURI: String,
    certURL: String
  ) -> String {
    ClaimValue.object([
      .init("type", .string("service_account")), .init("project_id", .string(projectID)),
      .init("private_key_id", .string(keyID)), .init("private_key", .string(privatePEM)),
      .init("client_email", .string(email)), .init("client_id", .string(clientID)),
      .init("auth_uri", .string("https://accounts.google.com/o/oauth2/auth")),
      .init("token_uri", .string(tokenURI)),
      .init("auth_provider_x509_cert_url", .string("https://www.googleapis.com/oauth2/v1/certs")),
      .init("client_x509_cert_url", .string(certURL)), .init("universe_domain", .string("googleapis.com")),
    ]).json
  }
}
