import HearthTree

/// A decoder of the data at one location within a value in the binary format of ``CommitRecord``, whose bytes may
/// arrive in any number of chunks. It skips the rest.
package struct SubtreeDecoder {
  private enum Expectation {
    case value
    case keyOrEnd
  }

  /// The keys of the location, relative to the value.
  private let keys: [[UInt8]]
  private let builder: NodeBuilder
  /// The number of open nodes.
  private var depth = 0
  /// The number of ``keys`` that the path of the current node matches.
  private var matched = 0
  private var expectation = Expectation.value
  /// The decoder of the value at the location; nil before it begins.
  private var found: NodeDecoder?

  /// Creates a decoder at the beginning of a value.
  ///
  /// - Parameters:
  ///   - path: The location; the root is the whole value.
  ///   - builder: The builder of the value at the location.
  package init(of path: Path = .root, to builder: NodeBuilder = NodeBuilder()) {
    keys = path.keys.map { Array($0.text.utf8) }
    self.builder = builder
  }

  /// Decodes up to the end of the location or of the bytes. The caller keeps the undecoded bytes, and passes them again
  /// with more bytes in the next call. Bytes after the location are never read.
  ///
  /// - Returns: The value, or ``Node/empty`` when there is none; nil when more bytes are needed.
  /// - Throws: `RecordError.Problem`.
  package mutating func decode(_ cursor: inout ByteCursor) throws -> Node? {
    var attempt = cursor
    do {
      while true {
        if found == nil, expectation == .value, matched == depth, depth == keys.count {
          found = NodeDecoder(builder)
        }
        if found != nil { return try found?.decode(&cursor) }
        let isOver = try step(&attempt)
        cursor = attempt
        if isOver { return .empty }
      }
    } catch is ByteCursor.EndOfBytes {
      return nil
    }
  }

  /// Decodes one key, one leaf, or the beginning or end of an interior node; changes nothing when bytes are missing.
  ///
  /// - Returns: True when the location has no value.
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
      guard depth < NodeDecoder.depthMax else { throw RecordError.Problem("a value is nested too deep") }
      depth += 1
      expectation = .keyOrEnd
      return false
    default:
      try cursor.skipLeaf(tag: tag)
      expectation = .keyOrEnd
      // A leaf has no children, so the location below it has no data.
      return matched == depth
    }
  }
}
