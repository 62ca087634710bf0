import HearthTree

/// Reads one value in the binary form that ``CommitRecord`` describes, in as many pieces as it comes in.
package struct NodeDecoder {
  private enum Expectation {
    case value
    case keyOrEnd
  }

  /// More than any tree has; a bound for damaged bytes.
  static let depthMax = 64

  private var builder = NodeBuilder()
  private var depth = 0
  private var expectation = Expectation.value

  /// At the beginning of a value.
  package init() {}

  /// Reads on, up to the end of the value or as far as the bytes go. Between calls the caller keeps what was not read.
  ///
  /// - Returns: The value when it is complete, nil when more bytes are needed.
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

  /// A value that is there as a whole, if it is a leaf: it costs less than a tree of one. Otherwise nothing is read.
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

  /// Reads one key, one leaf, or one beginning or end of an interior node; changes nothing when bytes are missing.
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
      guard depth < Self.depthMax else { throw RecordError.Problem("a value that is nested too deep") }
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
