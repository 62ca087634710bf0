/// Bytes that are no record or message of this version.
package struct MalformedBytes: Error, Equatable, CustomStringConvertible {
  /// What is wrong, without the bytes themselves.
  package var finding: String

  init(_ finding: String) { self.finding = finding }

  package var description: String { finding }
}

/// Reads what ``ByteWriter`` writes, and never beyond the end. Lengths are checked against what is there before anything
/// is set aside for them.
struct ByteReader {
  private let bytes: ArraySlice<UInt8>
  private var index: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    index = bytes.startIndex
  }

  var remaining: Int { bytes.endIndex - index }

  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws(MalformedBytes) -> Number {
    let size = Number.bitWidth / 8
    guard remaining >= size else { throw MalformedBytes("it ends within a number") }
    let offset = index - bytes.startIndex
    index += size
    return bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
  }

  mutating func raw(_ count: Int) throws(MalformedBytes) -> [UInt8] {
    guard count >= 0, remaining >= count else { throw MalformedBytes("it ends within \(count) bytes") }
    defer { index += count }
    return Array(bytes[index..<index + count])
  }

  mutating func sized() throws(MalformedBytes) -> [UInt8] {
    try raw(Int(try number(UInt32.self)))
  }

  /// Bytes behind their length in four bytes, with that in front.
  mutating func frame() throws(MalformedBytes) -> ArraySlice<UInt8> {
    let start = index
    let length = Int(try number(UInt32.self))
    guard length > 0, remaining >= length else { throw MalformedBytes("it ends within \(length) bytes") }
    index += length
    return bytes[start..<index]
  }

  mutating func node() throws(MalformedBytes) -> NodeID {
    let name = try raw(Int(try number(UInt8.self)))
    guard (1...ClusterLimits.nodeNameBytesMax).contains(name.count), let text = String(validating: name, as: UTF8.self)
    else { throw MalformedBytes("a node's name of \(name.count) bytes, or not in UTF-8") }
    return NodeID(text)
  }

  mutating func incarnation() throws(MalformedBytes) -> Incarnation {
    Incarnation(node: try node(), number: try number())
  }

  /// A number of elements of at least `sizeBytes` each.
  mutating func count(max: Int, of sizeBytes: Int) throws(MalformedBytes) -> Int {
    let count = Int(try number(UInt32.self))
    guard count <= max, count <= remaining / sizeBytes else { throw MalformedBytes("a list of \(count) elements") }
    return count
  }

  func end() throws(MalformedBytes) {
    guard remaining == 0 else { throw MalformedBytes("\(remaining) bytes too many") }
  }
}
