/// The error for bytes that violate their format.
package struct MalformedBytes: Error, Equatable, CustomStringConvertible {
  /// The fault, without the bytes themselves.
  package var finding: String

  /// Creates an error.
  package init(_ finding: String) { self.finding = finding }

  package var description: String { finding }
}

/// A reader of little-endian numbers of fixed width and of length-prefixed bytes, in order and never beyond the end. A
/// read that throws leaves the reader unchanged. Lengths are compared with the remaining bytes before memory is
/// allocated.
package struct ByteReader {
  private let bytes: ArraySlice<UInt8>
  private var index: Int

  /// Creates a reader that starts with the first of the bytes.
  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    index = bytes.startIndex
  }

  /// The number of bytes that are left.
  package var remaining: Int { bytes.endIndex - index }

  /// The number of bytes that were read.
  package var offset: Int { index - bytes.startIndex }

  /// Reads the next number.
  package mutating func number<Number: FixedWidthInteger>(
    _ type: Number.Type = Number.self
  ) throws(MalformedBytes) -> Number {
    let (size, offset) = (Number.bitWidth / 8, offset)
    guard remaining >= size else { throw MalformedBytes("the data ends within a number") }
    index += size
    return bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
  }

  /// Reads the next `count` bytes.
  package mutating func slice(_ count: Int) throws(MalformedBytes) -> ArraySlice<UInt8> {
    guard count >= 0, remaining >= count else { throw MalformedBytes("the data ends within \(count) bytes") }
    defer { index += count }
    return bytes[index..<index + count]
  }

  /// Reads the next `count` bytes into a new array.
  package mutating func raw(_ count: Int) throws(MalformedBytes) -> [UInt8] { Array(try slice(count)) }

  /// Reads a length of four bytes, then that many bytes.
  package mutating func sized() throws(MalformedBytes) -> [UInt8] { Array(try frame(sizeMin: 0).dropFirst(4)) }

  /// Reads a length of four bytes, then that many bytes; the result includes the length.
  package mutating func frame(sizeMin: Int = 1) throws(MalformedBytes) -> ArraySlice<UInt8> {
    var ahead = self
    let length = Int(try ahead.number(UInt32.self))
    guard length >= sizeMin, ahead.remaining >= length else {
      throw MalformedBytes("the data ends within \(length) bytes")
    }
    return try slice(4 + length)
  }

  /// Reads a number of elements, which the remaining bytes can contain at `sizeBytes` or more each.
  package mutating func count(max: Int, of sizeBytes: Int) throws(MalformedBytes) -> Int {
    var ahead = self
    let count = Int(try ahead.number(UInt32.self))
    guard count <= max, count <= ahead.remaining / sizeBytes else {
      throw MalformedBytes("a list of \(count) elements is too long")
    }
    self = ahead
    return count
  }

  /// Throws when bytes are left.
  package func end() throws(MalformedBytes) {
    guard remaining == 0 else { throw MalformedBytes("\(remaining) bytes too many") }
  }
}
