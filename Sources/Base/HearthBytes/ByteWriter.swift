/// A writer for ``ByteReader``: little-endian numbers of fixed width, and bytes behind their length.
package struct ByteWriter {
  /// The bytes so far.
  package private(set) var bytes: [UInt8] = []

  /// A writer without bytes.
  package init() {}

  /// A writer with room for `count` bytes.
  package init(reserving count: Int) { bytes.reserveCapacity(count) }

  /// Appends a number.
  package mutating func number<Number: FixedWidthInteger>(_ number: Number) { bytes.append(number: number) }

  /// Appends bytes behind their length in four bytes.
  package mutating func sized(_ content: [UInt8]) {
    number(UInt32(clamping: content.count))
    bytes.append(contentsOf: content)
  }

  /// Leaves room for the length of the bytes that come until ``endSized(_:)``.
  package mutating func beginSized() -> Int {
    number(0 as UInt32)
    return bytes.count
  }

  /// Writes the length of the bytes since ``beginSized()``, which returned `start`.
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
