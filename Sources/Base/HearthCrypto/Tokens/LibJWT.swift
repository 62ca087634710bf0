import CJWT
import Glibc

/// The calls of libjwt 1.10, which signs legacy tokens and verifies them a second time.
///
/// By itself, the library accepts any token when it has no key, uses the algorithm in the token, ignores `crit`, `exp`
/// and extra bytes after an RS256 signature, and keeps copies of the token on the stack. It is therefore called only
/// with tokens that `TokenReader` has accepted, with a key whose type the caller determines, and its results for claims
/// are not used.
enum LibJWT {
  enum Algorithm: Sendable {
    case hs256
    case rs256

    fileprivate var code: jwt_alg_t { self == .hs256 ? JWT_ALG_HS256 : JWT_ALG_RS256 }
    var name: String { self == .hs256 ? "HS256" : "RS256" }
  }

  enum Outcome: Sendable { case accepted, refused, outOfMemory }

  /// Checks the signature with libjwt.
  ///
  /// - Parameters:
  /// - token: A token that `TokenReader` has accepted.
  /// - algorithm: The algorithm of the caller's key; a token with another one is refused before the library is called.
  /// - key: The secret's bytes for HS256, a PEM public key for RS256; an empty key is refused, because to libjwt it
  ///   means "do not verify".
  static func verify(_ token: UnverifiedToken, algorithm: Algorithm, key: [UInt8]) -> Outcome {
    guard token.isAlgorithm(algorithm.name), let keyLength = Int32(exactly: key.count), keyLength > 0 else {
      return .refused
    }
    guard token.text.utf8.count <= TokenLimits.tokenBytesMax else { return .refused }
    var decoded: OpaquePointer?
    let status = token.text.withCString { jwt_decode(&decoded, $0, key, keyLength) }
    defer { if let decoded { jwt_free(decoded) } }
    guard status == 0, let decoded else { return status == ENOMEM ? .outOfMemory : .refused }
    // When memory is exhausted inside the library, it can report success with the algorithm NONE, which means
    // unverified.
    return jwt_get_alg(decoded) == algorithm.code ? .accepted : .refused
  }

  /// Creates a signed token.
  ///
  /// - Parameters:
  /// - claims: The payload's members; the library writes them sorted by name.
  /// - header: Further header members, after `alg` and `typ`.
  /// - key: The secret's bytes for HS256, a PEM private key without passphrase for RS256.
  static func sign(
    claims: [ClaimValue.Member], header: [(name: String, value: String)] = [], algorithm: Algorithm, key: [UInt8]
  ) throws(TokenMintError) -> String {
    let json = ClaimValue.object(claims).json
    guard let keyLength = Int32(exactly: key.count), keyLength > 0 else { throw .refused("the signing key is missing") }
    // The library also keeps copies on the stack while it encodes.
    guard json.utf8.count <= TokenLimits.tokenBytesMax else { throw .tooLong(sizeBytesMax: TokenLimits.tokenBytesMax) }
    var token: OpaquePointer?
    guard jwt_new(&token) == 0, let token else { throw .refused("out of memory") }
    defer { jwt_free(token) }
    guard jwt_set_alg(token, algorithm.code, key, keyLength) == 0 else { throw .refused("the key is not usable") }
    for member in header {
      guard jwt_add_header(token, member.name, member.value) == 0 else { throw .refused("the header is not usable") }
    }
    guard jwt_add_grants_json(token, json) == 0 else { throw .refused("the claims are not usable") }
    guard let text = jwt_encode_str(token) else { throw .refused("signing failed") }
    defer { free(text) }
    let signed = String(cString: text)
    // The token is read back: with claims that are nested too deeply, for example, verifiers would refuse it.
    guard (try? TokenReader.read(signed)) != nil else { throw .refused("the claims are not usable") }
    return signed
  }
}
