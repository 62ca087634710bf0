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
  public var hex: String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
