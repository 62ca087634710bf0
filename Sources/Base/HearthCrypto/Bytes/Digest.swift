import HearthBytes

/// SHA-256 of some bytes.
public struct Digest: Sendable, Hashable {
  /// The 32 bytes of the hash.
  public let bytes: [UInt8]

  /// Hashes `data` with SHA-256: 32 bytes.
  public init(sha256 data: some Sequence<UInt8>) {
    // Without a hash, which OpenSSL fails to make only where there is no memory left, all data would look alike, and
    // every secret would be right: so that ends the process, as Swift's own lack of memory does.
    guard let bytes = HashFunction.sha256.digest(Array(data)) else { preconditionFailure("SHA-256 cannot be computed") }
    self.bytes = bytes
  }

  /// Lower-case hexadecimal.
  public var hex: String { Self.hexadecimal(bytes) }

  /// Bytes in lower-case hexadecimal.
  public static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: Hexadecimal.encode(Array(bytes)), as: UTF8.self)
  }

  /// The digest that a ``hex`` text stands for; nil for any other text, also for one in capitals.
  public init?(hex: String) {
    let digits = Array(hex.utf8)
    guard let bytes = Hexadecimal.decode(digits), bytes.count == HashFunction.sha256.sizeBytes,
      Hexadecimal.encode(bytes) == digits
    else { return nil }
    self.bytes = bytes
  }
}
