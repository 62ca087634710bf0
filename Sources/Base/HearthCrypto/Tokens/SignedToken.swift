import HearthBytes

/// The assembly of tokens in compact form.
enum SignedToken {
  /// Creates a token without a signature, for programs that do not verify one.
  static func unsigned(claims: [ClaimValue.Member]) throws(TokenMintError) -> String {
    let header = ClaimValue.object([.init("alg", .string("none")), .init("typ", .string("JWT"))])
    let payload = ClaimValue.object(claims).json
    return try checked(Base64URL.encode(header.json.utf8) + "." + Base64URL.encode(payload.utf8) + ".")
  }

  /// Creates an RS256 token.
  ///
  /// - Parameter keyID: The `kid` of the header.
  static func rs256(
    claims: [ClaimValue.Member], keyID: String, key: RSAKey
  ) throws(TokenMintError) -> String {
    let header = ClaimValue.object([
      .init("alg", .string("RS256")), .init("kid", .string(keyID)), .init("typ", .string("JWT")),
    ])
    let payload = ClaimValue.object(claims).json
    let signed = Base64URL.encode(header.json.utf8) + "." + Base64URL.encode(payload.utf8)
    guard let signature = key.sign(Array(signed.utf8)) else { throw .refused("signing failed") }
    return try checked(signed + "." + Base64URL.encode(signature))
  }

  /// Creates an ES256 token.
  ///
  /// - Parameter keyID: The `kid` of the header.
  static func es256(
    claims: [ClaimValue.Member], keyID: String, key: P256Signer
  ) throws(TokenMintError) -> String {
    let header = ClaimValue.object([.init("alg", .string("ES256")), .init("kid", .string(keyID))])
    let payload = ClaimValue.object(claims).json
    let signed = Base64URL.encode(header.json.utf8) + "." + Base64URL.encode(payload.utf8)
    guard let signature = key.sign(Array(signed.utf8)) else { throw .refused("signing failed") }
    return try checked(signed + "." + Base64URL.encode(signature))
  }

  private static func checked(_ token: String) throws(TokenMintError) -> String {
    guard token.utf8.count <= TokenLimits.tokenBytesMax else { throw .tooLong(sizeBytesMax: TokenLimits.tokenBytesMax) }
    // Verifiers would refuse claims that are nested too deeply or occur twice.
    guard (try? TokenReader.read(token)) != nil else { throw .refused("the claims are not usable") }
    return token
  }
}
