/// Writes the primitives of records and messages: fixed-width little-endian numbers, and bytes behind their length.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  init() {}

  init(reserving count: Int) { bytes.reserveCapacity(count) }

  mutating func number<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Bytes behind their length in four bytes.
  mutating func sized(_ content: [UInt8]) {
    number(UInt32(clamping: content.count))
    bytes.append(contentsOf: content)
  }

  /// Leaves room for a length, of what is written until ``endSized(_:)``.
  mutating func beginSized() -> Int {
    number(0 as UInt32)
    return bytes.count
  }

  mutating func endSized(_ start: Int) {
    withUnsafeBytes(of: UInt32(clamping: bytes.count - start).littleEndian) { length in
      bytes.withUnsafeMutableBytes { $0[(start - 4)..<start].copyBytes(from: length) }
    }
  }

  mutating func raw(_ content: [UInt8]) { bytes.append(contentsOf: content) }

  mutating func node(_ node: NodeID) {
    let name = Array(node.name.utf8.prefix(ClusterLimits.nodeNameBytesMax))
    number(UInt8(name.count))
    bytes.append(contentsOf: name)
  }

  mutating func incarnation(_ incarnation: Incarnation) {
    node(incarnation.node)
    number(incarnation.number)
  }
}
