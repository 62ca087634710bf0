import HearthBytes

/// The replacement for a signature in an emulator's tokens.
///
/// Admin SDKs in emulator mode do not verify signatures, and the Node.js SDK refuses a token that has one, so an
/// emulator's tokens have the algorithm `none`. This server accepts only tokens that it issued itself: their header has
/// a message authentication code of the claims, which clients ignore.
///
///     {"alg":"none","typ":"JWT","seal":"<base64url of HMAC-SHA256(kind, ".", second segment)>"} . {…} .
struct TokenSeal: Sendable, Redacted {
  private static let member = "seal"

  private let key: [UInt8]

  init(_ key: SealingKey) { self.key = key.tokenSealKey }

  /// Creates a sealed token without a signature.
  func token(claims: [ClaimValue.Member], kind: KeyKind) throws(TokenMintError) -> String {
    let payload = Base64URL.encode(ClaimValue.object(claims).json.utf8)
    guard let code = code(of: payload.utf8, kind) else { throw .refused("sealing failed") }
    let header = ClaimValue.object([
      .init("alg", .string("none")), .init("typ", .string("JWT")), .init(Self.member, .string(code)),
    ])
    let token = Base64URL.encode(header.json.utf8) + "." + payload + "."
    guard token.utf8.count <= TokenLimits.tokenBytesMax else { throw .tooLong(sizeBytesMax: TokenLimits.tokenBytesMax) }
    guard (try? TokenReader.read(token)) != nil else { throw .refused("the claims are not usable") }
    return token
  }

  /// Returns true when this server issued the token as one of the kind.
  func verifies(_ token: UnverifiedToken, _ kind: KeyKind) -> Bool {
    guard token.isAlgorithm("none"), token.signature.isEmpty, let shown = token.header[Self.member]?.string,
      let code = code(of: token.signedBytes.drop { $0 != UInt8(ascii: ".") }.dropFirst(), kind)
    else { return false }
    return ConstantTime.equal(Array(shown.utf8), Array(code.utf8))
  }

  private func code(of payload: some Collection<UInt8>, _ kind: KeyKind) -> String? {
    MessageAuthenticationCode.hmacSHA256(Array("\(kind.rawValue).".utf8) + payload, key: key).map {
      Base64URL.encode($0)
    }
  }
}
