import HearthTree

/// Reads what is at one place of a value in the binary form that ``CommitRecord`` describes, in as many pieces as it comes
/// in, and passes over the rest without making it.
package struct PartDecoder {
  private enum Expectation {
    case value
    case keyOrEnd
  }

  /// The place's keys, from the value down.
  private let keys: [[UInt8]]
  /// Nodes that have begun and not ended.
  private var depth = 0
  /// How many of the keys lead to where the reading is.
  private var matched = 0
  private var expectation = Expectation.value
  /// Reads what is at the place.
  private var found: NodeDecoder?

  /// At the beginning of a value.
  ///
  /// - Parameter path: the place; the root is all of the value.
  package init(of path: Path = .root) { keys = path.keys.map { Array($0.text.utf8) } }

  /// Reads on, up to the end of what is at the place or as far as the bytes go. Between calls the caller keeps what was not
  /// read. What comes after the place is never read.
  ///
  /// - Returns: What is there, ``Node/empty`` when nothing is; nil when more bytes are needed.
  /// - Throws: `RecordError.Problem`.
  package mutating func decode(_ cursor: inout ByteCursor) throws -> Node? {
    var attempt = cursor
    do {
      while true {
        if found == nil, expectation == .value, matched == depth, depth == keys.count { found = NodeDecoder() }
        if found != nil { return try found?.decode(&cursor) }
        let isOver = try step(&attempt)
        cursor = attempt
        if isOver { return .empty }
      }
    } catch is ByteCursor.EndOfBytes {
      return nil
    }
  }

  /// Reads one key, one leaf, or one beginning or end of an interior node; changes nothing when bytes are missing.
  ///
  /// - Returns: Whether nothing can be at the place any more.
  private mutating func step(_ cursor: inout ByteCursor) throws -> Bool {
    switch expectation {
    case .value: return try value(&cursor)
    case .keyOrEnd:
      let key = try cursor.sized()
      if key.isEmpty {
        try cursor.skipPriority()
        depth -= 1
        return matched >= depth
      }
      let level = depth - 1
      let isOnTheWay = matched >= level && level < keys.count && key.elementsEqual(keys[level])
      matched = isOnTheWay ? depth : min(matched, level)
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
      guard depth < NodeDecoder.depthMax else { throw RecordError.Problem("a value that is nested too deep") }
      depth += 1
      expectation = .keyOrEnd
      return false
    default:
      try cursor.skipLeaf(tag: tag)
      expectation = .keyOrEnd
      // Below a leaf there is nothing.
      return matched == depth
    }
  }
}
