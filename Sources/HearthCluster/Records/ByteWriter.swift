/// Writes the primitives of records and messages: fixed-width little-endian numbers, and bytes behind their length.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func number<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Bytes behind their length in four bytes.
  mutating func sized(_ content: [UInt8]) {
    number(UInt32(clamping: content.count))
    bytes.append(contentsOf: content)
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
