import CFido2

/// A public key in the form of authenticators (COSE, RFC 9053).
public struct PublicKey: Sendable, Equatable {
  /// A signature algorithm; the numbers are COSE's.
  public enum Algorithm: Int64, Sendable, CaseIterable {
    /// ECDSA on P-256 with SHA-256.
    case es256 = -7
    /// Ed25519.
    case edDSA = -8
    /// RSA with PKCS #1 1.5 and SHA-256.
    case rs256 = -257
  }

  /// The signature algorithm.
  public let algorithm: Algorithm
  /// The key's numbers: x and y of ES256, x of EdDSA, modulus and exponent of RS256.
  let numbers: [UInt8]

  /// Reads a key.
  ///
  /// - Parameter cose: its CBOR, without trailing bytes.
  public init(cose: [UInt8]) throws(WebAuthnError) {
    var reader = CBORReader(cose)
    try self.init(try reader.value())
    guard reader.isAtEnd else { throw Self.unusable }
  }

  init(_ value: CBORValue) throws(WebAuthnError) {
    guard let algorithm = value[3]?.int.flatMap({ Algorithm(rawValue: $0) }) else {
      throw WebAuthnError(.algorithm, "The key's algorithm must be ES256, EdDSA or RS256.")
    }
    let parts: (type: Int64, curve: Int64?, numbers: [(label: Int64, count: Int)]) =
      switch algorithm {
      case .es256: (2, 1, [(-2, 32), (-3, 32)])
      case .edDSA: (1, 6, [(-2, 32)])
      case .rs256: (3, nil, [(-1, 256), (-2, 3)])
      }
    guard value[1]?.int == parts.type, parts.curve == nil || value[-1]?.int == parts.curve else { throw Self.unusable }
    var numbers: [UInt8] = []
    for part in parts.numbers {
      guard let bytes = value[part.label]?.bytes, bytes.count == part.count else { throw Self.unusable }
      numbers += bytes
    }
    self.algorithm = algorithm
    self.numbers = numbers
    guard withKey({ _ in true }) == true else { throw Self.unusable }
  }

  private static let unusable = WebAuthnError(
    .algorithm, "The key is not valid: it must be a P-256 or Ed25519 point, or 2048-bit RSA with the exponent 65537.")

  /// Calls `body` with the key in the library's form; nil when its numbers are invalid.
  func withKey<Value>(_ body: (inout hearth_fido_key) -> Value) -> Value? {
    var key = hearth_fido_key()
    defer { hearth_fido_key_free(&key) }
    guard hearth_fido_key_read(&key, Int32(algorithm.rawValue), numbers, numbers.count) == FIDO_OK else { return nil }
    return body(&key)
  }
}
