import HearthBytes

/// SHA-256 of some bytes.
public struct Digest: Sendable, Hashable {
  /// The 32 bytes of the hash.
  public let bytes: [UInt8]

  /// Hashes `data` with SHA-256: 32 bytes.
  public init(sha256 data: some Sequence<UInt8>) {
    // OpenSSL fails to hash only when no memory is left. Without a hash all data would compare equal, and every secret
    // would be accepted; so this ends the process, as Swift's own out-of-memory failures do.
    guard let bytes = HashFunction.sha256.digest(Array(data)) else { preconditionFailure("SHA-256 cannot be computed") }
    self.bytes = bytes
  }

  /// Lower-case hexadecimal.
  public var hex: String { Self.hexadecimal(bytes) }

  /// Bytes in lower-case hexadecimal.
  public static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: Hexadecimal.encode(Array(bytes)), as: UTF8.self)
  }

  /// Reads a ``hex`` text; nil for any other text, including one with capital letters.
  public init?(hex: String) {
    let digits = Array(hex.utf8)
    guard let bytes = Hexadecimal.decode(digits), bytes.count == HashFunction.sha256.sizeBytes,
      Hexadecimal.encode(bytes) == digits
    else { return nil }
    self.bytes = bytes
  }
}
