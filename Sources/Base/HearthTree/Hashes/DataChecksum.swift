import HearthBytes

/// A checksum of data that does not depend on the order in which the values are added: the sum of a hash of each value
/// with its path. It finds accidental differences, and does not withstand an attacker.
///
/// The sum over the parts of a database is that of the whole, so that a file and a database can be compared although
/// neither is in memory at once. A priority counts as a value at `.priority` below its location.
package struct DataChecksum: Sendable, Equatable {
  /// The sum of the hashes.
  package private(set) var sum: UInt64 = 0
  /// The number of values and priorities.
  package private(set) var count = 0

  /// The tags that distinguish kinds of values with equal bytes, mixed into the seed of a value's hash.
  private enum Tag {
    static let bool: UInt64 = 1
    static let integer: UInt64 = 2
    static let double: UInt64 = 3
    static let string: UInt64 = 4
  }

  /// Creates the checksum of no data.
  package init() {}

  /// Adds a value.
  ///
  /// - Parameter path: The path of the value.
  package mutating func add(_ node: Node, at path: Path) {
    let seed = Self.seed(of: path)
    withExtendedLifetime(node) { add(BorrowedNode(node), seed) }
  }

  /// Adds what is written to a location.
  package mutating func add(_ node: Node, at location: Location) {
    guard location.isPriority else { return add(node, at: location.path) }
    if let priority = node.scalar { add(priority, Self.prioritySeed(Self.seed(of: location.path))) }
  }

  /// Adds the values of another checksum.
  package mutating func add(_ other: DataChecksum) {
    sum &+= other.sum
    count &+= other.count
  }

  private mutating func add(_ node: BorrowedNode, _ seed: UInt64) {
    if let priority = node.priority { add(priority, Self.prioritySeed(seed)) }
    if node.isInterior {
      return node.forEachChild { key, child in
        add(child, XXH64.hash(key, seed: seed))
        return true
      }
    }
    if case .bytes(let text) = node.leaf {
      add(text: text, seed)
    } else if let scalar = node.scalar {
      add(scalar, seed)
    }
  }

  mutating func add(_ scalar: Scalar, _ seed: UInt64) {
    switch scalar {
    case .bool(let value): add(hash: Self.hash(value ? 1 : 0, seed ^ Tag.bool))
    case .int(let value): add(hash: Self.hash(UInt64(bitPattern: value), seed ^ Tag.integer))
    case .double(let value): add(hash: Self.hash(value.bitPattern, seed ^ Tag.double))
    case .string(var text): text.withUTF8 { add(text: UnsafeRawBufferPointer($0), seed) }
    }
  }

  mutating func add(text: UnsafeRawBufferPointer, _ seed: UInt64) {
    add(hash: XXH64.hash(text, seed: seed ^ Tag.string))
  }

  private mutating func add(hash: UInt64) {
    sum &+= hash
    count &+= 1
  }

  private static func hash(_ value: UInt64, _ seed: UInt64) -> UInt64 {
    withUnsafeBytes(of: value.littleEndian) { XXH64.hash($0, seed: seed) }
  }

  /// Returns the seed of the hashes at a path: a hash over its keys.
  static func seed(of path: Path) -> UInt64 {
    path.keys.reduce(0) { seed, key in key.withUTF8 { XXH64.hash(UnsafeRawBufferPointer($0), seed: seed) } }
  }

  static func prioritySeed(_ seed: UInt64) -> UInt64 {
    var name = Location.priorityName
    return name.withUTF8 { XXH64.hash(UnsafeRawBufferPointer($0), seed: seed) }
  }
}

extension DataChecksum: CustomStringConvertible {
  /// The sum as sixteen hexadecimal digits.
  package var description: String {
    let digits = String(sum, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
