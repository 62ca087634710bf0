import COpenSSL

/// SHA-256 of some bytes.
public struct Digest: Sendable, Hashable {
  public let bytes: [UInt8]

  /// Hashes `data` with SHA-256: 32 bytes.
  public init(sha256 data: some Sequence<UInt8>) {
    let data = Array(data)
    var out = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    SHA256(data, data.count, &out)
    bytes = out
  }

  /// Lower-case hexadecimal.
  public var hex: String { Self.hexadecimal(bytes) }

  /// Bytes in lower-case hexadecimal.
  public static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// A digest that was written down as ``hex``; nil for any other text.
  public init?(hex: String) {
    let digits = Array(hex.utf8)
    guard digits.count == 2 * Int(SHA256_DIGEST_LENGTH) else { return nil }
    var bytes: [UInt8] = []
    for digit in digits {
      switch digit {
      case 0x30...0x39: bytes.append(digit - 0x30)
      case 0x61...0x66: bytes.append(digit - 0x57)
      default: return nil
      }
    }
    self.bytes = stride(from: 0, to: bytes.count, by: 2).map { bytes[$0] << 4 | bytes[$0 + 1] }
  }
}
