/// A writer for ``ByteReader``: little-endian numbers of fixed width, and length-prefixed bytes.
package struct ByteWriter {
  /// The bytes so far.
  package private(set) var bytes: [UInt8] = []

  /// Creates a writer without bytes.
  package init() {}

  /// Creates a writer with a capacity of `count` bytes.
  package init(reserving count: Int) { bytes.reserveCapacity(count) }

  /// Appends a number.
  package mutating func number<Number: FixedWidthInteger>(_ number: Number) { bytes.append(number: number) }

  /// Appends the length of the bytes, in four bytes, then the bytes.
  package mutating func sized(_ content: [UInt8]) {
    number(UInt32(clamping: content.count))
    bytes.append(contentsOf: content)
  }

  /// Reserves four bytes for the length of the bytes that are appended until ``endSized(_:)``. Returns the argument for
  /// that call.
  package mutating func beginSized() -> Int {
    number(0 as UInt32)
    return bytes.count
  }

  /// Writes the length of the bytes appended since ``beginSized()``, which returned `start`.
  package mutating func endSized(_ start: Int) {
    withUnsafeBytes(of: UInt32(clamping: bytes.count - start).littleEndian) { length in
      bytes.withUnsafeMutableBytes { $0[(start - 4)..<start].copyBytes(from: length) }
    }
  }

  /// Appends bytes.
  package mutating func raw(_ content: some Sequence<UInt8>) { bytes.append(contentsOf: content) }
}

extension [UInt8] {
  /// Appends a little-endian number.
  package mutating func append<Number: FixedWidthInteger>(number: Number) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}
