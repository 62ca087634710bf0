import HearthTree

/// A reader of the primitives of the binary format of ``CommitRecord``, which never reads beyond the end.
package struct ByteCursor {
  /// An error when the bytes end in the middle of an item. A reader of chunks then continues with more bytes.
  package struct EndOfBytes: Error {}

  let bytes: UnsafeRawBufferPointer
  /// The offset of the next byte.
  package private(set) var offset = 0

  /// Creates a cursor.
  ///
  /// - Parameter bytes: The bytes, which the caller keeps alive.
  package init(_ bytes: UnsafeRawBufferPointer, offset: Int = 0) {
    self.bytes = bytes
    self.offset = offset
  }

  /// The number of remaining bytes.
  package var remaining: Int { bytes.count - offset }
  /// True when no bytes remain.
  package var isAtEnd: Bool { offset == bytes.count }

  /// Reads one byte. Throws ``EndOfBytes``.
  package mutating func byte() throws -> UInt8 {
    guard offset < bytes.count else { throw EndOfBytes() }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// Reads a number of fixed width. Throws ``EndOfBytes``.
  package mutating func littleEndian(byteCount: Int) throws -> UInt64 {
    guard remaining >= byteCount else { throw EndOfBytes() }
    var value: UInt64 = 0
    for i in 0..<byteCount { value |= UInt64(bytes[offset + i]) << (8 * UInt64(i)) }
    offset += byteCount
    return value
  }

  mutating func varint() throws -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      let byte = try byte()
      if shift == 63, byte > 1 { throw RecordError.Problem("a number is longer than 64 bits") }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    throw RecordError.Problem("a number is longer than 64 bits")
  }

  /// Reads a length and that many bytes.
  package mutating func sized() throws -> UnsafeRawBufferPointer {
    let length = try varint()
    guard length <= UInt64(Int32.max) else { throw RecordError.Problem("a string of \(length) bytes is too long") }
    return try raw(byteCount: Int(length))
  }

  mutating func raw(byteCount: Int) throws -> UnsafeRawBufferPointer {
    guard remaining >= byteCount else { throw EndOfBytes() }
    defer { offset += byteCount }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + byteCount])
  }

  /// Reads a length and that many bytes of UTF-8. Throws ``EndOfBytes`` and `RecordError.Problem`.
  package mutating func text() throws -> String { String(decoding: try sized(), as: UTF8.self) }

  /// Reads a scalar whose tag has been read.
  mutating func scalar(tag: UInt8) throws -> Scalar {
    switch tag {
    case 1: return .bool(false)
    case 2: return .bool(true)
    case 3:
      let bits = try varint()
      return .int(Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1))
    case 4:
      let value = Double(bitPattern: try littleEndian(byteCount: 8))
      guard value.isFinite else { throw RecordError.Problem("a number that is not finite") }
      return .double(value)
    case 5: return .string(try text())
    default: throw RecordError.Problem("unknown tag \(tag)")
    }
  }

  /// Reads an optional priority: a scalar, or the byte for none.
  mutating func priority() throws -> Scalar? {
    let tag = try byte()
    return tag == 0 ? nil : try scalar(tag: tag)
  }
}
