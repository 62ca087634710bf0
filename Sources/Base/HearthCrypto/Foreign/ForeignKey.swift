import COpenSSL
import HearthBytes

/// A public key of another server: plain RSA for RS256, or on the curve P-256 for ES256. The key, not the token,
/// determines the algorithm.
enum ForeignKey: Sendable {
  case rsa(RSAKey)
  case p256(P256Key)

  var algorithm: String {
    switch self {
    case .rsa: "RS256"
    case .p256: "ES256"
    }
  }

  func verify(_ signature: [UInt8], of bytes: [UInt8]) -> RSAKey.Outcome {
    switch self {
    case .rsa(let key): key.verify(signature, of: bytes)
    case .p256(let key): key.verify(signature, of: bytes)
    }
  }

  /// Reads a JSON Web Key. nil for a key of an unsupported kind, and for an invalid one.
  init?(jwk: ClaimValue) {
    if let use = jwk["use"] { guard use == .string("sig") else { return nil } }
    switch jwk["kty"]?.string {
    case "RSA":
      guard let modulus = Self.bytes(jwk["n"]), let exponent = Self.bytes(jwk["e"]),
        let key = RSAKey(modulus: modulus, exponent: exponent)
      else { return nil }
      self = .rsa(key)
    case "EC":
      guard jwk["crv"] == .string("P-256"), let x = Self.bytes(jwk["x"]), let y = Self.bytes(jwk["y"]),
        let key = P256Key(x: x, y: y)
      else { return nil }
      self = .p256(key)
    default: return nil
    }
    if let algorithm = jwk["alg"] { guard algorithm == .string(self.algorithm) else { return nil } }
  }

  /// Reads a "BEGIN PUBLIC KEY" or "BEGIN CERTIFICATE" text; of a certificate only the key is used. nil for any other
  /// text.
  init?(pem: String) {
    let bytes = Array(pem.utf8)
    defer { ERR_clear_error() }
    if let key = RSAKey(publicPEM: bytes) ?? RSAKey(certificatePEM: bytes) {
      self = .rsa(key)
    } else if let key = P256Key(publicPEM: bytes) {
      self = .p256(key)
    } else {
      return nil
    }
  }

  private static func bytes(_ value: ClaimValue?) -> [UInt8]? { value?.string.flatMap { Base64URL.decode($0.utf8) } }
}

extension RSAKey {
  /// Creates a key from the big-endian numbers of a JSON Web Key; nil for a modulus outside 2048 to 8192 bits, and for
  /// an exponent that is even, one, or longer than 8 bytes: with the exponent one every text is its own signature, and
  /// large ones only make verification slow.
  convenience init?(modulus: [UInt8], exponent: [UInt8]) {
    let significant = exponent.drop { $0 == 0 }
    guard (256...1_024).contains(modulus.count), (1...8).contains(exponent.count), let last = significant.last,
      last & 1 == 1, !significant.elementsEqual([1])
    else { return nil }
    self.init(taking: hearth_rsa_public(modulus, modulus.count, exponent, exponent.count))
    ERR_clear_error()
  }

  convenience init?(certificatePEM: [UInt8]) {
    self.init(taking: hearth_public_key_from_certificate(certificatePEM, certificatePEM.count))
    ERR_clear_error()
  }
}

/// A public key on the curve P-256.
///
/// `@unchecked Sendable` because OpenSSL only reads a complete `EVP_PKEY` during a verification and counts its
/// references atomically, and this class does not change it after `init`.
final class P256Key: @unchecked Sendable {
  private static let coordinateBytes = 32
  private let key: OpaquePointer

  /// Takes ownership of the key, and frees it when it is not on the curve.
  private init?(taking key: OpaquePointer?) {
    guard let key else { return nil }
    guard hearth_is_p256(key) == 1, hearth_public_key_is_sound(key) == 1 else {
      EVP_PKEY_free(key)
      return nil
    }
    self.key = key
  }

  deinit { EVP_PKEY_free(key) }

  /// Creates a key from the coordinates of a JSON Web Key, 32 bytes each.
  convenience init?(x: [UInt8], y: [UInt8]) {
    guard x.count == Self.coordinateBytes, y.count == Self.coordinateBytes else { return nil }
    let point = [4] + x + y
    self.init(taking: hearth_p256_public(point, point.count))
    ERR_clear_error()
  }

  /// Reads a "BEGIN PUBLIC KEY" or "BEGIN CERTIFICATE" text.
  convenience init?(publicPEM pem: [UInt8]) {
    self.init(
      taking: hearth_public_key_from_pem(pem, pem.count) ?? hearth_public_key_from_certificate(pem, pem.count))
    ERR_clear_error()
  }

  /// Checks that `signature` is this key's ES256 signature of `bytes`: 64 bytes, r and s. About 100 µs.
  func verify(_ signature: [UInt8], of bytes: [UInt8]) -> RSAKey.Outcome {
    guard signature.count == 2 * Self.coordinateBytes else { return .refused }
    defer { ERR_clear_error() }
    var der = [UInt8](repeating: 0, count: 80)
    let length = hearth_p256_signature_der(signature, &der, der.count)
    guard length > 0, let context = EVP_MD_CTX_new() else { return .outOfMemory }
    defer { EVP_MD_CTX_free(context) }
    guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return .outOfMemory }
    return EVP_DigestVerify(context, der, length, bytes, bytes.count) == 1 ? .accepted : .refused
  }
}
