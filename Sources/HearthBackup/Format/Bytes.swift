/// Little-endian numbers of fixed width, as all formats of backups have them.
extension [UInt8] {
  mutating func append<Number: FixedWidthInteger>(number: Number) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}

/// Reads numbers and bytes in order, and never beyond the end.
struct ByteReader {
  private let bytes: [UInt8]
  private(set) var offset: Int

  init(_ bytes: [UInt8], at offset: Int = 0) { (self.bytes, self.offset) = (bytes, offset) }

  var remaining: Int { bytes.count - offset }

  /// The next number; nil when there are not so many bytes.
  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
    let size = MemoryLayout<Number>.size
    guard remaining >= size else { return nil }
    let at = offset
    let value = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: Number.self) }
    offset += size
    return Number(littleEndian: value)
  }

  /// The next bytes; nil when there are not so many.
  mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, remaining >= count else { return nil }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }
}
