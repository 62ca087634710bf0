import HearthCrypto

/// The name of a piece: SHA-256 of its bytes before compression.
public struct BlobID: Sendable, Hashable, CustomStringConvertible {
  /// 32 bytes.
  public let bytes: [UInt8]

  /// Bytes of a name.
  static let sizeBytes = 32

  /// The name of a piece.
  init(of piece: [UInt8]) { bytes = Digest(sha256: piece).bytes }

  /// From 32 bytes; nil for any other number of them.
  init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.sizeBytes else { return nil }
    self.bytes = Array(bytes)
  }

  /// From 64 lower-case hexadecimal digits; nil for anything else.
  init?(hex: String) {
    guard let digest = Digest(hex: hex) else { return nil }
    bytes = digest.bytes
  }

  /// 64 hexadecimal digits.
  public var description: String { Digest.hexadecimal(bytes) }

  /// The folder of its file: the first byte.
  var folder: String { String(description.prefix(2)) }
}
