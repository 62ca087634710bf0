import HearthTree

/// A decoder of one value in the binary format of ``CommitRecord``, whose bytes may arrive in any number of chunks.
package struct NodeDecoder {
  private enum Expectation {
    case value
    case keyOrEnd
  }

  /// The most levels of a value. Valid values have fewer; the limit protects the decoder from damaged bytes.
  static let depthMax = 64

  private var builder: NodeBuilder
  private var depth = 0
  private var expectation = Expectation.value

  /// Creates a decoder at the beginning of a value, which a builder builds.
  package init(_ builder: NodeBuilder = NodeBuilder()) { self.builder = builder }

  /// Decodes up to the end of the value or of the bytes. The caller keeps the undecoded bytes, and passes them again
  /// with more bytes in the next call.
  ///
  /// - Returns: The complete value; nil when more bytes are needed.
  /// - Throws: `RecordError.Problem`.
  package mutating func decode(_ cursor: inout ByteCursor) throws -> Node? {
    var attempt = cursor
    do {
      while true {
        let isComplete = try step(&attempt)
        cursor = attempt
        if isComplete { return builder.finish() }
      }
    } catch is ByteCursor.EndOfBytes {
      return nil
    }
  }

  /// Decodes a complete value if it is a leaf, which is faster than the general decoder; otherwise returns nil and
  /// reads nothing.
  static func leaf(_ cursor: inout ByteCursor) throws -> Node? {
    var attempt = cursor
    let tag = try attempt.byte()
    guard tag != NodeEncoder.nothing, tag != NodeEncoder.interior else { return nil }
    let (scalar, priority) = try leaf(tag: tag, &attempt)
    cursor = attempt
    return Node(scalar, priority: priority)
  }

  private static func leaf(tag: UInt8, _ cursor: inout ByteCursor) throws -> (scalar: Scalar, priority: Scalar?) {
    let scalar = try cursor.scalar(tag: tag & ~NodeEncoder.priorityFlag)
    return (scalar, tag & NodeEncoder.priorityFlag != 0 ? try cursor.priority() : nil)
  }

  /// Decodes one key, one leaf, or the beginning or end of an interior node; changes nothing, and returns false, when
  /// bytes are missing.
  private mutating func step(_ cursor: inout ByteCursor) throws -> Bool {
    switch expectation {
    case .value: return try value(&cursor)
    case .keyOrEnd:
      let key = try cursor.sized()
      if key.isEmpty {
        let priority = try cursor.priority()
        builder.close(priority: priority)
        depth -= 1
        return depth == 0
      }
      builder.key(utf8: key)
      expectation = .value
      return false
    }
  }

  private mutating func value(_ cursor: inout ByteCursor) throws -> Bool {
    let tag = try cursor.byte()
    switch tag {
    case NodeEncoder.nothing:
      guard depth == 0 else { throw RecordError.Problem("a child without a value") }
      return true
    case NodeEncoder.interior:
      guard depth < Self.depthMax else { throw RecordError.Problem("a value is nested too deep") }
      builder.open()
      depth += 1
      expectation = .keyOrEnd
      return false
    default:
      let (scalar, priority) = try Self.leaf(tag: tag, &cursor)
      builder.leaf(scalar, priority: priority)
      expectation = .keyOrEnd
      return depth == 0
    }
  }
}
