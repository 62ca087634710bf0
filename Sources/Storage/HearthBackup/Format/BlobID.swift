import HearthCrypto

/// The name of a piece: the SHA-256 of its bytes before compression.
public struct BlobID: Sendable, Hashable, CustomStringConvertible {
  /// The 32 bytes.
  public let bytes: [UInt8]

  /// The number of bytes.
  static let sizeBytes = 32

  /// Computes the name of a piece.
  init(of piece: [UInt8]) { bytes = Digest(sha256: piece).bytes }

  /// Reads 32 bytes; nil for any other number.
  init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.sizeBytes else { return nil }
    self.bytes = Array(bytes)
  }

  /// Reads 64 lower-case hexadecimal digits; nil when the text has another form.
  init?(hex: String) {
    guard let digest = Digest(hex: hex) else { return nil }
    bytes = digest.bytes
  }

  /// The 64 hexadecimal digits.
  public var description: String { Digest.hexadecimal(bytes) }

  /// The name of the folder of the piece's file: the first byte.
  var folder: String { String(description.prefix(2)) }
}
