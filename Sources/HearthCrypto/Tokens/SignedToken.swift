/// Puts a compact token together.
enum SignedToken {
  /// An RS256 token.
  ///
  /// - Parameter keyID: `kid` of the header.
  static func rs256(
    claims: [ClaimValue.Member], keyID: String, key: RSAKey
  ) throws(TokenMintError) -> String {
    let header = ClaimValue.object([
      .init("alg", .string("RS256")), .init("kid", .string(keyID)), .init("typ", .string("JWT")),
    ])
    let payload = ClaimValue.object(claims).json
    let signed = Base64URL.encode(header.json.utf8) + "." + Base64URL.encode(payload.utf8)
    guard let signature = key.sign(Array(signed.utf8)) else { throw .refused("signing failed") }
    let token = signed + "." + Base64URL.encode(signature)
    guard token.utf8.count <= TokenLimits.tokenBytesMax else { throw .tooLong(sizeBytesMax: TokenLimits.tokenBytesMax) }
    // Claims nested too deep, or named twice, would make a token that no verifier takes.
    guard (try? TokenReader.read(token)) != nil else { throw .refused("claims not usable") }
    return token
  }
}
